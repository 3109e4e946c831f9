#pragma once

#include <reelsd/domain/usage/usage_store.hpp>

#include <string>
#include <vector>

/// Usage as clients see it, as JSON text: costs as exact decimal numbers, which no JSON library of
/// ours could write. Pure.
namespace reelsd::api {

/// Of an account (contract section 5).
[[nodiscard]] std::string usage_view(const usage::report& report);

/// By day and model, as an array.
[[nodiscard]] std::string usage_days_view(const std::vector<usage::daily_model_sums>& days);

/// Of one reel: its calls and what they have cost together.
[[nodiscard]] std::string reel_usage_view(const usage::reel_report& report);

/// What may be spent, and has been.
[[nodiscard]] std::string budget_view(const usage::budget_report& report);

}  // namespace reelsd::api
