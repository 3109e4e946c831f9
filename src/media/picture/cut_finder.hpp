#pragma once

#include "view.hpp"

#include <cstdint>
#include <vector>

namespace reelsd::media::picture {

/// Finds hard cuts in the luma of all frames.
///
/// The score of a frame is how much more it differs from the frame before than that one did from
/// its own, in percent of the full range: fast motion differs always, a cut differs once (the
/// measure of FFmpeg's scdet filter). 5 at 180 px: recall 0.97 at precision 1.00
/// (tests/bench/cuts_bench.py).
class cut_finder {
public:
    /// The next frame, in order of time; all of one size.
    void add(const view& luma, double seconds);

    /// The first frames of new scenes, ascending, at least 0.15 s apart.
    [[nodiscard]] std::vector<double> finish() const;

private:
    /// A cut, with the last picture before it for as long as it may still prove to be a flash.
    struct candidate {
        double seconds = 0;
        double jump = 0;  ///< Percent.
        std::vector<std::uint8_t> before;
    };

    [[nodiscard]] double usual_change(double seconds) const;
    [[nodiscard]] bool returns_to_before(double seconds, const std::vector<std::uint8_t>& now);

    std::vector<std::uint8_t> last_;
    bool has_change_ = false;  ///< Before it, nothing tells a cut from motion.
    double last_change_ = 0;
    double last_change_seconds_ = 0;
    std::vector<candidate> candidates_;
};

}  // namespace reelsd::media::picture
