#include "timeline.hpp"

#include "text_normalizer.hpp"

#include <algorithm>
#include <cmath>

namespace reelsd::media::text {

namespace {

constexpr double same_text_gap_seconds = 0.8;  // A caption that was not found for a few frames.
constexpr double handle_gap_seconds = 5.0;     // A handle hidden by its background.
constexpr double part_gap_seconds = 0.55;      // From one word to the next: two frames.

double gap_seconds(const sighting& a, const sighting& b) {
    return std::max(a.start_seconds, b.start_seconds) - std::min(a.end_seconds, b.end_seconds);
}

bool same_row(const sighting& a, const sighting& b) {
    const auto [low, high] = std::minmax({a.place.height(), b.place.height()});
    return high < 3 * low && intersection(a.place, b.place).height() * 2 >= low;
}

/// Share of the smaller rectangle within the other, 0 to 1.
double containment(const box& a, const box& b) {
    const int smaller = std::min(a.area(), b.area());
    return smaller == 0 ? 0.0 : static_cast<double>(intersection(a, b).area()) / smaller;
}

double weight(const sighting& one) {
    return one.confidence * std::sqrt(one.frames);
}

enum class relation { none, same, part };

/// A single word like a watermark: a handle, a tag or an address.
bool is_handle(const std::string& text) {
    return text.find(' ') == std::string::npos && text.find_first_of("@#_.") != std::string::npos;
}

/// Whether the text of `b` contains that of `a`, at its place.
bool is_part(const sighting& a, const sighting& b) {
    const auto position = position_in(a.text, b.text);
    if (!position) return false;
    const std::size_t letters = a.text.size();
    // A text seen once may have been incomplete while it slid in.
    const bool overlap = containment(a.place, b.place) > 0.5 || std::min(a.frames, b.frames) < 2;
    if (letters >= 3 && overlap) return true;
    // Few letters occur in many texts. Two texts in one place at the same time are one.
    const double expected = b.place.left + *position * b.place.width();
    const double distance = std::abs((a.place.left + a.place.right) / 2.0 - expected);
    const bool is_there = distance < 0.3 * b.place.height() + 0.05 * b.place.width();
    return is_there && (letters > 1 || gap_seconds(a, b) < -0.1);
}

/// Relation of `a` and `b`; `a` starts first.
relation between(const sighting& a, const sighting& b) {
    const double gap = gap_seconds(a, b);
    const bool row = same_row(a, b);
    if (same_text(a.text, b.text)) {
        const bool handle = is_handle(a.text) && row && containment(a.place, b.place) > 0.85;
        if (gap > (handle ? handle_gap_seconds : same_text_gap_seconds)) return relation::none;
        // Texts at two positions at the same time are different lines.
        return row || gap > -0.3 ? relation::same : relation::none;
    }
    if (!row || gap > part_gap_seconds) return relation::none;
    return is_part(a, b) || is_part(b, a) ? relation::part : relation::none;
}

void absorb(sighting& kept, const sighting& other, relation how) {
    const bool longer = other.text.size() > kept.text.size();
    if (how == relation::part ? longer : weight(other) > weight(kept)) {
        kept.text = other.text;
        kept.confidence = other.confidence;
        kept.place = other.place;
    }
    kept.frames += other.frames;
    kept.start_seconds = std::min(kept.start_seconds, other.start_seconds);
    kept.end_seconds = std::max(kept.end_seconds, other.end_seconds);
}

bool by_start(const sighting& a, const sighting& b) {
    if (a.start_seconds != b.start_seconds) return a.start_seconds < b.start_seconds;
    return a.place.top < b.place.top;
}

}  // namespace

std::vector<timed_text> merge_sightings(std::vector<sighting> seen) {
    std::stable_sort(seen.begin(), seen.end(), by_start);
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
    std::vector<timed_text> texts;
    texts.reserve(seen.size());
    for (sighting& each : seen) {
        texts.push_back({std::move(each.text), each.start_seconds, each.end_seconds});
    }
    return texts;
}

}  // namespace reelsd::media::text
