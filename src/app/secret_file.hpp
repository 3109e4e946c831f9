#pragma once

#include <reelsd/base/result.hpp>

#include <string>
#include <string_view>

namespace reelsd::app {

/// The variable that names the file with a secret setting's value: "REELSD_DATABASE_URL_FILE".
[[nodiscard]] std::string file_environment_name(std::string_view setting_name);

/// The value in such a file: one line of at most 4096 bytes, without its end. Empty for an empty
/// file. Errors: invalid_argument for a file that cannot be read or has more, which names variable
/// and file and nothing of what is in it.
[[nodiscard]] result<std::string> read_secret_file(
    std::string_view setting_name, const std::string& file);

}  // namespace reelsd::app
