#pragma once

#include "thumbnail.hpp"

#include <span>
#include <vector>

namespace reelsd::media::picture {

/// Finds scene changes that take time: crossfades and fades through black. `pictures`: eight a
/// second, ascending, of one size; `cuts`: the hard cuts, ascending. Gives the middles, ascending,
/// none within half a second of a hard cut.
[[nodiscard]] std::vector<double> find_dissolves(
    std::span<const thumbnail> pictures, std::span<const double> cuts);

/// Hard cuts and dissolves in one ascending list.
[[nodiscard]] std::vector<double> merge_cuts(
    std::span<const double> cuts, std::span<const double> dissolves);

}  // namespace reelsd::media::picture
