#pragma once

#include "video_maker.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace reelsd::media {

/// A decoded picture: packed RGB.
struct shown {
    int width = 0;
    int height = 0;
    std::string pixels;

    /// The sample at a position in shares of the sides.
    [[nodiscard]] int at(double x, double y, int channel) const;
    /// 'r', 'g', 'b', or '?' if none dominates.
    [[nodiscard]] char colour_at(double x, double y) const;
    /// Share of a column that has a colour.
    [[nodiscard]] double share_of_column(double x, char colour) const;
    [[nodiscard]] int brightest() const;
};

/// Decodes a JPEG with another decoder, in files of `maker`'s folder.
[[nodiscard]] shown decoded(const video_maker& maker, std::span<const std::byte> jpeg);

/// The source of a second of video: red above, blue at the lower left, green at the lower right.
/// Leaves the quotation mark of its filters open.
[[nodiscard]] std::string quarters(const std::string& size);

void expect_upright(const shown& picture);

}  // namespace reelsd::media
