#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// Models get into loops: they repeat words or entries until their budget is spent. One iteration
/// of a loop is kept.
namespace reelsd::model {

/// A chorus repeats a line up to three times in a row; more is a loop.
inline constexpr std::size_t repeats_max = 3;

/// A loop is a unit of at most 50 characters that occurs ten times in a row or more, over at least
/// 80 characters. Leaves one unit of each; `text` is UTF-8. Returns whether `text` was changed.
bool cut_loops(std::string& text);

/// clean_text() without loops. Sets `cut` if there was one, and never clears it.
[[nodiscard]] std::string clean_without_loops(
    std::string_view text, std::size_t characters_max, bool& cut);

/// The positions of a list's entries without its loops, ascending; entries are equal where `ids`
/// are. Of an entry that occurs more than three times in a row three remain, of a round of up to 6
/// entries that occurs ten times in a row one round.
[[nodiscard]] std::vector<std::size_t> entries_without_loops(const std::vector<std::size_t>& ids);

/// Removes the loops from a list, by the texts of its entries. Returns whether there were any.
template <class Entry, class Text>
bool cut_entry_loops(std::vector<Entry>& entries, const Text& text_of) {
    std::unordered_map<std::string_view, std::size_t> known;
    std::vector<std::size_t> ids;
    for (const Entry& entry : entries)
        ids.push_back(known.emplace(std::invoke(text_of, entry), known.size()).first->second);
    std::vector<Entry> kept;
    for (const auto at : entries_without_loops(ids)) kept.push_back(std::move(entries[at]));
    const bool is_cut = kept.size() < entries.size();
    entries = std::move(kept);
    return is_cut;
}

/// Whether one value occurs more than three times and makes up at least half of the list.
[[nodiscard]] bool is_filled_by_one(const std::vector<std::string>& list);

}  // namespace reelsd::model
