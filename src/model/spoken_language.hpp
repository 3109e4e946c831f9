#pragma once

#include <string>
#include <string_view>

namespace reelsd::model {

/// What speaks against `code` (ISO 639-1) as the language of `transcript`: a sentence for people,
/// empty when nothing does. By the letters it is written in; where they are Latin, by the commonest
/// words of eight languages, when it has at least 12 words and they are clear. Cautious: a
/// transcript in Latin letters is held to be a transliteration until its words say otherwise, and a
/// relative of the given language is no objection.
[[nodiscard]] std::string language_objection(std::string_view transcript, std::string_view code);

}  // namespace reelsd::model
