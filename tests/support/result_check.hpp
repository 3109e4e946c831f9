#pragma once

#include <reelsd/base/json.hpp>

#include <string>
#include <vector>

namespace reelsd::model {

/// Each way in which `document` violates the API description, one sentence each; empty when it is
/// valid. First the schema of docs/openapi.yaml, then what no schema expresses: clean text, bounds,
/// and the rules between values.
[[nodiscard]] std::vector<std::string> result_violations(const json& document);

}  // namespace reelsd::model
