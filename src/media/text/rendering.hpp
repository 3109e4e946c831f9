#pragma once

#include "lines.hpp"

namespace reelsd::media::text {

/// Height that capital letters are scaled to for the recogniser, in pixels.
inline constexpr double rendered_glyph_pixels = 40;

/// The line's letters in the top-hat from half of their level, everything else white: for text on a
/// complex background. Dark on white, with a white margin.
[[nodiscard]] plane render_letters(const text_line& line, const plane& tophat);

/// A rectangle of a plane: black from `level` on, white up to a quarter of it. `part` contains only
/// the rectangle.
[[nodiscard]] plane render_cut(const plane& part, double level, double glyph_height);

/// A rectangle of a grey plane in which text is light, stretched to full contrast and inverted.
[[nodiscard]] plane render_grey(const plane& part, double glyph_height);

/// The pixels of `area`, which must be within `source`.
[[nodiscard]] plane cropped(const plane& source, const box& area);

/// `source` at `factor` times its size: area average when smaller, linear when larger.
[[nodiscard]] plane scaled(const plane& source, double factor);

}  // namespace reelsd::media::text
