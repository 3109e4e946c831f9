#pragma once

#include <nlohmann/json.hpp>

namespace reelsd {

/// JSON that keeps the order of its members, for readers.
using json = nlohmann::ordered_json;

}  // namespace reelsd
