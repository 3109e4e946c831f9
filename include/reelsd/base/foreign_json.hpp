#pragma once

#include <reelsd/base/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace reelsd {

/// The providers that reelsd calls nest about a dozen levels.
inline constexpr std::ptrdiff_t foreign_json_depth_max = 64;

/// How deep the brackets of a JSON text are nested; those in strings do not count.
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
    return json::parse(text, nullptr, false);
}

}  // namespace reelsd
