#include "tracker.hpp"

#include "rendering.hpp"

#include <cmath>
#include <cstdlib>

namespace reelsd::media::text {

namespace {

constexpr int missed_max = 3;          // Frames, 0.75 s: a flicker of the detector.
constexpr double strong_score = 0.72;  // A line with this score is read immediately.
constexpr int fresh_lines_max = 4;     // New ones in a frame; texture brings more.
constexpr std::size_t followed_max = 200;
constexpr double shift_max_pixels = 140;  // In a quarter of a second, of a line that moves.

bool alike(int a, int b, double tolerance) {
    return std::abs(a - b) <= tolerance * std::max(a, b);
}

/// Whether the sizes differ by at most a quarter and the distance is one step of a moving line.
bool within_reach(const box& a, const box& b) {
    if (!alike(a.height(), b.height(), 0.25) || !alike(a.width(), b.width(), 0.2)) return false;
    const double dx = (a.left + a.right - b.left - b.right) / 2.0;
    const double dy = (a.top + a.bottom - b.top - b.bottom) / 2.0;
    return std::hypot(dx, dy) <= shift_max_pixels;
}

bool at_same_spot(const box& a, const box& b) {
    const int slack = std::max(4, std::min(a.height(), b.height()) / 6);
    return std::abs(a.left - b.left) <= slack && std::abs(a.right - b.right) <= slack &&
           std::abs(a.top - b.top) <= slack && std::abs(a.bottom - b.bottom) <= slack;
}

/// Keeps the least top-hat value at each pixel of the line, which removes a moving background.
void keep_steady(track& line, const line_detector& planes) {
    const plane& tophat = planes.channel(line.line.channel).tophat;
    const box area = padded(
        line.line.bounds,
        static_cast<int>(line.line.glyph_height / 2) + 2,
        tophat.width,
        tophat.height);
    if (area != line.steady_area) {
        line.steady_area = area;
        line.steady = cropped(tophat, area);
        return;
    }
    for (int y = 0; y < line.steady.height; ++y) {
        std::uint8_t* kept = line.steady.row(y);
        const std::uint8_t* now = tophat.row(area.top + y) + area.left;
        for (int x = 0; x < line.steady.width; ++x) kept[x] = std::min(kept[x], now[x]);
    }
}

void take_view(track& line, const candidate& found, const signature& mask, const rgb_frame& frame) {
    line.line = found.line;
    line.mask = mask;
    line.mark = glyph_template_of(found.line, frame);
}

}  // namespace

line_tracker::followed* line_tracker::explained_by(const candidate& found) {
    for (followed& each : followed_) {
        if (!each.present) continue;
        const box& known = each.line.line.bounds;
        if (!same_place(known, found.line.bounds)) continue;
        // Wider by more than a letter: it has grown, and becomes another line.
        const double slack = 0.6 * each.line.line.glyph_height;
        if (found.line.bounds.left < known.left - slack ||
            found.line.bounds.right > known.right + slack) {
            continue;
        }
        return &each;
    }
    return nullptr;
}

line_tracker::followed* line_tracker::moved_from(const candidate& found, const signature& mask) {
    followed* nearest = nullptr;
    double best = same_signature_correlation;
    for (followed& each : followed_) {
        if (each.present || !within_reach(each.line.line.bounds, found.line.bounds)) continue;
        const double match = correlation(each.line.mask, mask);
        if (match > best) {
            best = match;
            nearest = &each;
        }
    }
    return nearest;
}

void line_tracker::place(const candidate& found, const rgb_frame& frame, double seconds) {
    if (followed* known = explained_by(found)) {
        if (known->view == nullptr) known->view = &found;
        return;
    }
    const signature mask = signature_of(found.line);
    if (followed* known = moved_from(found, mask)) {
        track& line = known->line;
        const bool still = at_same_spot(line.line.bounds, found.line.bounds);
        // The same position with other letters: "Part 1" became "Part 2", or the picture flickers.
        if (still && known->seen.gone > 0)
            line.next_reading = std::min(line.next_reading, line.sightings + 1);
        line.moved = line.moved || !still;
        take_view(line, found, mask, frame);
        known->present = true;
        known->view = &found;
        return;
    }
    if (followed_.size() >= followed_max) return;
    followed& fresh = followed_.emplace_back();
    fresh.present = true;
    fresh.view = &found;
    fresh.line.first_seconds = seconds;
    fresh.line.next_reading = found.line.score >= strong_score ? 1 : 2;
    if (found.line.letters_tall < 2) fresh.line.next_reading = 3;
    take_view(fresh.line, found, mask, frame);
}

void line_tracker::delay_crowd(double seconds) {
    const auto is_fresh = [&](const followed& each) { return each.line.first_seconds == seconds; };
    if (std::count_if(followed_.begin(), followed_.end(), is_fresh) <= fresh_lines_max) return;
    for (followed& each : followed_) {
        if (is_fresh(each)) each.line.next_reading = std::max(each.line.next_reading, 2);
    }
}

std::vector<observation> line_tracker::update(
    const std::vector<candidate>& candidates, const line_detector& planes, const rgb_frame& frame,
    double seconds, std::vector<track>& ended) {
    for (followed& each : followed_) {
        each.seen = persists(each.line.mark, frame);
        each.present = each.seen.whole;
        each.view = nullptr;
    }
    for (const candidate& found : candidates) place(found, frame, seconds);
    delay_crowd(seconds);

    std::vector<observation> seen;
    for (auto at = followed_.begin(); at != followed_.end();) {
        track& line = at->line;
        if (at->present) {
            line.missed = 0;
            line.last_seconds = seconds;
            ++line.sightings;
            keep_steady(line, planes);
            seen.push_back({&line, at->view});
        } else if (++line.missed > missed_max) {
            ended.push_back(std::move(line));
            at = followed_.erase(at);
            continue;
        }
        ++at;
    }
    return seen;
}

std::vector<track> line_tracker::release() {
    std::vector<track> all;
    for (followed& each : followed_) all.push_back(std::move(each.line));
    followed_.clear();
    return all;
}

}  // namespace reelsd::media::text
