#pragma once

#include "image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace reelsd::media::picture {

/// Finds hard cuts in the luma of all frames.
///
/// The score of a frame is the increase of its change over the change before, in percent of the
/// full range: in fast motion every frame changes, at a cut one does (the measure of FFmpeg's scdet
/// filter). A limit of 5 at 180 px: recall 0.97 at precision 1.00 (tests/bench/cuts_bench.py).
class cut_finder {
public:
    /// The next frame, in order of time; all of one size.
    void add(const view& luma, double seconds);

    /// The first frames of new scenes, ascending, at least 0.15 s apart.
    [[nodiscard]] std::vector<double> finish() const;

private:
    /// A cut, with the last picture before it while it may still be a flash.
    struct candidate {
        double seconds = 0;
        double jump = 0;  ///< Percent.
        std::vector<std::uint8_t> before;
    };

    [[nodiscard]] double usual_change(double seconds) const;
    [[nodiscard]] bool returns_to_before(double seconds, const std::vector<std::uint8_t>& now);

    std::vector<std::uint8_t> last_;
    bool has_change_ = false;  ///< Without it, cuts and motion are indistinguishable.
    double last_change_ = 0;
    double last_change_seconds_ = 0;
    std::vector<candidate> candidates_;
};

/// Finds hard cuts between scenes of equal brightness, which change colours but hardly the luma
/// that cut_finder compares. `pictures`: eight a second, ascending, of one size. `cuts`: the known
/// ones, ascending. Returns the moments halfway between two pictures, ascending, none near one of
/// `cuts`.
[[nodiscard]] std::vector<double> find_colour_jumps(
    std::span<const small_picture> pictures, std::span<const double> cuts);

/// Finds crossfades and fades through black. `pictures` and `cuts` as above. Returns their middles,
/// but of longer black half a second before its end; ascending, none within half a second of a hard
/// cut.
[[nodiscard]] std::vector<double> find_dissolves(
    std::span<const small_picture> pictures, std::span<const double> cuts);

/// Both in one ascending list.
[[nodiscard]] std::vector<double> merge_cuts(
    std::span<const double> cuts, std::span<const double> dissolves);

}  // namespace reelsd::media::picture
