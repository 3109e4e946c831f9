#pragma once

#include <nlohmann/json_fwd.hpp>

namespace reelsd {

using json = nlohmann::ordered_json;

}  // namespace reelsd
