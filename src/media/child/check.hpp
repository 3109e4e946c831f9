#pragma once

#include "arguments.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

namespace reelsd::media {

/// What a model's answer is compared with: the sound's level and voice, and what is written in a
/// few pictures. Errors: unsupported_format, video_too_long, media_failed (no model to read with).
[[nodiscard]] result<check_report> check(const arguments& given);

}  // namespace reelsd::media
