#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What letters a text is written in.
namespace reelsd::model {

enum class script : std::uint8_t {
    none,  ///< No letter, or one of a script that is not told apart.
    latin,
    greek,
    cyrillic,
    armenian,
    hebrew,
    arabic,
    devanagari,
    bengali,
    gurmukhi,
    gujarati,
    tamil,
    telugu,
    kannada,
    malayalam,
    sinhala,
    thai,
    lao,
    burmese,
    georgian,
    ethiopic,
    khmer,
    hangul,
    kana,  ///< And the Chinese characters between them.
    han,
};

/// "Cyrillic": as people call it. Of none it is empty.
[[nodiscard]] std::string_view name_of(script letters) noexcept;

[[nodiscard]] script script_of(char32_t value) noexcept;

/// The script of at least four in five of the text's letters, when it has 12 or more; else none.
/// A character of Korean, Japanese or Chinese counts as two.
[[nodiscard]] script main_script_of(std::string_view text);

/// The text's words in small Latin letters without accents ("Café" is "cafe") and digits; what else
/// stands there separates them, but for apostrophes.
[[nodiscard]] std::vector<std::string> folded_words_of(std::string_view text);

}  // namespace reelsd::model
