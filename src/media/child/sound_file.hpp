#pragma once

#include "arguments.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

#include <optional>

namespace reelsd::media {

/// Writes the whole sound into the made file, as a WAVE file; nothing without sound that can be
/// decoded. Errors: unsupported_format, video_too_long, media_failed (it cannot be written).
[[nodiscard]] result<std::optional<sound_report>> sound_file(const arguments& given);

}  // namespace reelsd::media
