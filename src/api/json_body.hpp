#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <optional>
#include <string>

/// Members of request bodies. Pure.
namespace reelsd::api {

/// Null if the member is missing or null.
[[nodiscard]] const json* find_member(const json& body, const char* name);

/// A text of 1 to `characters_max` characters on one line. Errors: invalid_argument with the text
/// for the client.
[[nodiscard]] result<std::optional<std::string>> requested_label(
    const json& body, const char* name, std::size_t characters_max);

/// The member `author`, without the sign before it. Errors: as requested_label().
[[nodiscard]] result<std::optional<std::string>> requested_author_in(const json& body);

}  // namespace reelsd::api
