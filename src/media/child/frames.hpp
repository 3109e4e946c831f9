#pragma once

#include "arguments.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

namespace reelsd::media {

/// Writes still pictures of the whole video into the made file, one JPEG after the other. Errors:
/// unsupported_format, video_too_long, media_failed (it cannot be written).
[[nodiscard]] result<frames_report> frames(const arguments& given);

/// When the pictures are taken, in seconds: see `frame_request`. At least one.
[[nodiscard]] std::vector<double> frame_moments(
    double duration_seconds, const frame_request& wanted);

}  // namespace reelsd::media
