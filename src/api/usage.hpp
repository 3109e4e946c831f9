#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/domain/usage/usage_store.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

void add_usage_routes(http::router& router, std::string_view prefix, usage::usage_store& store);

/// `?from=` and `?to=`: days as `YYYY-MM-DD`; `invalid_argument` for anything else, for a day that
/// no calendar has, and for a `from` after `to`. Pure.
[[nodiscard]] result<usage::period> requested_period(
    std::optional<std::string_view> from, std::optional<std::string_view> to);

}  // namespace reelsd::api
