#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reelsd {

/// The candidate that `word` probably means: the one with the fewest changed letters: at most
/// two, or a third of them, and not all. Empty if there is none. Pure.
[[nodiscard]] std::string nearest(
    std::string_view word, const std::vector<std::string>& candidates);

}  // namespace reelsd
