#pragma once

#include <reelsd/base/result.hpp>

#include <optional>
#include <string_view>

/// Query parameters that several resources have in common. Pure; `invalid_argument` names the
/// parameter and what is allowed.
namespace reelsd::api {

/// `?limit=`: `usual` when absent, else a whole number from 1 to `most` in plain digits.
[[nodiscard]] result<int> requested_limit(
    std::optional<std::string_view> text, int usual, int most);

}  // namespace reelsd::api
