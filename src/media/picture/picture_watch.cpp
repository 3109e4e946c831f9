#include "picture_watch.hpp"

#include "sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace reelsd::media::picture {

std::vector<bool> picture_watch::changed_rows(const view& frame) {
    const int across = std::max(1, frame.width / cell_side);
    const int down = std::max(1, frame.height / cell_side);
    std::vector<float> now;
    sample(frame, {area_of(frame), across, down}, {}, now);
    // Letters differ from their surroundings; light that changes slowly does not.
    std::adjacent_difference(now.begin(), now.end(), now.begin());
    std::vector<bool> changed(static_cast<std::size_t>(frame.height), known_.size() != now.size());
    known_.resize(now.size());
    for (std::size_t at = 0; at < now.size(); ++at) {
        const bool has_neighbour = static_cast<int>(at) % across > 0;
        if (!has_neighbour || std::abs(now[at] - known_[at]) < change_min) continue;
        const int row = static_cast<int>(at) / across % down * frame.height / down;
        const auto first = changed.begin() + std::max(0, row - margin);
        const auto last = std::min(frame.height, row + cell_side + margin);
        std::fill(first, changed.begin() + last, true);
    }
    for (std::size_t at = 0; at < now.size(); ++at) {
        const int row = static_cast<int>(at) / across % down * frame.height / down;
        if (changed[static_cast<std::size_t>(row)]) known_[at] = now[at];
    }
    return changed;
}

}  // namespace reelsd::media::picture
