#pragma once

#include <nlohmann/json.hpp>

namespace reelsd {

/// JSON that keeps the order of its members: what people read is in the order we chose.
using json = nlohmann::ordered_json;

}  // namespace reelsd
