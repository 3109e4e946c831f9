#pragma once

#include <reelsd/base/json.hpp>

namespace reelsd::cli::mcp {

/// What a tool answers, as JSON Schema. Members that a newer server may add are no fault; a test
/// holds them to docs/openapi.yaml.
[[nodiscard]] json job_schema();
[[nodiscard]] json reels_schema();
[[nodiscard]] json hits_schema();
[[nodiscard]] json usage_schema();

}  // namespace reelsd::cli::mcp
