#include "timeline.hpp"

#include "text_normalizer.hpp"
#include "text_reader.hpp"

#include <algorithm>
#include <cmath>

namespace reelsd::media::text {
namespace {

constexpr double same_text_gap_seconds = 0.8;    // A caption that was not found for a few frames.
constexpr double handle_gap_seconds = 5.0;       // A handle hidden by its background.
constexpr double part_gap_seconds = 0.55;        // From one word to the next: two frames.
constexpr double fade_gap_seconds = 0.3;         // To and from a frame that mixes two texts.
constexpr int lasting_frames = 6;                // Single words are seldom shown for longer.
constexpr double extrapolated_seconds = 0.5;     // A text moves on evenly for that long.
constexpr std::size_t averaged_letters_min = 4;  // Fewer are often pieces of a line that moved.
constexpr double clear_confidence = 0.985;       // Of letters too small to be read so quickly.

double gap_seconds(const sighting& a, const sighting& b) {
    return std::max(a.start_seconds, b.start_seconds) - std::min(a.end_seconds, b.end_seconds);
}

/// Where a text was in the frame at `seconds`, if it moved evenly.
picture::box place_at(const sighting& seen, double seconds) {
    const double first_frame = seen.start_seconds + half_frame_seconds;
    const double duration = seen.end_seconds - half_frame_seconds - first_frame;
    if (duration < half_frame_seconds) return seen.last_place;
    const double moved =
        std::clamp(seconds - first_frame, -extrapolated_seconds, duration + extrapolated_seconds);
    const auto between = [&](int first, int last) {
        return first + static_cast<int>(moved / duration * (last - first));
    };
    const auto& [first, last] = std::pair{seen.first_place, seen.last_place};
    return {
        between(first.left, last.left),
        between(first.top, last.top),
        between(first.right, last.right),
        between(first.bottom, last.bottom)};
}

enum class relation { none, same, part };

/// A single word like a watermark: a handle, a tag or an address.
bool is_handle(const std::string& text) {
    return text.find(' ') == std::string::npos && text.find_first_of("@#_.") != std::string::npos;
}

/// Whether both were read well enough: a difference is another text, not a misreading.
bool are_certain(const sighting& a, const sighting& b, double least = certain_confidence) {
    return std::min(a.frames, b.frames) >= certain_frames &&
           std::min(a.confidence, b.confidence) >= least;
}

/// Whether a text disappeared, and appeared again in another size.
bool is_resized(const sighting& first, const sighting& second) {
    const auto [low, high] = std::minmax({first.last_place.width(), second.first_place.width()});
    return high > 1.2 * low && are_certain(first, second, sure_confidence);
}

/// Whether the text of `b` contains that of `a`, at its place when both were seen.
bool is_part(
    const sighting& a, const picture::box& a_place, const sighting& b,
    const picture::box& b_place) {
    const auto position = position_in(a.text, b.text);
    if (!position) return false;
    const std::size_t letters = a.text.size();
    if (letters >= 3) return true;
    // Few letters occur in many texts. Two texts in one place at the same time are one.
    const double expected = b_place.left + *position * b_place.width();
    const double distance = std::abs((a_place.left + a_place.right) / 2.0 - expected);
    const bool is_there = distance < 0.3 * b_place.height() + 0.05 * b_place.width();
    return is_there && (letters > 1 || gap_seconds(a, b) < -0.1);
}

/// Relation of `first` and `second`; `first` starts first.
relation between(const sighting& first, const sighting& second) {
    const double gap = gap_seconds(first, second);
    const sighting& brief = first.frames < second.frames ? first : second;
    const double met = (brief.start_seconds + brief.end_seconds) / 2;
    const picture::box a = place_at(first, met);
    const picture::box b = place_at(second, met);
    const bool row = same_row(a, b);
    const double shared = row ? containment(a, b) : 0;
    const bool handle = is_handle(first.text) && shared > 0.85;
    if (!handle && gap > -0.1 && are_certain(first, second) && !begins(first.text, second.text))
        return relation::none;
    if (same_text(first.text, second.text)) {
        if (gap > (handle ? handle_gap_seconds : same_text_gap_seconds)) return relation::none;
        if (!handle && gap > -0.1 && is_resized(first, second)) return relation::none;
        // Texts at two positions at the same time are different lines.
        return row || gap > -0.3 ? relation::same : relation::none;
    }
    if (!row || gap > part_gap_seconds) return relation::none;
    if (is_part(first, a, second, b) || is_part(second, b, first, a)) return relation::part;
    return relation::none;
}

/// Whether `line` mixes two texts, one of which fades into the other at its place.
bool is_blend(const sighting& line, const std::vector<sighting>& seen) {
    const auto fades = [&line](const sighting& text, double gap, const auto& place) {
        return std::abs(gap) < fade_gap_seconds && text.frames >= lasting_frames &&
               containment(text.*place, line.*place) > 0.7 && !begins(text.text, line.text) &&
               (text.*place).area() <= 1.1 * (line.*place).area();
    };
    const auto from = [&](const sighting& text) {
        return fades(text, line.start_seconds - text.end_seconds, &sighting::first_place);
    };
    const auto to = [&](const sighting& text) {
        return fades(text, text.start_seconds - line.end_seconds, &sighting::last_place);
    };
    return line.frames < certain_frames && std::ranges::any_of(seen, from) &&
           std::ranges::any_of(seen, to);
}

void absorb(sighting& kept, const sighting& other, relation how) {
    const auto weight = [](const sighting& of) { return of.confidence * std::sqrt(of.frames); };
    const bool longer = other.text.size() > kept.text.size();
    const bool better = how == relation::part ? longer : weight(other) > weight(kept);
    const sighting source = better ? other : kept;
    kept.frames = kept.text == other.text ? kept.frames + other.frames : source.frames;
    kept.text = source.text;
    kept.confidence = source.confidence;
    kept.start_seconds = std::min(kept.start_seconds, other.start_seconds);
    kept.end_seconds = std::max(kept.end_seconds, other.end_seconds);
    kept.first_place = place_at(source, kept.start_seconds + half_frame_seconds);
    kept.last_place = place_at(source, kept.end_seconds - half_frame_seconds);
}

bool by_start(const sighting& a, const sighting& b) {
    if (a.start_seconds != b.start_seconds) return a.start_seconds < b.start_seconds;
    return a.first_place.top < b.first_place.top;
}

/// Orders those that start at once in one row from the left.
void sort_rows(std::vector<sighting>& seen) {
    for (auto row = seen.begin(); row != seen.end();) {
        // From the next one: a place may be empty, and is in no row then.
        const auto end = std::find_if(row + 1, seen.end(), [&row](const sighting& each) {
            return each.start_seconds != row->start_seconds ||
                   !same_row(row->first_place, each.first_place);
        });
        const auto left = [](const sighting& each) { return each.first_place.left; };
        std::ranges::stable_sort(row, end, {}, left);
        row = end;
    }
}

}  // namespace

bool is_glimpse(const sighting& line) {
    const picture::box& place = line.last_place;
    // Pixels, in a single frame and in less than two seconds.
    const int legible_height = line.frames == 1 ? 44 : line.frames < 8 ? 24 : 0;
    const bool is_cut = line.frames == 1 && (place.left <= 0 || place.right >= frame_width);
    return is_cut || (place.height() < legible_height && line.confidence < clear_confidence);
}

bool is_missed(const sighting& line, const std::vector<sighting>& frames) {
    if (line.frames < 2 || line.text.size() < averaged_letters_min) return false;
    const double half_duration = (line.end_seconds - line.start_seconds) / 2;
    double contradicted_seconds = 0;
    for (const sighting& seen : frames) {
        const double gap = gap_seconds(line, seen);
        const double met = std::clamp(
            (seen.start_seconds + seen.end_seconds) / 2, line.start_seconds, line.end_seconds);
        const double shared = containment(place_at(line, met), place_at(seen, met));
        if (gap >= part_gap_seconds || shared < 0.5) continue;
        if (same_text(line.text, seen.text) || position_in(line.text, seen.text)) return false;
        if (gap < 0 && position_in(seen.text, line.text)) {
            // In the mean, a text that moves or changes overlaps itself: no frame shows `line`.
            if (seen.frames >= certain_frames && -gap >= half_duration) return false;
        } else {
            contradicted_seconds += std::max(0.0, -gap);
        }
    }
    return line.confidence >= sure_confidence && contradicted_seconds < half_duration;
}

std::vector<timed_text> merge_sightings(std::vector<sighting> seen) {
    std::stable_sort(seen.begin(), seen.end(), by_start);
    std::erase_if(seen, [all = seen](const sighting& line) { return is_blend(line, all); });
    for (bool merged = true; merged;) {
        merged = false;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            for (std::size_t j = i + 1; j < seen.size();) {
                const relation how = between(seen[i], seen[j]);
                if (how == relation::none) {
                    ++j;
                    continue;
                }
                absorb(seen[i], seen[j], how);
                seen.erase(seen.begin() + static_cast<std::ptrdiff_t>(j));
                merged = true;
            }
        }
    }
    std::stable_sort(seen.begin(), seen.end(), by_start);
    sort_rows(seen);
    std::vector<timed_text> texts;
    for (sighting& each : seen)
        texts.push_back({std::move(each.text), each.start_seconds, each.end_seconds});
    return texts;
}

}  // namespace reelsd::media::text
