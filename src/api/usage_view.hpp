#pragma once

#include <reelsd/domain/usage/usage_store.hpp>

#include <string>

/// Usage as clients see it, as JSON text: costs as exact decimal numbers, which no JSON library of
/// ours could write. Pure.
namespace reelsd::api {

/// Of an account (contract section 5).
[[nodiscard]] std::string usage_view(const usage::report& report);

/// Of one reel: its calls and what they have cost together.
[[nodiscard]] std::string reel_usage_view(const usage::reel_report& report);

}  // namespace reelsd::api
