#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::model {

/// The BCP 47 tag of a language as speech servers write it: a code or an English name of the 99
/// languages of Whisper, in any case, or a tag such as "pt-BR", whose region is dropped. Empty for
/// other text. Pure. Source: openai/whisper, `whisper/tokenizer.py`.
[[nodiscard]] std::optional<std::string> speech_language_from(std::string_view text);

}  // namespace reelsd::model
