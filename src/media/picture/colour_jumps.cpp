#include "colour_jumps.hpp"

#include <algorithm>
#include <cstddef>

namespace reelsd::media::picture {
namespace {

/// Mean difference of all samples, 0 to 1; measured on scenes of equal brightness: 0.08 and more.
constexpr double jump_min = 0.05;
/// Motion goes on before or after; a cut happens once.
constexpr double neighbour_share_max = 0.3;
/// It is a flash of coloured light when the picture comes back within three pictures, 3/8 s.
constexpr std::size_t flash_length_max = 3;
constexpr double flash_rest_max = 0.3;
/// Half of the distance between two pictures on either side, and the time of a picture.
constexpr double known_cut_seconds = 0.25;

bool is_near(std::span<const double> times, double seconds) {
    return std::any_of(times.begin(), times.end(), [seconds](double at) {
        return at >= seconds - known_cut_seconds && at <= seconds + known_cut_seconds;
    });
}

/// Whether the jump to picture `at` begins or ends a flash.
bool is_of_flash(std::span<const thumbnail> pictures, std::size_t at, double jump) {
    const double rest_max = flash_rest_max * jump;
    const auto last = std::min(at + flash_length_max, pictures.size() - 1);
    for (auto later = at + 1; later <= last; ++later) {
        if (difference(pictures[at - 1], pictures[later]) < rest_max) return true;
    }
    const auto first = at - std::min(at, flash_length_max + 1);
    for (auto earlier = first; earlier + 1 < at; ++earlier) {
        if (difference(pictures[earlier], pictures[at]) < rest_max) return true;
    }
    return false;
}

/// Whether a new scene begins with picture `at`, which has two before it and one behind it.
bool is_jump(std::span<const thumbnail> pictures, std::size_t at) {
    const double jump = difference(pictures[at - 1], pictures[at]);
    if (jump < jump_min) return false;
    const double bound = neighbour_share_max * jump;
    if (difference(pictures[at - 2], pictures[at - 1]) > bound) return false;
    if (difference(pictures[at], pictures[at + 1]) > bound) return false;
    return !is_of_flash(pictures, at, jump);
}

}  // namespace

std::vector<double> find_colour_jumps(
    std::span<const thumbnail> pictures, std::span<const double> cuts) {
    std::vector<double> found;
    for (std::size_t at = 2; at + 1 < pictures.size(); ++at) {
        const double seconds = (pictures[at - 1].seconds + pictures[at].seconds) / 2;
        if (!is_near(cuts, seconds) && is_jump(pictures, at)) found.push_back(seconds);
    }
    return found;
}

}  // namespace reelsd::media::picture
