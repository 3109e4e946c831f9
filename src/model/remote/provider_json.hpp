#pragma once

#include <reelsd/base/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// Reading what a provider wrote, who leaves out what is zero or empty and may write anything.
namespace reelsd::model {

/// What a provider counts, as far as it can be true: no model takes a billion tokens, and sums of
/// more would end the ledger's numbers.
[[nodiscard]] constexpr std::int64_t bounded_count(std::uint64_t told) noexcept {
    constexpr std::uint64_t tokens_max = 1'000'000'000;
    return static_cast<std::int64_t>(std::min(told, tokens_max));
}

/// Null for what is not there.
[[nodiscard]] const json& member(const json& object, const char* name);

/// Empty for what is not there or no text.
[[nodiscard]] std::string text_in(const json& object, const char* name);

/// A count, or 0. Proto-JSON writes numbers as texts too.
[[nodiscard]] std::int64_t count_in(const json& object, const char* name);

/// Empty for what is not there or no list.
[[nodiscard]] const json& list_in(const json& object, const char* name);

}  // namespace reelsd::model
