#pragma once

#include "libav.hpp"
#include <reelsd/base/result.hpp>

#include <unistd.h>

#include <cstddef>
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

}  // namespace reelsd::media
