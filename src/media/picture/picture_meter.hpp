#pragma once

#include "colour_names.hpp"
#include "thumbnail.hpp"
#include <reelsd/media/report.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace reelsd::media::picture {

/// Measures light, colour and motion over the small coloured pictures of a video.
class picture_meter {
public:
    /// The next picture, in order of time, with the thumbnail of the one before it (null for the
    /// first). Packed RGB.
    void add(const view& rgb, const thumbnail& now, const thumbnail* before);

    /// Fills all but `cuts`, from which it reads where motion is none: a pair of pictures around a
    /// cut says nothing about motion.
    void finish(picture_report& report) const;

private:
    struct change {
        double from_seconds = 0;
        double to_seconds = 0;
        double amount = 0;
    };

    std::uint64_t pixels_ = 0;
    std::uint64_t luma_sum_ = 0;    ///< In 1/256 of a level.
    std::uint64_t spread_sum_ = 0;  ///< Of max(R,G,B) - min(R,G,B).
    colour_counts colours_{};
    std::vector<change> changes_;
};

}  // namespace reelsd::media::picture
