#pragma once

#include "../text/text_reader.hpp"
#include "container.hpp"
#include "first_pass.hpp"
#include <reelsd/media/report.hpp>

#include <vector>

namespace reelsd::media {

struct seen {
    std::vector<timed_text> texts;
    picture_report picture;
};

/// Decodes all pictures, once: every one for cuts, eight a second for light and colours, four a
/// second for `reader`. `video_too_long` when they go on past the limit; `unsupported_format` when
/// none decodes.
[[nodiscard]] result<seen> run_second_pass(
    container& from, const first_pass& known, double seconds_max, text::text_reader& reader);

}  // namespace reelsd::media
