#include "rotation.hpp"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

namespace reelsd::media::picture {
namespace {

struct place {
    int x = 0;
    int y = 0;
};

/// Where in the source the pixel at `at` of the turned picture comes from.
place source_of(place at, const view& source, quarter_turns turns) {
    switch (turns) {
        case quarter_turns::none: return at;
        case quarter_turns::right: return {at.y, source.height - 1 - at.x};
        case quarter_turns::half: return {source.width - 1 - at.x, source.height - 1 - at.y};
        case quarter_turns::left: return {source.width - 1 - at.y, at.x};
    }
    return at;
}

}  // namespace

quarter_turns quarter_turns_of(double degrees) noexcept {
    if (!std::isfinite(degrees)) return quarter_turns::none;
    const auto quarters = std::lround(std::fmod(degrees, 360.0) / 90.0);
    switch ((quarters + 4) % 4) {
        case 1: return quarter_turns::right;
        case 2: return quarter_turns::half;
        case 3: return quarter_turns::left;
        default: return quarter_turns::none;
    }
}

view turn_rgb(const view& rgb, quarter_turns turns, std::vector<std::uint8_t>& turned) {
    view result{.pixels = nullptr, .width = rgb.width, .height = rgb.height, .stride = 0};
    if (swaps_sides(turns)) std::swap(result.width, result.height);
    result.stride = std::ptrdiff_t{3} * result.width;
    turned.resize(static_cast<std::size_t>(result.stride * result.height));
    std::uint8_t* out = turned.data();
    for (int y = 0; y < result.height; ++y) {
        for (int x = 0; x < result.width; ++x, out += 3) {
            const place from = source_of({x, y}, rgb, turns);
            std::memcpy(out, rgb.row(from.y) + std::ptrdiff_t{3} * from.x, 3);
        }
    }
    result.pixels = turned.data();
    return result;
}

void turn_plane(
    const view& plane, quarter_turns turns, std::uint8_t* turned, std::ptrdiff_t stride) {
    const int width = swaps_sides(turns) ? plane.height : plane.width;
    const int height = swaps_sides(turns) ? plane.width : plane.height;
    for (int y = 0; y < height; ++y, turned += stride) {
        for (int x = 0; x < width; ++x) {
            const place from = source_of({x, y}, plane, turns);
            turned[x] = plane.row(from.y)[from.x];
        }
    }
}

}  // namespace reelsd::media::picture
