#pragma once

#include <algorithm>
#include <cstdint>

namespace reelsd::model {

/// What a provider counts, as far as it can be true: no model takes a billion tokens, and sums of
/// more would end the ledger's numbers.
[[nodiscard]] constexpr std::int64_t bounded_count(std::uint64_t told) noexcept {
    constexpr std::uint64_t tokens_max = 1'000'000'000;
    return static_cast<std::int64_t>(std::min(told, tokens_max));
}

}  // namespace reelsd::model
