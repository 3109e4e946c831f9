#pragma once

#include "libav.hpp"
#include <reelsd/base/result.hpp>

#include <unistd.h>

#include <cstddef>
#include <memory>
#include <span>

/// The file that the daemon has opened, empty, and given this process as its standard input.
namespace reelsd::media {

inline constexpr int made_descriptor = STDIN_FILENO;

/// `media_failed`: a full disk, say.
[[nodiscard]] error cannot_write(int libav_code);

/// Puts `bytes` where the last ones ended. `media_failed`.
[[nodiscard]] result<void> append_to_made(std::span<const std::byte> bytes);

/// FFmpeg's way to write it.
[[nodiscard]] io_owner made_file_writer();

struct made_reader_free {
    void operator()(AVIOContext* reader) const noexcept;
};
using made_reader_owner = std::unique_ptr<AVIOContext, made_reader_free>;

/// FFmpeg's way to read from the start what was written, while more is being written.
[[nodiscard]] made_reader_owner made_file_reader();

}  // namespace reelsd::media
