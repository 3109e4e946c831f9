#pragma once

#include <reelsd/base/result.hpp>

#include <map>
#include <string>
#include <string_view>

/// Configuration files: TOML without tables. Text is in double quotes, where a backslash precedes a
/// quotation mark or a backslash, or in single quotes, where it is a character like any other. Text
/// without quotes ends with its line or at '#'. A list in brackets is the text of its elements with
/// commas. Lines that begin with '#' or ';' are comments. Of a repeated key, the last value counts.
namespace reelsd {

/// Values by key. Errors: invalid_argument; the detail has the number of the line, but no value.
[[nodiscard]] result<std::map<std::string, std::string>> parse_configuration(std::string_view text);

/// Reads a file of at most 1 MiB. Errors: invalid_argument; the detail begins with `file`.
[[nodiscard]] result<std::map<std::string, std::string>> read_configuration(
    const std::string& file);

}  // namespace reelsd
