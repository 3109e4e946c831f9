#pragma once

#include <reelsd/base/json.hpp>

namespace reelsd::cli::mcp {

/// The output schemas of the tools, derived from docs/openapi.yaml. They allow members that a newer
/// server adds.
[[nodiscard]] json job_schema();
[[nodiscard]] json reels_schema();
[[nodiscard]] json hits_schema();
[[nodiscard]] json usage_schema();

}  // namespace reelsd::cli::mcp
