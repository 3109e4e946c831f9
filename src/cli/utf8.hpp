#pragma once

#include <cstddef>
#include <string_view>

namespace reelsd::cli {

/// One character of a text as it stands in the bytes.
struct utf8_character {
    char32_t code_point = 0xFFFD;
    std::size_t bytes = 1;  ///< How many bytes it takes; for a broken one, how many to skip.
    bool valid = false;
};

/// The character at `at`, which lies within `text`. Overlong forms, surrogates and code points past
/// U+10FFFF are not valid (RFC 3629).
[[nodiscard]] utf8_character utf8_at(std::string_view text, std::size_t at);

/// Terminal cells of one character: 0, 1 or 2, by Unicode's East Asian Width and its combining
/// marks. What is no visible character counts as 1.
[[nodiscard]] std::size_t cells_of(char32_t code_point);

}  // namespace reelsd::cli
