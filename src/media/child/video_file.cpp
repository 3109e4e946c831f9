#include "video_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace reelsd::media {
namespace {

/// FFmpeg's own size for files.
constexpr std::size_t buffer_bytes = std::size_t{32} * 1024;

error cannot_open(const std::string& path, int code) {
    return error{errc::media_failed, path + ": " + std::generic_category().message(code)};
}

}  // namespace

result<video_file> video_file::open(const std::string& path) {
    // Not blocking, lest a pipe of that name holds us.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) return cannot_open(path, errno);
    struct stat about {};
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
        ::close(descriptor);
        return cannot_open(path, EINVAL);
    }
    video_file file{descriptor, about.st_size};
    if (about.st_size == 0) return error{errc::unsupported_format, "the file is empty"};
    return file;
}

video_file::video_file(video_file&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)}, size_{other.size_} {}

video_file::~video_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

io_owner video_file::reader() {
    if (lseek(descriptor_, 0, SEEK_SET) != 0) throw std::bad_alloc{};
    auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_bytes));
    if (buffer == nullptr) throw std::bad_alloc{};
    io_owner reader{avio_alloc_context(
        buffer, static_cast<int>(buffer_bytes), 0, this, &read_some, nullptr, &seek)};
    if (!reader) {
        av_free(buffer);
        throw std::bad_alloc{};
    }
    return reader;
}

int video_file::read_some(void* file, std::uint8_t* buffer, int bytes) {
    const auto* self = static_cast<video_file*>(file);
    for (;;) {
        const ssize_t count = ::read(self->descriptor_, buffer, static_cast<std::size_t>(bytes));
        if (count > 0) return static_cast<int>(count);
        if (count == 0) return AVERROR_EOF;
        if (errno != EINTR) return AVERROR(errno);
    }
}

std::int64_t video_file::seek(void* file, std::int64_t offset, int whence) {
    const auto* self = static_cast<video_file*>(file);
    if ((whence & AVSEEK_SIZE) != 0) return self->size_;
    const int from = whence & ~AVSEEK_FORCE;
    if (from != SEEK_SET && from != SEEK_CUR && from != SEEK_END) return AVERROR(EINVAL);
    const auto reached = lseek(self->descriptor_, offset, from);
    return reached < 0 ? AVERROR(errno) : reached;
}

}  // namespace reelsd::media
