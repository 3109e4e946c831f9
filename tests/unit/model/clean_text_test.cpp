#include "clean_text.hpp"

#include <reelsd/base/utf8.hpp>

#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

// Goal: any bytes of a platform or model become valid text of bounded length.
TEST(CleanText, RepairsAndCuts) {
    struct test_case {
        const char* name;
        std::string_view text;
        std::size_t characters_max;
        std::string_view clean;
    };
    using namespace std::string_view_literals;
    const test_case cases[] = {
        {"plain text", "fresh beans", 100, "fresh beans"},
        {"two, three and four bytes",
         "caf\u00e9 \u2615 \U0001F600",
         100,
         "caf\u00e9 \u2615 \U0001F600"},
        {"newline and tab inside", "a\nb\tc", 100, "a\nb\tc"},
        {"whitespace at the ends", " \n a \t", 100, "a"},
        {"NUL and other controls", "a\0b\x1b[0m\x7f"sv, 100, "a b[0m"},
        {"C1 controls", "a\xc2\x85z", 100, "az"},
        {"a lone continuation byte", "a\x80z", 100, "a\uFFFDz"},
        {"a cut-off sequence", "a\xe2\x98", 100, "a\uFFFD\uFFFD"},
        {"an overlong slash", "\xc0\xaf", 100, "\uFFFD\uFFFD"},
        {"a surrogate", "\xed\xa0\x80", 100, "\uFFFD\uFFFD\uFFFD"},
        {"beyond the last code point", "\xf4\x90\x80\x80", 100, "\uFFFD\uFFFD\uFFFD\uFFFD"},
        {"zero-width characters", "pass\u200bword\u2060\ufeff", 100, "password"},
        {"marks of direction", "\u202eabc\u202c \u200f\u2066x\u2069\u061c", 100, "abc x"},
        {"tags that spell a hidden text", "a\U000E0068\U000E0069z", 100, "az"},
        {"a joiner inside an emoji",
         "\U0001F469\u200d\U0001F373 \u2764\ufe0f\u200d\U0001F525",
         100,
         "\U0001F469\u200d\U0001F373 \u2764\ufe0f\u200d\U0001F525"},
        {"a joiner between letters", "ig\u200dno\u200cre", 100, "ignore"},
        {"a joiner at the end", "\U0001F469\u200d", 100, "\U0001F469"},
        {"a joiner at the cut", "\U0001F469\u200d\U0001F373", 2, "\U0001F469"},
        {"a Persian non-joiner", "\u0645\u06cc\u200c\u062e", 9, "\u0645\u06cc\u200c\u062e"},
        {"one selector of several", "\u2764\ufe0f\ufe0e\ufe01\ufe02", 100, "\u2764\ufe0f"},
        {"an accent after its letter", "cafe\u0301", 100, "caf\u00e9"},
        {"an accent after its letter, cut", "e\u0301e\u0301", 1, "\u00e9"},
        {"an invisible character before an accent", "e\u200b\u0301", 100, "\u00e9"},
        {"a letter that is decomposed", "\u0958", 1, "\u0915"},
        {"cut by characters, not bytes", "\u00e9\u00e9\u00e9", 2, "\u00e9\u00e9"},
        {"cut to nothing", "abc", 0, ""},
        {"empty", "", 10, ""},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);

        const auto clean = clean_text(expected.text, expected.characters_max);

        EXPECT_EQ(clean, expected.clean);
        EXPECT_TRUE(is_utf8(clean));
        EXPECT_EQ(clean_text(clean, expected.characters_max), clean);
    }
}

}  // namespace
}  // namespace reelsd::model
