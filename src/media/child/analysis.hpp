#pragma once

#include "arguments.hpp"
#include <reelsd/media/report.hpp>

namespace reelsd::media {

/// The questions about a video. Each opens the file (and models), closes the jail around this
/// process for good, and only then looks at the video. Errors: those of `media_client`'s
/// documentation.
[[nodiscard]] result<probe_report> probe(const arguments& given);
[[nodiscard]] result<analysis_report> analyze(const arguments& given);
[[nodiscard]] result<thumbnail_report> thumbnail(const arguments& given);

}  // namespace reelsd::media
