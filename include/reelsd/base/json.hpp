#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace reelsd {

/// JSON that keeps the order of its members, for readers.
using json = nlohmann::ordered_json;

/// The text of a value, in which invalid UTF-8 is replaced.
[[nodiscard]] inline std::string dumped(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace reelsd
