#include "tracker.hpp"

#include "text_normalizer.hpp"
#include "text_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reelsd::media::text {
namespace {

constexpr double same_correlation = 0.9;    // Of one text, compressed, on a still background.
constexpr double tolerance_min = 0.5;       // Another text of the same length has less.
constexpr double moved_correlation = 0.75;  // At another place, by the detector's rectangle.
constexpr double shift_max_pixels = 140;    // In a quarter of a second, of a line that moves.
constexpr int missed_max = 6;               // Frames, 1.5 s.
constexpr std::size_t tracks_max = 100;
constexpr std::size_t ended_max = 5000;  // Of one video: 15 MB.
constexpr std::size_t readings_max = 8;  // In a frame; more is texture, or waits.
constexpr int uncertain_readings_max = 3;
constexpr int fade_frames = 4;  // A fade into another text; a reading in its midst is repeated.

bool alike(double a, double b, double tolerance) {
    return std::abs(a - b) <= tolerance * std::max(a, b);
}

/// Whether both can be one line: their edges differ by less than a letter.
bool same_place(const rotated_box& a, const rotated_box& b) {
    const double letter = 0.5 * std::min(a.height, b.height);
    return alike(a.height, b.height, 0.35) && std::abs(a.centre_y - b.centre_y) < letter &&
           std::abs((a.centre_x - a.width / 2) - (b.centre_x - b.width / 2)) < letter &&
           std::abs((a.centre_x + a.width / 2) - (b.centre_x + b.width / 2)) < letter;
}

/// Whether `part` grew into `whole` or was replaced by it.
bool replaces(const rotated_box& whole, const rotated_box& part) {
    const picture::box inner = part.bounds();
    const int shared = picture::intersection(whole.bounds(), inner).area();
    return !same_place(whole, part) && shared * 10 > inner.area() * 6;
}

track start(const rotated_box& place, const signature& mark, double seconds) {
    return {
        .first_place = place,
        .place = place,
        .mark = mark,
        .tolerance = same_correlation,
        .first_seconds = seconds,
        .last_seconds = seconds,
        .still = true,
        .seen = true,
        .due = true};
}

}  // namespace

void line_tracker::compare(const picture::view& frame) {
    for (track& each : tracks_) {
        const signature mark = signature_of(frame, each.place);
        each.still = each.seen = picture::least_correlation(mark, each.mark) >= each.tolerance;
    }
}

std::vector<rows> line_tracker::changed_rows(std::vector<bool> changed) const {
    const int frame_height = static_cast<int>(changed.size());
    for (const track& each : tracks_) {
        if (each.still) continue;
        const picture::box bounds = each.place.bounds();
        const int margin = static_cast<int>(0.6 * each.place.height);
        const int bottom = std::min(frame_height, bounds.bottom + margin);
        for (int y = std::max(0, bounds.top - margin); y < bottom; ++y)
            changed[static_cast<std::size_t>(y)] = true;
    }
    std::vector<rows> areas;
    auto end = changed.begin();
    while (true) {
        const auto begin = std::find(end, changed.end(), true);
        if (begin == changed.end()) return areas;
        end = std::find(begin, changed.end(), false);
        areas.push_back(
            {static_cast<int>(begin - changed.begin()), static_cast<int>(end - changed.begin())});
    }
}

track* line_tracker::moved_to(const rotated_box& found, const signature& mark) {
    track* nearest = nullptr;
    double best = moved_correlation;
    for (track& each : tracks_) {
        const double distance =
            std::hypot(each.place.centre_x - found.centre_x, each.place.centre_y - found.centre_y);
        const double match = picture::correlation(each.mark, mark);
        if (each.seen || each.missed > 1 || distance > shift_max_pixels || match <= best ||
            !alike(each.place.height, found.height, 0.25) ||
            !alike(each.place.width, found.width, 0.2)) {
            continue;
        }
        best = match;
        nearest = &each;
    }
    return nearest;
}

void line_tracker::place(
    const rotated_box& found, const picture::view& frame, const picture::view& before,
    double seconds) {
    const signature mark = signature_of(frame, found);
    const auto known = std::find_if(tracks_.begin(), tracks_.end(), [&](const track& each) {
        return same_place(each.place, found);
    });
    track* line = known == tracks_.end() ? moved_to(found, mark) : &*known;
    if (line != nullptr) {
        if (line->still) return;
        const bool changed = picture::least_correlation(line->mark, mark) < line->tolerance;
        line->due = line->due || (changed && known != tracks_.end());
        line->seen = true;
        line->place = found;
        if (!line->due) line->mark = mark;
        return;
    }
    if (tracks_.size() >= tracks_max) return;
    track& fresh = tracks_.emplace_back(start(found, mark, seconds));
    // The rows of a new line may not have been looked at in the frame before.
    if (before.pixels != nullptr &&
        picture::correlation(signature_of(before, found), mark) >= same_correlation) {
        fresh.first_seconds -= 1 / frames_per_second;
    }
}

void line_tracker::update(
    const std::vector<rotated_box>& found, const picture::view& frame, const picture::view& before,
    double seconds) {
    for (const rotated_box& each : found) place(each, frame, before, seconds);
    remove_ended(found);
    for (track& each : tracks_) {
        // A line that changed may be another text: take() decides.
        if (!each.seen || (each.due && each.readings > 0)) continue;
        each.last_seconds = seconds;
        ++each.sightings;
        const bool uncertain =
            each.reading.confidence < sure_confidence && each.readings < uncertain_readings_max;
        each.due = each.due || (uncertain && each.sightings == 2 * each.readings) ||
                   each.sightings == each.changed_sightings + fade_frames;
    }
}

void line_tracker::remove_ended(const std::vector<rotated_box>& found) {
    for (auto at = tracks_.begin(); at != tracks_.end();) {
        const auto each = at++;
        each->missed = each->seen ? 0 : each->missed + 1;
        const bool replaced =
            std::any_of(found.begin(), found.end(), [&](const rotated_box& other) {
                return replaces(other, each->place);
            });
        if (!replaced && each->missed <= missed_max) continue;
        if (each->readings > 0 && ended_.size() < ended_max) ended_.push_back(std::move(*each));
        tracks_.erase(each);
    }
}

std::vector<track*> line_tracker::due() {
    std::vector<track*> waiting;
    for (track& each : tracks_) {
        if (each.seen && each.due) waiting.push_back(&each);
    }
    std::ranges::stable_sort(waiting, {}, &track::readings);
    if (waiting.size() > readings_max) waiting.resize(readings_max);
    return waiting;
}

void line_tracker::take(
    track& line, line_reading reading, const picture::view& frame, double seconds) {
    const signature mark = signature_of(frame, line.place);
    const double match = picture::least_correlation(line.mark, mark);
    const bool faded = line.sightings == line.changed_sightings + fade_frames;
    // A similar picture with another text is more often a misreading.
    const double similar = faded || match < moved_correlation ? same_text_similarity : 0.6;
    const bool is_clear = reading.confidence >= certain_confidence;
    const bool certain = line.sightings >= certain_frames && is_clear &&
                         line.reading.confidence >= certain_confidence;
    const bool same = same_text(line.reading.text, reading.text, similar) &&
                      (!certain || begins(line.reading.text, reading.text));
    if (line.readings > 0 && !same && (certain || match < same_correlation)) {
        if (ended_.size() < ended_max) ended_.push_back(line);
        const double fade_seconds = faded && is_clear ? fade_frames / frames_per_second : 0.0;
        line = start(line.place, mark, seconds - fade_seconds / 2);
    } else if (line.readings > 0 && match < line.tolerance) {
        // The background changed, the text did not: the next reading needs a greater change.
        line.tolerance = std::max(tolerance_min, match - 0.05);
        line.changed_sightings = line.sightings;
    }
    if (line.last_seconds < seconds || line.sightings == 0) ++line.sightings;
    line.last_seconds = seconds;
    line.mark = mark;
    ++line.readings;
    line.due = false;
    if (reading.confidence > line.reading.confidence) line.reading = std::move(reading);
}

std::vector<track> line_tracker::release() {
    ended_.insert(ended_.end(), tracks_.begin(), tracks_.end());
    tracks_.clear();
    return std::exchange(ended_, {});
}

}  // namespace reelsd::media::text
