#pragma once

#include <reelsd/base/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd {

/// A JSON text in which each escaped half of a surrogate pair is U+FFFD. A program that cuts a text
/// inside an emoji writes such a half, which the parser rejects. Valid JSON is not changed.
[[nodiscard]] std::string with_whole_surrogates(std::string_view text);

/// Parses a text, if necessary with whole surrogates. Returns a discarded value
/// (`is_discarded()`) if it is not JSON.
template <class Json>
[[nodiscard]] Json parse_repaired(std::string_view text) {
    auto parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_discarded()) return parsed;
    return Json::parse(with_whole_surrogates(text), nullptr, /*allow_exceptions=*/false);
}

/// The providers that reelsd calls nest about a dozen levels.
inline constexpr std::ptrdiff_t foreign_json_depth_max = 64;

/// Nesting depth of the brackets in a JSON text, except those in strings.
[[nodiscard]] inline std::ptrdiff_t json_depth_of(std::string_view text) noexcept {
    std::ptrdiff_t depth = 0;
    std::ptrdiff_t deepest = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (in_string && letter == '\\') ++at;
        if (letter == '"') in_string = !in_string;
        if (in_string) continue;
        if (letter == '{' || letter == '[') deepest = std::max(deepest, ++depth);
        if (letter == '}' || letter == ']') --depth;
    }
    return deepest;
}

/// Parses untrusted text. Returns a discarded value (`is_discarded()`) if the text is not JSON or
/// nested deeper than `foreign_json_depth_max`: the library copies members recursively, so that a
/// few thousand levels exhaust a thread's stack.
[[nodiscard]] inline json parse_foreign_json(std::string_view text) {
    if (json_depth_of(text) > foreign_json_depth_max) return json(json::value_t::discarded);
    return parse_repaired<json>(text);
}

/// A member of foreign JSON; null when it is missing or `object` is not an object.
[[nodiscard]] inline const json& member(const json& object, std::string_view name) {
    static const json missing;
    if (!object.is_object()) return missing;
    const auto position = object.find(name);
    return position == object.end() ? missing : *position;
}

/// The value of a member; empty when it is missing or of another type.
[[nodiscard]] inline std::optional<std::string> text_of(const json& object, const char* name) {
    const auto& value = member(object, name);
    return value.is_string() ? std::optional{value.get<std::string>()} : std::nullopt;
}

/// The text of a member; `otherwise` if it is missing, empty or not a text.
[[nodiscard]] inline std::string text_or(
    const json& object, const char* name, const char* otherwise) {
    auto text = text_of(object, name);
    return text && !text->empty() ? *std::move(text) : std::string{otherwise};
}

[[nodiscard]] inline std::optional<std::int64_t> integer_of(const json& object, const char* name) {
    const auto& value = member(object, name);
    return value.is_number_integer() ? std::optional{value.get<std::int64_t>()} : std::nullopt;
}

[[nodiscard]] inline std::optional<double> number_of(const json& object, const char* name) {
    const auto& value = member(object, name);
    return value.is_number() ? std::optional{value.get<double>()} : std::nullopt;
}

[[nodiscard]] inline std::optional<bool> boolean_of(const json& object, const char* name) {
    const auto& value = member(object, name);
    return value.is_boolean() ? std::optional{value.get<bool>()} : std::nullopt;
}

}  // namespace reelsd
