#pragma once

#include "arguments.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

namespace reelsd::media {

/// Puts a file of picture and a file of sound together in one MP4, which it writes to the
/// descriptor that is its standard input, an empty file. Nothing is decoded. Errors:
/// unsupported_format, video_too_long, media_failed (it cannot be written).
[[nodiscard]] result<joined_report> join(const arguments& given);

}  // namespace reelsd::media
