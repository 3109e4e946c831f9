#pragma once

#include <reelsd/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

/// Parameters of paths and queries that several resources have in common. Pure.
namespace reelsd::http {

/// `?limit=`: `usual` when absent, else a whole number from 1 to `most` in plain digits;
/// `invalid_argument` names the parameter and what is allowed.
[[nodiscard]] result<int> requested_limit(
    std::optional<std::string_view> text, int usual, int most);

/// The number in a path: `not_found` unless it is a positive 64-bit integer in plain digits.
[[nodiscard]] result<std::int64_t> requested_number(std::string_view text);

}  // namespace reelsd::http
