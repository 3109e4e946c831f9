#include "file_io.hpp"

#include <reelsd/base/descriptor_io.hpp>

extern "C" {
#include <libavutil/dict.h>
}

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>

namespace reelsd::media {
namespace {

/// Twice FFmpeg's default for files.
constexpr std::size_t buffer_bytes = std::size_t{64} * 1024;

/// Has its own position, because the descriptor's belongs to the writer.
struct reader_state {
    int descriptor = -1;
    std::int64_t size = -1;  ///< -1: unknown, because the file is being written.
    std::int64_t offset = 0;
};

int read_some(void* opaque, std::uint8_t* buffer, int bytes) {
    auto& state = *static_cast<reader_state*>(opaque);
    for (;;) {
        const ssize_t count =
            ::pread(state.descriptor, buffer, static_cast<std::size_t>(bytes), state.offset);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return AVERROR(errno);
        if (count == 0) return AVERROR_EOF;
        state.offset += count;
        return static_cast<int>(count);
    }
}

std::int64_t seek_reader(void* opaque, std::int64_t offset, int whence) {
    auto& state = *static_cast<reader_state*>(opaque);
    const int from = whence & ~AVSEEK_FORCE;
    if ((from == AVSEEK_SIZE || from == SEEK_END) && state.size < 0) return AVERROR(ENOSYS);
    if (from == AVSEEK_SIZE) return state.size;
    if (from != SEEK_SET && from != SEEK_CUR && from != SEEK_END) return AVERROR(EINVAL);
    const std::int64_t start = from == SEEK_SET ? 0 : from == SEEK_CUR ? state.offset : state.size;
    std::int64_t reached = 0;
    if (__builtin_add_overflow(start, offset, &reached) || reached < 0) return AVERROR(EINVAL);
    return state.offset = reached;
}

/// Returns 0 or FFmpeg's code.
int append(std::span<const std::byte> bytes) {
    return write_all(output_descriptor, bytes) == bytes.size() ? 0 : AVERROR(errno);
}

/// `Byte` is constant from FFmpeg 7 on.
template <class Byte>
int write_some(void* /*opaque*/, Byte* bytes, int count) {
    const int failed = append(std::as_bytes(std::span{bytes, static_cast<std::size_t>(count)}));
    return failed < 0 ? failed : count;
}

std::int64_t seek_writer(void* /*opaque*/, std::int64_t offset, int whence) {
    if ((whence & AVSEEK_SIZE) != 0) return AVERROR(ENOSYS);
    const auto reached = lseek(output_descriptor, offset, whence & ~AVSEEK_FORCE);
    return reached < 0 ? AVERROR(errno) : reached;
}

/// A reader with `state`, or the writer of the output without it.
io_owner new_io(std::unique_ptr<reader_state> state) {
    auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_bytes));
    if (buffer == nullptr) throw std::bad_alloc{};
    const bool reads = state != nullptr;
    const decltype(AVIOContext::write_packet) writer = &write_some;
    io_owner io{avio_alloc_context(
        buffer,
        static_cast<int>(buffer_bytes),
        reads ? 0 : 1,
        state.get(),
        reads ? &read_some : nullptr,
        reads ? nullptr : writer,
        reads ? &seek_reader : &seek_writer)};
    if (!io) {
        av_free(buffer);
        throw std::bad_alloc{};
    }
    static_cast<void>(state.release());
    return io;
}

/// Full or broken, but not beyond the jail's limit of a file.
bool is_disk_failure(int libav_code) noexcept {
    return libav_code == AVERROR(ENOSPC) || libav_code == AVERROR(EDQUOT) ||
           libav_code == AVERROR(EIO);
}

error cannot_open(const std::string& path, int code) {
    return error{errc::media_failed, path + ": " + errno_text(code)};
}

/// FFmpeg reads the output again to move the index to its start. It opens no other file.
int reopen_output(
    AVFormatContext* /*of*/, AVIOContext** opened, const char* /*address*/, int flags,
    AVDictionary** /*options*/) {
    if (flags != AVIO_FLAG_READ) return AVERROR(EACCES);
    reader_state written{.descriptor = output_descriptor};
    *opened = new_io(std::make_unique<reader_state>(written)).release();
    return 0;
}

int close_reopened(AVFormatContext* /*of*/, AVIOContext* opened) {
    io_free{}(opened);
    return 0;
}

}  // namespace

void io_free::operator()(AVIOContext* context) const noexcept {
    const std::unique_ptr<reader_state> state{static_cast<reader_state*>(context->opaque)};
    // FFmpeg may have replaced the buffer.
    av_freep(&context->buffer);
    avio_context_free(&context);
}

result<input_file> input_file::open(const std::string& path) {
    // Without O_NONBLOCK a named pipe would block the process.
    unique_fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
    if (!file) return cannot_open(path, errno);
    struct stat about = {};
    if (fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return cannot_open(path, EINVAL);
    if (about.st_size == 0) return error{errc::unsupported_format, "the file is empty"};
    return input_file{std::move(file), about.st_size};
}

io_owner input_file::reader() const {
    const reader_state start{.descriptor = file_.get(), .size = size_};
    return new_io(std::make_unique<reader_state>(start));
}

bool is_output_failure(int libav_code) noexcept {
    return is_disk_failure(libav_code) || libav_code == AVERROR(EFBIG);
}

error cannot_write(int libav_code) {
    const auto code = is_disk_failure(libav_code) ? errc::storage_failed : errc::media_failed;
    return error{code, "the output file: " + libav_message(libav_code)};
}

result<void> append_to_output(std::span<const std::byte> bytes) {
    const int failed = append(bytes);
    if (failed < 0) return cannot_write(failed);
    return {};
}

mp4_writer::mp4_writer(index place) : place_{place}, io_{new_io(nullptr)} {
    AVFormatContext* raw = nullptr;
    if (avformat_alloc_output_context2(&raw, nullptr, "mp4", nullptr) < 0) throw std::bad_alloc{};
    context_.reset(raw);
    context_->pb = io_.get();
    context_->flags |= AVFMT_FLAG_CUSTOM_IO;
    context_->io_open = &reopen_output;
    context_->io_close2 = &close_reopened;
}

result<void> mp4_writer::begin() {
    AVDictionary* options = nullptr;
    if (place_ == index::first) av_dict_set(&options, "movflags", "+faststart", 0);
    const int begun = avformat_write_header(context_.get(), &options);
    av_dict_free(&options);
    if (is_output_failure(begun)) return cannot_write(begun);
    if (begun < 0) {
        return error{
            errc::unsupported_format, "MP4 does not support these tracks: " + libav_message(begun)};
    }
    return {};
}

result<std::uint64_t> mp4_writer::finish() {
    const int ended = av_write_trailer(context_.get());
    if (ended < 0) return cannot_write(ended);
    avio_flush(io_.get());
    if (io_->error < 0) return cannot_write(io_->error);
    const std::int64_t size = lseek(output_descriptor, 0, SEEK_END);
    if (size <= 0) return cannot_write(AVERROR(errno));
    return static_cast<std::uint64_t>(size);
}

}  // namespace reelsd::media
