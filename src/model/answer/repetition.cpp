#include "repetition.hpp"

#include "../clean_text.hpp"
#include <reelsd/base/utf8.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

namespace reelsd::model {

namespace {

// A unit of 8 to 50 characters, ten times, or a shorter unit over as many characters.
constexpr std::size_t unit_characters_max = 50;
constexpr std::size_t loop_characters_min = 80;
constexpr std::size_t loop_turns = 10;
// Entries that recur together, such as the lines of a chorus.
constexpr std::size_t round_entries_max = 6;

struct loop {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t unit = 0;  ///< Characters of a unit.
};

/// The characters of the shortest loop of this unit.
constexpr std::size_t loop_length(std::size_t unit) noexcept {
    return std::max(unit * loop_turns, loop_characters_min);
}

/// The loop of this unit around `at`, whose character equals the one a unit before.
std::optional<loop> loop_around(const std::u32string& text, std::size_t at, std::size_t unit) {
    auto first = at;
    while (first > unit && text[first - 1] == text[first - 1 - unit]) --first;
    auto end = at + 1;
    while (end < text.size() && text[end] == text[end - unit]) ++end;
    const auto begin = first - unit;
    if (end - begin < loop_length(unit)) return std::nullopt;
    return loop{begin, end, unit};
}

/// The first loop. A loop is long enough that one of every 64 characters is behind its first unit,
/// so only those are examined: linear time except for adversarial text.
std::optional<loop> find_loop(const std::u32string& text, std::size_t from) {
    constexpr std::size_t stride = 64;
    static_assert(loop_length(1) - 1 >= stride && loop_length(8) - 8 >= stride);
    for (auto at = from + stride; at < text.size(); at += stride) {
        const auto units = std::min(unit_characters_max, at - from);
        for (std::size_t unit = 1; unit <= units; ++unit) {
            if (text[at] != text[at - unit]) continue;
            if (const auto loop = loop_around(text, at, unit)) return loop;
        }
    }
    return std::nullopt;
}

/// The end of the rounds of `size` entries that begin at `begin`, including a last partial one;
/// `begin` when they have fewer than `least` entries.
std::size_t rounds_end(
    const std::vector<std::size_t>& ids, std::size_t begin, std::size_t size, std::size_t least) {
    auto end = begin + size;
    while (end < ids.size() && ids[end] == ids[end - size]) ++end;
    return end - begin >= least ? end : begin;
}

/// Removes rounds of `size` that occur too often from `ids` and the same positions from `kept`.
/// Returns whether there were any.
bool drop_rounds(std::vector<std::size_t>& ids, std::vector<std::size_t>& kept, std::size_t size) {
    const auto least = size == 1 ? repeats_max + 1 : size * loop_turns;
    const auto remaining = size == 1 ? repeats_max : size;
    std::size_t to = 0;
    for (std::size_t at = 0; at < ids.size();) {
        const auto end = at + size <= ids.size() ? rounds_end(ids, at, size, least) : at;
        const auto copied = end > at ? remaining : 1;
        for (std::size_t entry = 0; entry < copied; ++entry, ++to) {
            ids[to] = ids[at + entry];
            kept[to] = kept[at + entry];
        }
        at = std::max(end, at + 1);
    }
    const bool dropped = to < ids.size();
    ids.resize(to);
    kept.resize(to);
    return dropped;
}

}  // namespace

bool cut_loops(std::string& text) {
    if (text.size() < loop_characters_min) return false;
    auto points = code_points_of(text);
    bool cut = false;
    std::size_t from = 0;
    while (const auto loop = find_loop(points, from)) {
        if (loop->end == points.size()) {
            points.resize(loop->begin + loop->unit);
        } else {
            // Whole units, so that a partial last one still precedes the text after the loop.
            const auto units = (loop->end - loop->begin) / loop->unit;
            points.erase(loop->begin, (units - 1) * loop->unit);
        }
        cut = true;
        // The new neighbours may be part of another loop, which begins here at the earliest: an
        // earlier one would have been found.
        const auto longest = unit_characters_max * loop_turns;
        from = loop->begin > longest ? loop->begin - longest : 0;
    }
    if (cut) text = utf8_of(points);
    return cut;
}

std::string clean_without_loops(std::string_view text, std::size_t characters_max, bool& cut) {
    auto clean = clean_text(text, characters_max);
    while (cut_loops(clean)) {
        cut = true;
        clean = clean_text(clean, characters_max);  // The cut may have split an emoji.
    }
    return clean;
}

std::vector<std::size_t> entries_without_loops(const std::vector<std::size_t>& ids) {
    auto left = ids;
    std::vector<std::size_t> kept(ids.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    // Removals make other entries neighbours, so repeat until there are none.
    for (bool dropped = true; dropped;) {
        dropped = false;
        for (std::size_t size = 1; size <= round_entries_max; ++size) {
            dropped = drop_rounds(left, kept, size) || dropped;
        }
    }
    return kept;
}

bool is_filled_by_one(const std::vector<std::string>& list) {
    std::unordered_map<std::string_view, std::size_t> counts;
    std::size_t most = 0;
    for (const auto& item : list) most = std::max(most, ++counts[item]);
    return most > repeats_max && most * 2 >= list.size();
}

}  // namespace reelsd::model
