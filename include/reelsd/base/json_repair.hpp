#pragma once

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

}  // namespace reelsd
