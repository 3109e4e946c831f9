#include "detector.hpp"

#include <array>

namespace reelsd::media::text {

namespace {

constexpr std::array<std::uint8_t, 3> thresholds{45, 90, 140};

/// Contrast of letters from which the score is full.
constexpr double full_level = 160;
/// Stroke width of a plain font as a share of its height; outlines of letters have less.
constexpr double full_stroke = 0.12;

/// Score of a view of a line: regularity, contrast, and the share of its width in letters.
double view_quality(const text_line& line) {
    double width = 0;
    double stroke = 0;
    for (std::size_t i = 0; i < line.letters_tall; ++i) {
        width += line.letters[i].bounds.width();
        stroke += line.letters[i].stroke;
    }
    stroke /= static_cast<double>(line.letters_tall) * line.glyph_height;
    const double contrast = 0.5 + 0.5 * std::min(1.0, line.level / full_level);
    const double weight = 0.5 + 0.5 * std::min(1.0, stroke / full_stroke);
    return line.score * (1 - 2 * line.open_share) * contrast * weight * width;
}

}  // namespace

void line_detector::split(const rgb_frame& frame) {
    for (auto& each : channels_) each.grey.resize(frame.width, frame.height);
    for (int y = 0; y < frame.height; ++y) {
        const std::uint8_t* pixel = frame.pixels + frame.stride * y;
        std::uint8_t* luma = channels_[0].grey.row(y);
        std::uint8_t* inverted = channels_[1].grey.row(y);
        std::uint8_t* least = channels_[2].grey.row(y);
        for (int x = 0; x < frame.width; ++x, pixel += 3) {
            // Weights of BT.601 in 256ths.
            const unsigned value = (77U * pixel[0] + 150U * pixel[1] + 29U * pixel[2] + 128U) >> 8U;
            luma[x] = static_cast<std::uint8_t>(value);
            inverted[x] = static_cast<std::uint8_t>(255U - value);
            least[x] = std::min({pixel[0], pixel[1], pixel[2]});
        }
    }
}

std::vector<candidate> line_detector::find(const rgb_frame& frame) {
    split(frame);
    std::vector<text_line> lines;
    for (std::size_t i = 0; i < channel_count; ++i) {
        channel_planes& each = channels_[i];
        tophat_.apply(each.grey, each.tophat);
        for (const std::uint8_t threshold : thresholds) {
            auto found = group_lines(find_components(each.tophat, threshold), each.tophat, frame);
            for (text_line& line : found) {
                line.channel = static_cast<int>(i);
                lines.push_back(std::move(line));
            }
        }
    }
    return merge_views(std::move(lines));
}

std::vector<candidate> merge_views(std::vector<text_line> lines) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < lines.size(); ++i) order.emplace_back(-view_quality(lines[i]), i);
    std::sort(order.begin(), order.end());
    std::vector<candidate> merged;
    for (const auto& [quality, index] : order) {
        text_line& line = lines[index];
        const auto home = std::find_if(merged.begin(), merged.end(), [&](const candidate& each) {
            return same_place(each.line.bounds, line.bounds);
        });
        if (home == merged.end()) {
            if (merged.size() < candidates_max)
                merged.push_back({.line = std::move(line), .others = {}});
        } else if (
            home->others.size() < other_views_max &&
            line.bounds.width() * 10 >= home->line.bounds.width() * 7) {
            home->others.push_back(std::move(line));
        }
    }
    return merged;
}

}  // namespace reelsd::media::text
