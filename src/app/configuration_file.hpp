#pragma once

#include <reelsd/base/result.hpp>

#include <map>
#include <string>

namespace reelsd::app {

/// What each setting was given as, by name. What is missing has its default.
using given_values = std::map<std::string, std::string>;

/// The file that was `named`, or the one of this installation if it is there; else empty.
[[nodiscard]] std::string chosen_configuration_file(const std::string& named);

/// The file's values, none of an empty name; `invalid_argument` for a file that cannot be read or a
/// key that is no setting.
[[nodiscard]] result<given_values> read_configuration_file(const std::string& file);

}  // namespace reelsd::app
