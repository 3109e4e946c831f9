#pragma once

#include <reelsd/base/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

/// Members of untrusted JSON, which may be missing or of any type.
namespace reelsd::model {

/// A provider's count, bounded so that sums fit the ledger: no model accepts a billion tokens.
[[nodiscard]] constexpr std::int64_t bounded_count(std::uint64_t count) noexcept {
    constexpr std::uint64_t tokens_max = 1'000'000'000;
    return static_cast<std::int64_t>(std::min(count, tokens_max));
}

/// Null if missing.
[[nodiscard]] const json& member(const json& object, std::string_view name);

/// Empty if missing or not a text.
[[nodiscard]] std::string text_in(const json& object, std::string_view name);

/// 0 if missing or not a count. Proto-JSON may write numbers as texts.
[[nodiscard]] std::int64_t count_in(const json& object, std::string_view name);

/// Empty if missing or not a list.
[[nodiscard]] const json& list_in(const json& object, std::string_view name);

}  // namespace reelsd::model
