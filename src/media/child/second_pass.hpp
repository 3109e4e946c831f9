#pragma once

#include "../text/text_reader.hpp"
#include "first_pass.hpp"
#include "thumbnail_maker.hpp"
#include <reelsd/media/report.hpp>

#include <vector>

namespace reelsd::media {

struct seen {
    std::vector<timed_text> texts;
    picture_report picture;
};

/// Decodes all pictures, once: every one for cuts and `thumbnails`, eight a second for light and
/// colours, four a second for `reader`. Opens the container again: a decoder that was used and a
/// seek in a broken index differ from file to file, a fresh start does not. `video_too_long` when
/// pictures continue past the limit; `unsupported_format` when none decodes.
[[nodiscard]] result<seen> run_second_pass(
    const input_file& file, const first_pass& known, double seconds_max, text::text_reader& reader,
    thumbnail_maker& thumbnails);

}  // namespace reelsd::media
