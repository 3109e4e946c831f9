#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd {

/// Levenshtein distances, bytes inserted, removed or replaced, of `from` to each beginning of `to`,
/// the empty one first; `is_anywhere`: to the last bytes of each that are nearest. Pure.
[[nodiscard]] std::vector<std::size_t> edit_distances(
    std::string_view from, std::string_view to, bool is_anywhere = false);

/// The candidate that `word` probably means: the one with the fewest changed letters: at most
/// two, or a third of them, and not all. Empty if there is none. Pure.
[[nodiscard]] std::string nearest(
    std::string_view word, const std::vector<std::string>& candidates);

}  // namespace reelsd
