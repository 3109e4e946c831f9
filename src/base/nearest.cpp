#include <reelsd/base/nearest.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace reelsd {

std::vector<std::size_t> edit_distances(
    std::string_view from, std::string_view to, bool is_anywhere) {
    std::vector<std::size_t> row(to.size() + 1);
    if (!is_anywhere) std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        auto diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < to.size(); ++j) {
            const auto replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
        }
    }
    return row;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t word_max = 64;  // The distance takes quadratic time.
    std::string best;
    const auto size = std::min(word.size(), word_max);
    // Two letters for a swapped pair, but never all of a short word.
    auto least = std::min(std::max<std::size_t>(size / 3, 2) + 1, size);
    for (const auto& candidate : candidates) {
        const auto distance = edit_distances(word.substr(0, word_max), candidate).back();
        if (distance >= least) continue;
        least = distance;
        best = candidate;
    }
    return best;
}

}  // namespace reelsd
