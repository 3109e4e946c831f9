#pragma once

#include "rich_text.hpp"
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/usage/usage_store.hpp>

#include <optional>
#include <string_view>

namespace reelsd::bot {

/// A done reel as people read it: who, what it is about, key moments with their times, what is said
/// and what stands on screen folded away, what it has cost. `result` is the five sections as JSON
/// text; what it lacks is left out. Pure.
[[nodiscard]] rich_text summary_of(
    job_id job, std::string_view result, const std::optional<usage::decimal>& cost_usd);

}  // namespace reelsd::bot
