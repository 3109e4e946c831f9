#pragma once

#include <reelsd/base/json.hpp>

#include <string>
#include <vector>

namespace reelsd::model {

/// Each way in which `document` breaks the contract, one sentence each; empty when it is valid.
/// Written independently of assemble_result(), which must never produce what this refuses.
[[nodiscard]] std::vector<std::string> schema_violations(const json& document);

}  // namespace reelsd::model
