#include "detector.hpp"

#include <algorithm>
#include <cmath>

namespace reelsd::media::text {
namespace {

constexpr float core_probability = 0.3F;  // As the network was trained.
constexpr double box_probability = 0.5;   // Mean in the core's rectangle.
constexpr double core_side_min = 3;       // Pixels of the map.
constexpr double unclip_ratio = 1.5;      // As the network was trained: core to line.
constexpr double slant_max = 0.35;        // Radians, 20 degrees.
/// Width by height from which a core has a direction; shorter words are read upright.
constexpr double slanted_aspect_min = 2.5;
/// Pixels of a detection: a portrait frame of 9:16 is 416 pixels wide. Bounds time and memory.
constexpr double detection_pixels = 416.0 * 736.0;
constexpr int side_step = 32;  // The network halves its input five times.

/// The connected pixels around `start`, 4 neighbours each. Negates their values.
std::vector<int> take_piece(std::vector<float>& values, int width, int start) {
    std::vector<int> piece;
    const auto visit = [&](int at) {
        if (at < 0 || at >= static_cast<int>(values.size())) return;
        float& value = values[static_cast<std::size_t>(at)];
        if (value < core_probability) return;
        value = -value;
        piece.push_back(at);
    };
    visit(start);
    for (std::size_t i = 0; i < piece.size(); ++i) {
        const int at = piece[i];
        if (at % width > 0) visit(at - 1);
        if (at % width + 1 < width) visit(at + 1);
        visit(at - width);
        visit(at + width);
    }
    return piece;
}

/// Direction of a piece by its second moments; 0 when it has none.
double slant_of(const std::vector<int>& piece, int width) {
    const auto mean = [&](auto value) {
        double sum = 0;
        for (const int at : piece) sum += value(at % width, at / width);
        return sum / static_cast<double>(piece.size());
    };
    const double x = mean([](double across, double) { return across; });
    const double y = mean([](double, double down) { return down; });
    const double xx = mean([&](double across, double) { return (across - x) * (across - x); });
    const double yy = mean([&](double, double down) { return (down - y) * (down - y); });
    const double xy = mean([&](double across, double down) { return (across - x) * (down - y); });
    if (xx < slanted_aspect_min * slanted_aspect_min * yy) return 0;
    const double slant = 0.5 * std::atan2(2 * xy, xx - yy);
    return std::abs(slant) > slant_max ? 0 : slant;
}

/// The smallest rectangle around the piece, with sides in the direction of the piece.
rotated_box rectangle_of(const std::vector<int>& piece, int width) {
    const double slant = slant_of(piece, width);
    const double cosine = std::cos(slant);
    const double sine = std::sin(slant);
    std::array<double, 2> along{1e9, -1e9};
    std::array<double, 2> across{1e9, -1e9};
    for (const int at : piece) {
        const double x = at % width + 0.5;
        const double y = at / width + 0.5;
        along = {
            std::min(along[0], x * cosine + y * sine), std::max(along[1], x * cosine + y * sine)};
        across = {
            std::min(across[0], y * cosine - x * sine), std::max(across[1], y * cosine - x * sine)};
    }
    const double u = (along[0] + along[1]) / 2;
    const double v = (across[0] + across[1]) / 2;
    return {
        .centre_x = u * cosine - v * sine,
        .centre_y = u * sine + v * cosine,
        .width = along[1] - along[0] + 1,
        .height = across[1] - across[0] + 1,
        .slant = slant};
}

/// Whether they are neighbours on one row, closer than 0.7 of their height.
bool continues(const rotated_box& a, const rotated_box& b) {
    const double low = std::min(a.height, b.height);
    const double high = std::max(a.height, b.height);
    if (high > 2 * low || std::abs(a.slant - b.slant) > 0.1) return false;
    const double dx = b.centre_x - a.centre_x;
    const double dy = b.centre_y - a.centre_y - dx * std::tan((a.slant + b.slant) / 2);
    const double gap = std::abs(dx) - (a.width + b.width) / 2;
    return std::abs(dy) < 0.3 * high && gap < 0.7 * high && gap > -low;
}

}  // namespace

std::vector<rotated_box> boxes_of(const probability_map& map) {
    std::vector<float> values{map.values.begin(), map.values.end()};
    std::vector<rotated_box> boxes;
    for (int at = 0; at < static_cast<int>(values.size()); ++at) {
        const auto piece = take_piece(values, map.width, at);
        if (piece.empty()) continue;
        rotated_box found = rectangle_of(piece, map.width);
        if (std::min(found.width, found.height) < core_side_min) continue;
        double probability = 0;
        for (const int pixel : piece) probability += map.values[static_cast<std::size_t>(pixel)];
        if (probability < box_probability * found.width * found.height) continue;
        // The distance by which the lines of the training data were shrunk to their cores.
        const double margin =
            unclip_ratio * found.width * found.height / (2 * (found.width + found.height));
        found.width += 2 * margin;
        found.height += 2 * margin;
        boxes.push_back(found);
    }
    std::stable_sort(boxes.begin(), boxes.end(), [](const rotated_box& a, const rotated_box& b) {
        return a.width * a.height > b.width * b.height;
    });
    if (boxes.size() > lines_max) boxes.resize(lines_max);
    return boxes;
}

std::vector<rotated_box> join_rows(std::vector<rotated_box> boxes) {
    for (auto line = boxes.begin(); line != boxes.end();) {
        const auto part = std::find_if(line + 1, boxes.end(), [&](const rotated_box& other) {
            return continues(*line, other);
        });
        if (part == boxes.end()) {
            ++line;
            continue;
        }
        *line = joined(*line, *part);
        boxes.erase(part);
        line = boxes.begin();
    }
    return boxes;
}

std::vector<rotated_box> line_detector::find(const picture::view& frame, rows within) {
    const double scale = std::min(1.0, std::sqrt(detection_pixels / frame.width / frame.height));
    const auto to_steps = [](double side) {
        return side_step * std::max(1, static_cast<int>(std::lround(side / side_step)));
    };
    const int whole_height = to_steps(frame.height * scale);
    const double down = static_cast<double>(frame.height) / whole_height;
    probability_map map{.width = to_steps(frame.width * scale)};
    // More rows than requested, so that the scale is that of the whole frame.
    map.height =
        std::min(whole_height, to_steps((within.bottom - within.top) / down + side_step / 2.0 - 1));
    const double height = map.height * down;
    const rotated_box area{
        .centre_x = frame.width / 2.0,
        .centre_y =
            std::clamp((within.top + within.bottom) / 2.0, height / 2, frame.height - height / 2),
        .width = static_cast<double>(frame.width),
        .height = height};
    // Means of 0.485, 0.456, 0.406 and deviations of 0.229, 0.224, 0.225 in the training.
    static constexpr std::array<picture::normalization, 3> channels{
        {{1 / 58.395F, -2.1179F}, {1 / 57.12F, -2.0357F}, {1 / 57.375F, -1.8044F}}};
    picture::sample(
        frame, {.area = area, .width = map.width, .height = map.height}, channels, input_);
    const auto output = network_.run(input_, map.height, map.width);
    map.values = output.values;
    auto boxes = boxes_of(map);
    for (rotated_box& each : boxes) {
        each.centre_x *= area.width / map.width;
        each.width *= area.width / map.width;
        each.centre_y = each.centre_y * down + area.centre_y - height / 2;
        each.height *= down;
    }
    return join_rows(std::move(boxes));
}

}  // namespace reelsd::media::text
