#include <reelsd/base/nearest.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace reelsd {
namespace {

/// Levenshtein distance: letters that are inserted, removed or replaced.
std::size_t distance_of(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        auto diagonal = row[0]++;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const auto replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t word_max = 64;  // The distance takes quadratic time.
    std::string best;
    const auto size = std::min(word.size(), word_max);
    // Two letters for a swapped pair, but never all of a short word.
    auto least = std::min(std::max<std::size_t>(size / 3, 2) + 1, size);
    for (const auto& candidate : candidates) {
        const auto distance = distance_of(word.substr(0, word_max), candidate);
        if (distance >= least) continue;
        least = distance;
        best = candidate;
    }
    return best;
}

}  // namespace reelsd
