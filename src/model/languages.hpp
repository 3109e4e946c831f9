#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::model {

/// The ISO 639-1 code of a language as models and speech servers write it: "pt-BR", "EN",
/// "zh_Hans", "deu", "Spanish", "Haitian Creole". Empty for a language without one ("und", "mul").
[[nodiscard]] std::optional<std::string> language_code_from(std::string_view text);

/// A well-formed BCP 47 tag in its usual case: "pt-BR", "zh-Hant-TW". Empty for other text, for
/// tags of private use alone, and for the lengths of language subtags that the registry does not
/// use (4 to 8 letters), because these are names such as "german". Source: RFC 5646 section 2.1.
[[nodiscard]] std::optional<std::string> language_tag_from(std::string_view text);

/// For a prompt: "German (de)", or the tag alone for a language without a known name.
[[nodiscard]] std::string language_phrase(std::string_view tag);

}  // namespace reelsd::model
