#include "made_file.hpp"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <new>

namespace reelsd::media {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} * 1024;

/// 0 or FFmpeg's code.
int write_all(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(made_descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return AVERROR(errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return 0;
}

int write_some(void* /*unused*/, std::uint8_t* bytes, int count) {
    const int failed = write_all(std::as_bytes(std::span{bytes, static_cast<std::size_t>(count)}));
    return failed < 0 ? failed : count;
}

std::int64_t seek(void* /*unused*/, std::int64_t offset, int whence) {
    if ((whence & AVSEEK_SIZE) != 0) return AVERROR(ENOSYS);
    const auto reached = lseek(made_descriptor, offset, whence & ~AVSEEK_FORCE);
    return reached < 0 ? AVERROR(errno) : reached;
}

io_owner new_io(
    int writes, void* opaque, int (*read)(void*, std::uint8_t*, int),
    int (*write)(void*, std::uint8_t*, int), std::int64_t (*seek_to)(void*, std::int64_t, int)) {
    auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_bytes));
    if (buffer == nullptr) throw std::bad_alloc{};
    io_owner made{avio_alloc_context(
        buffer, static_cast<int>(buffer_bytes), writes, opaque, read, write, seek_to)};
    if (!made) {
        av_free(buffer);
        throw std::bad_alloc{};
    }
    return made;
}

/// Where a reader is: the descriptor's own place is the writer's.
struct read_place {
    std::int64_t offset = 0;
};

int read_some(void* place, std::uint8_t* bytes, int count) {
    auto& at = *static_cast<read_place*>(place);
    for (;;) {
        const auto read =
            ::pread(made_descriptor, bytes, static_cast<std::size_t>(count), at.offset);
        if (read < 0 && errno == EINTR) continue;
        if (read < 0) return AVERROR(errno);
        if (read == 0) return AVERROR_EOF;
        at.offset += read;
        return static_cast<int>(read);
    }
}

std::int64_t seek_reader(void* place, std::int64_t offset, int whence) {
    if ((whence & ~AVSEEK_FORCE) != SEEK_SET || offset < 0) return AVERROR(ENOSYS);
    return static_cast<read_place*>(place)->offset = offset;
}

}  // namespace

error cannot_write(int libav_code) {
    return error{errc::media_failed, "the file that is made: " + libav_message(libav_code)};
}

result<void> append_to_made(std::span<const std::byte> bytes) {
    const int failed = write_all(bytes);
    if (failed < 0) return cannot_write(failed);
    return {};
}

io_owner made_file_writer() {
    return new_io(1, nullptr, nullptr, &write_some, &seek);
}

made_reader_owner made_file_reader() {
    auto place = std::make_unique<read_place>();
    auto reader = new_io(0, place.get(), &read_some, nullptr, &seek_reader);
    static_cast<void>(place.release());
    return made_reader_owner{reader.release()};
}

void made_reader_free::operator()(AVIOContext* reader) const noexcept {
    const std::unique_ptr<read_place> place{static_cast<read_place*>(reader->opaque)};
    libav_free{}(reader);
}

}  // namespace reelsd::media
