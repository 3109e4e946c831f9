#include "made_file.hpp"

#include <cerrno>
#include <cstdint>
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
    auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_bytes));
    if (buffer == nullptr) throw std::bad_alloc{};
    io_owner made{avio_alloc_context(
        buffer, static_cast<int>(buffer_bytes), 1, nullptr, nullptr, &write_some, &seek)};
    if (!made) {
        av_free(buffer);
        throw std::bad_alloc{};
    }
    return made;
}

}  // namespace reelsd::media
