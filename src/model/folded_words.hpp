#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// The text's words in lower-case Latin letters without accents ("Café" is "cafe") and digits.
/// Every other character separates words, but for apostrophes. Invalid bytes separate, too.
[[nodiscard]] std::vector<std::string> folded_words_of(std::string_view text);

/// Whether most letters of the text are Latin.
[[nodiscard]] bool is_mostly_latin(std::string_view text);

}  // namespace reelsd::model
