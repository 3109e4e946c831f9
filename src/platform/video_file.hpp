#pragma once

#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/platform/downloader.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace reelsd::platform {

/// A video that is being written: counts, hashes and looks at its first bytes as they come in.
/// What was not finish()ed is removed again.
class video_file {
public:
    /// errc::storage_failed when `target` can't be created.
    [[nodiscard]] static result<video_file> create(
        const std::filesystem::path& target, std::uint64_t bytes_max);

    video_file(video_file&& other) noexcept;
    video_file& operator=(video_file&&) = delete;
    video_file(const video_file&) = delete;
    video_file& operator=(const video_file&) = delete;
    ~video_file();

    /// Errors: video_too_large, unsupported_format (the first bytes are no video's),
    /// storage_failed.
    [[nodiscard]] result<void> append(std::span<const std::byte> piece);

    /// Back to an empty file. errc::storage_failed.
    [[nodiscard]] result<void> restart();

    /// errc::unsupported_format when it is too short to be a video.
    [[nodiscard]] result<media_file> finish();

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t bytes_max() const noexcept { return bytes_max_; }

private:
    video_file(std::filesystem::path target, int descriptor, std::uint64_t bytes_max);

    [[nodiscard]] result<void> look_at_start(std::span<const std::byte> piece);
    [[nodiscard]] result<void> write_all(std::span<const std::byte> piece) const;

    std::filesystem::path target_;
    int descriptor_;
    std::uint64_t bytes_max_;
    std::uint64_t size_ = 0;
    std::array<std::byte, 8> start_{};
    file_digest digest_;
};

}  // namespace reelsd::platform
