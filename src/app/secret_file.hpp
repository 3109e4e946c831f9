#pragma once

#include <reelsd/base/result.hpp>

#include <string>
#include <string_view>

namespace reelsd::app {

/// The value in the file that `variable` names: one line of at most 4096 bytes, without its end.
/// Empty for an empty file. Errors: invalid_argument for a file that cannot be read or has more,
/// which names variable and file and nothing of the content.
[[nodiscard]] result<std::string> read_secret_file(
    std::string_view variable, const std::string& file);

}  // namespace reelsd::app
