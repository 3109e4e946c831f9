#pragma once

#include <string>
#include <string_view>

namespace reelsd::model {

/// What speaks against `code` (ISO 639-1) as the language of `transcript`, which is valid UTF-8: a
/// sentence for people, empty when nothing does. Judged by the Compact Language Detector 2, and
/// cautiously: short, mixed and transliterated texts and close relatives of the given language are
/// no objection.
[[nodiscard]] std::string language_objection(std::string_view transcript, std::string_view code);

}  // namespace reelsd::model
