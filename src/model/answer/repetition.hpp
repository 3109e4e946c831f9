#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Models get into loops: they write the same words or entries until their budget is spent. What
/// remains of a loop is one turn of it.
namespace reelsd::model {

/// A chorus says a line up to three times in a row; more is a model in a loop.
inline constexpr std::size_t repeats_max = 3;

/// A unit of at most 50 characters that stands ten times in a row, and at least 80 characters long
/// so, is a loop. Leaves one unit of each; `text` is UTF-8. True when something was cut.
bool cut_loops(std::string& text);

/// clean_text() without loops: at most `characters_max` characters. `cut` is set, never cleared.
[[nodiscard]] std::string clean_without_loops(
    std::string_view text, std::size_t characters_max, bool& cut);

/// Which of a list's entries stay when its loops are cut: `ids` are equal where entries are. Of one
/// entry more than three times in a row three stay, of up to 6 entries that come round ten times in
/// a row one round. All stay when there is no loop. Ascending.
[[nodiscard]] std::vector<std::size_t> entries_without_loops(const std::vector<std::size_t>& ids);

/// Whether one value fills the list: it stands there more than three times, and is half of it.
[[nodiscard]] bool is_filled_by_one(const std::vector<std::string>& list);

}  // namespace reelsd::model
