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

/// Reads `?from=` and `?to=` as `YYYY-MM-DD`. Errors: invalid_argument for other texts, impossible
/// days, and a `from` after `to`. Pure.
[[nodiscard]] result<usage::period> requested_period(
    std::optional<std::string_view> from, std::optional<std::string_view> to);

// Usage as JSON text: costs are exact decimal numbers, which the JSON library cannot write. Pure.

/// Usage of an account (docs/openapi.yaml).
[[nodiscard]] std::string usage_view(const usage::report& report);

/// By day and model, as an array.
[[nodiscard]] std::string usage_days_view(const std::vector<usage::daily_model_sums>& days);

/// Usage of one reel: its calls and their total cost.
[[nodiscard]] std::string reel_usage_view(const usage::reel_report& report);

/// Budget and spending.
[[nodiscard]] std::string budget_view(const usage::budget_report& report);

/// As usage_days_view() in CSV: RFC 4180 with a header line, UTF-8. An unknown cost is an empty
/// field. Pure.
[[nodiscard]] std::string usage_csv(const std::vector<usage::daily_model_sums>& days);

/// Returns a CSV field, quoted if necessary. Text that a spreadsheet would evaluate as a formula
/// gets an apostrophe in front, which marks it as text. Pure.
[[nodiscard]] std::string csv_text_field(std::string_view text);

}  // namespace reelsd::api
