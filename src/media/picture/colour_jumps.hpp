#pragma once

#include "thumbnail.hpp"

#include <span>
#include <vector>

namespace reelsd::media::picture {

/// Finds hard cuts between scenes of the same brightness, which show in the colours alone: the luma
/// that cut_finder sees hardly changes there. `pictures`: eight a second, ascending, of one size;
/// `cuts`: those that were found already, ascending. Gives the moments halfway between two
/// pictures, ascending, none near one of `cuts`.
[[nodiscard]] std::vector<double> find_colour_jumps(
    std::span<const thumbnail> pictures, std::span<const double> cuts);

}  // namespace reelsd::media::picture
