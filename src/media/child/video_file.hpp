#pragma once

#include "libav.hpp"
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <string>

namespace reelsd::media {

/// The video's bytes: a descriptor that was opened before the jail closed.
class video_file {
public:
    /// `media_failed` when `path` is no file that can be opened; `unsupported_format` when it is
    /// empty.
    static result<video_file> open(const std::string& path);

    video_file(video_file&& other) noexcept;
    video_file& operator=(video_file&&) = delete;
    video_file(const video_file&) = delete;
    video_file& operator=(const video_file&) = delete;
    ~video_file();

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

    /// FFmpeg's way to read it, from the start. This file outlives what is returned, and one lives
    /// at a time: they share the descriptor's position.
    [[nodiscard]] io_owner reader();

private:
    video_file(int descriptor, std::int64_t size) noexcept : descriptor_{descriptor}, size_{size} {}

    static int read_some(void* file, std::uint8_t* buffer, int bytes);
    static std::int64_t seek(void* file, std::int64_t offset, int whence);

    int descriptor_ = -1;
    std::int64_t size_ = 0;
};

}  // namespace reelsd::media
