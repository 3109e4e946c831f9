#pragma once

#include "arguments.hpp"
#include <reelsd/media/report.hpp>

namespace reelsd::media {

/// The two questions about a video. Both open the file (and models), close the jail around this
/// process for good, and only then look at the video. Errors: those of `media_client`'s
/// documentation.
[[nodiscard]] result<probe_report> probe(const arguments& given);
[[nodiscard]] result<analysis_report> analyze(const arguments& given);

}  // namespace reelsd::media
