#pragma once

#include "arguments.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

namespace reelsd::media {

/// Writes the video into the made file in the form that everything plays: see `media_client`.
/// Errors: unsupported_format, video_too_long, media_failed (it cannot be written).
[[nodiscard]] result<transcoded_report> transcode(const arguments& given);

}  // namespace reelsd::media
