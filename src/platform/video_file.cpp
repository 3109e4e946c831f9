#include "video_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace reelsd::platform {
namespace {

error storage_error(const char* doing, int number) {
    return error{
        errc::storage_failed, std::string{doing} + ": " + std::generic_category().message(number)};
}

bool equals_at(std::span<const std::byte> bytes, std::size_t offset, std::string_view wanted) {
    return bytes.size() >= offset + wanted.size() &&
           std::memcmp(bytes.data() + offset, wanted.data(), wanted.size()) == 0;
}

/// MP4 and MOV open with an `ftyp` box, WebM with EBML's number.
bool is_video_start(std::span<const std::byte> start) {
    return equals_at(start, 4, "ftyp") || equals_at(start, 0, "\x1a\x45\xdf\xa3");
}

}  // namespace

result<video_file> video_file::create(
    const std::filesystem::path& target, std::uint64_t bytes_max) {
    const int descriptor = ::open(
        target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (descriptor < 0) return storage_error("creating the video file", errno);
    return video_file{target, descriptor, bytes_max};
}

video_file::video_file(std::filesystem::path target, int descriptor, std::uint64_t bytes_max)
    : target_{std::move(target)}, descriptor_{descriptor}, bytes_max_{bytes_max} {}

video_file::video_file(video_file&& other) noexcept
    : target_{std::move(other.target_)},
      descriptor_{std::exchange(other.descriptor_, -1)},
      bytes_max_{other.bytes_max_},
      size_{other.size_},
      start_{other.start_},
      digest_{std::move(other.digest_)} {}

video_file::~video_file() {
    if (descriptor_ < 0) return;
    // Only what we made: a device given as target stays.
    struct stat about {};
    const bool is_ours = ::fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode);
    ::close(descriptor_);
    if (is_ours) ::unlink(target_.c_str());
}

result<void> video_file::look_at_start(std::span<const std::byte> piece) {
    if (size_ >= start_.size()) return {};
    const auto have = static_cast<std::size_t>(size_);
    const auto taken = std::min(piece.size(), start_.size() - have);
    std::copy_n(piece.begin(), taken, start_.begin() + static_cast<std::ptrdiff_t>(have));
    if (have + taken == start_.size() && !is_video_start(start_))
        return error{errc::unsupported_format, "the file is no MP4, MOV or WebM"};
    return {};
}

result<void> video_file::write_all(std::span<const std::byte> piece) const {
    while (!piece.empty()) {
        const auto written = ::write(descriptor_, piece.data(), piece.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return storage_error("writing the video file", errno);
        piece = piece.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

result<void> video_file::append(std::span<const std::byte> piece) {
    if (piece.size() > bytes_max_ - size_)
        return error{errc::video_too_large, "more than " + std::to_string(bytes_max_) + " bytes"};
    if (const auto looked = look_at_start(piece); !looked) return looked.error();
    if (const auto written = write_all(piece); !written) return written.error();
    digest_.add(piece);
    size_ += piece.size();
    return {};
}

result<void> video_file::restart() {
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0)
        return storage_error("emptying the video file", errno);
    digest_.restart();
    size_ = 0;
    return {};
}

result<media_file> video_file::finish() {
    if (size_ < start_.size())
        return error{errc::unsupported_format, "the file is too short to be a video"};
    // Some file systems report a full disk only now.
    if (::close(std::exchange(descriptor_, -1)) != 0) {
        const int number = errno;
        ::unlink(target_.c_str());
        return storage_error("closing the video file", number);
    }
    return media_file{.file = target_, .size_bytes = size_, .sha256 = digest_.hex()};
}

result<media_file> write_video(
    const std::filesystem::path& target, std::uint64_t bytes_max,
    const std::function<result<std::vector<std::byte>>()>& next) {
    auto file = video_file::create(target, bytes_max);
    if (!file) return file.error();
    for (;;) {
        const auto piece = next();
        if (!piece) return piece.error();
        if (piece->empty()) return file->finish();
        if (const auto added = file->append(*piece); !added) return added.error();
    }
}

}  // namespace reelsd::platform
