#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/domain/usage/usage_store.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

void add_usage_routes(http::router& router, std::string_view prefix, usage::usage_store& store);

/// `?from=` and `?to=`: days as `YYYY-MM-DD`; `invalid_argument` for anything else, for a day that
/// no calendar has, and for a `from` after `to`. Pure.
[[nodiscard]] result<usage::period> requested_period(
    std::optional<std::string_view> from, std::optional<std::string_view> to);

// Usage as JSON text: costs are exact decimal numbers, which the JSON library cannot write. Pure.

/// Of an account (contract section 5).
[[nodiscard]] std::string usage_view(const usage::report& report);

/// By day and model, as an array.
[[nodiscard]] std::string usage_days_view(const std::vector<usage::daily_model_sums>& days);

/// Of one reel: its calls and what they have cost together.
[[nodiscard]] std::string reel_usage_view(const usage::reel_report& report);

/// What may be spent, and has been.
[[nodiscard]] std::string budget_view(const usage::budget_report& report);

/// The same as usage_days_view() for spreadsheets: RFC 4180 with a header line, in UTF-8. A cost
/// that is not known is an empty field. Pure.
[[nodiscard]] std::string usage_csv(const std::vector<usage::daily_model_sums>& days);

/// One field of such a file, quoted where it has to be. Foreign text that a spreadsheet would take
/// for a formula gets an apostrophe in front, which spreadsheets take for "this is text". Pure.
[[nodiscard]] std::string csv_text_field(std::string_view text);

}  // namespace reelsd::api
