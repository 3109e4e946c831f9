#include "rendering.hpp"

#include <cmath>
#include <cstring>

namespace reelsd::media::text {

namespace {

constexpr int margin_pixels = 12;         // White around the line, which Tesseract needs.
constexpr double factor_max = 4;          // A larger factor does not improve 9 pixel letters.
constexpr int rendered_width_max = 4000;  // Bound on memory: a full row of the smallest letters.

struct tap {
    int first = 0;
    std::vector<float> weights;
};

/// Weights of a triangle filter that maps `from` pixels to `to`.
std::vector<tap> taps(int from, int to) {
    const double step = static_cast<double>(from) / to;
    const double support = std::max(1.0, step);
    std::vector<tap> all(static_cast<std::size_t>(to));
    for (int i = 0; i < to; ++i) {
        const double centre = (i + 0.5) * step - 0.5;
        tap& each = all[static_cast<std::size_t>(i)];
        each.first = std::max(0, static_cast<int>(std::ceil(centre - support)));
        const int last = std::min(from - 1, static_cast<int>(std::floor(centre + support)));
        float sum = 0;
        for (int j = each.first; j <= last; ++j) {
            const auto weight = static_cast<float>(1 - std::abs(j - centre) / support);
            each.weights.push_back(weight);
            sum += weight;
        }
        if (sum <= 0) {
            each.first = std::clamp(static_cast<int>(std::lround(centre)), 0, from - 1);
            each.weights.assign(1, 1.0F);
            sum = 1;
        }
        for (float& weight : each.weights) weight /= sum;
    }
    return all;
}

plane with_margin(const plane& inner) {
    plane outer{inner.width + 2 * margin_pixels, inner.height + 2 * margin_pixels, 255};
    for (int y = 0; y < inner.height; ++y) {
        std::memcpy(
            outer.row(y + margin_pixels) + margin_pixels,
            inner.row(y),
            static_cast<std::size_t>(inner.width));
    }
    return outer;
}

plane at_reading_size(const plane& dark_on_white, double glyph_height) {
    double factor = std::min(factor_max, rendered_glyph_pixels / std::max(1.0, glyph_height));
    factor = std::min(factor, static_cast<double>(rendered_width_max) / dark_on_white.width);
    return with_margin(scaled(dark_on_white, factor));
}

/// Ink of a top-hat value: 255 (white) up to a quarter of the level, 0 (black) from three quarters.
std::uint8_t ink(int value, double level) {
    const double share = (value - 0.25 * level) / (0.5 * level);
    return static_cast<std::uint8_t>(std::lround(255 * (1 - std::clamp(share, 0.0, 1.0))));
}

}  // namespace

plane cropped(const plane& source, const box& area) {
    plane part{area.width(), area.height()};
    for (int y = 0; y < part.height; ++y) {
        std::memcpy(
            part.row(y),
            source.row(area.top + y) + area.left,
            static_cast<std::size_t>(part.width));
    }
    return part;
}

plane scaled(const plane& source, double factor) {
    const int width = std::max(1, static_cast<int>(std::lround(source.width * factor)));
    const int height = std::max(1, static_cast<int>(std::lround(source.height * factor)));
    const auto across = taps(source.width, width);
    const auto down = taps(source.height, height);
    std::vector<float> between(
        static_cast<std::size_t>(width) * static_cast<std::size_t>(source.height));
    for (int y = 0; y < source.height; ++y) {
        const std::uint8_t* row = source.row(y);
        float* target =
            between.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
        for (const tap& each : across) {
            float sum = 0;
            const std::uint8_t* from = row + each.first;
            for (const float weight : each.weights) sum += weight * static_cast<float>(*from++);
            *target++ = sum;
        }
    }
    plane result{width, height};
    std::vector<float> line(static_cast<std::size_t>(width));
    for (int y = 0; y < height; ++y) {
        const tap& each = down[static_cast<std::size_t>(y)];
        std::fill(line.begin(), line.end(), 0.0F);
        for (std::size_t k = 0; k < each.weights.size(); ++k) {
            const float* from = between.data() + (static_cast<std::size_t>(each.first) + k) *
                                                     static_cast<std::size_t>(width);
            for (std::size_t x = 0; x < line.size(); ++x) line[x] += each.weights[k] * from[x];
        }
        std::uint8_t* target = result.row(y);
        for (std::size_t x = 0; x < line.size(); ++x) {
            target[x] = static_cast<std::uint8_t>(std::clamp(line[x] + 0.5F, 0.0F, 255.0F));
        }
    }
    return result;
}

plane render_letters(const text_line& line, const plane& tophat) {
    box area = line.bounds;
    for (const component& piece : line.letters) area = united(area, piece.bounds);
    area = padded(area, 2, tophat.width, tophat.height);
    plane part{area.width(), area.height(), 255};
    for (const component& piece : line.letters) {
        for (const run& each : piece.runs) {
            // One more pixel on every side, for the soft rim of the letter.
            const int top = std::max(area.top, each.y - 1);
            const int bottom = std::min(area.bottom, each.y + 2);
            const int left = std::max(area.left, each.left - 1);
            const int right = std::min(area.right, each.right + 1);
            for (int y = top; y < bottom; ++y) {
                const std::uint8_t* from = tophat.row(y);
                std::uint8_t* to = part.row(y - area.top) - area.left;
                for (int x = left; x < right; ++x) to[x] = ink(from[x], piece.level);
            }
        }
    }
    return at_reading_size(part, line.glyph_height);
}

plane render_cut(const plane& part, double level, double glyph_height) {
    plane dark = part;
    for (std::uint8_t& value : dark.pixels) value = ink(value, level);
    return at_reading_size(dark, glyph_height);
}

plane render_grey(const plane& part, double glyph_height) {
    const auto [low, high] = std::minmax_element(part.pixels.begin(), part.pixels.end());
    const int least = *low;
    const int span = std::max(1, *high - least);
    plane dark = part;
    for (std::uint8_t& value : dark.pixels) {
        value = static_cast<std::uint8_t>(255 - (value - least) * 255 / span);
    }
    return at_reading_size(dark, glyph_height);
}

}  // namespace reelsd::media::text
