#include "words.hpp"

#include <gmock/gmock.h>

#include <string_view>

namespace reelsd::model {
namespace {

std::string_view part_of(std::string_view text, std::string_view quote) {
    return folded_text{text}.find(folded_text{quote});
}

// Goal: a quotation is found although it is written otherwise, and is returned as it is stored.
// Method: pairs of a stored text and a quotation.
TEST(FoldedText, FindsQuotationsThatAreWrittenOtherwise) {
    struct test_case {
        const char* name;
        std::string_view text;
        std::string_view quote;
        std::string_view found;
    };
    constexpr test_case cases[] = {
        {"the same", "two cups of flour", "cups of", "cups of"},
        {"letter case", "Two Cups of FLOUR", "two cups OF flour", "Two Cups of FLOUR"},
        {"whitespace", "two\n cups\tof  flour", "two cups of flour", "two\n cups\tof  flour"},
        {"punctuation",
         "First: sift, then fold!",
         "first sift then fold",
         "First: sift, then fold!"},
        {"quotation marks",
         "say \u201ccheese\u201d now",
         "say \"cheese\" now",
         "say \u201ccheese\u201d now"},
        {"an ellipsis at the end",
         "rest the dough overnight",
         "rest the dough...",
         "rest the dough"},
        {"sharp s", "Stra\u00dfe", "STRASSE", "Stra\u00dfe"},
        {"composed and decomposed",
         "cafe\u0301 cr\u00e8me",
         "CAF\u00c9 CRE\u0300ME",
         "cafe\u0301 cr\u00e8me"},
        {"full width", "\uff12\uff10\uff10 \uff47", "200 g", "\uff12\uff10\uff10 \uff47"},
        {"ligature", "\ufb01ne \ufb02our", "fine flour", "\ufb01ne \ufb02our"},
        {"Japanese",
         "\u4eca\u65e5\u306f\u30d1\u30b9\u30bf\u3092\u4f5c\u308a\u307e\u3059\u3002",
         "\u30d1\u30b9\u30bf\u3092\u4f5c\u308a\u307e\u3059",
         "\u30d1\u30b9\u30bf\u3092\u4f5c\u308a\u307e\u3059\u3002"},
        {"half-width kana",
         "\uff8a\uff9f\uff7d\uff80",
         "\u30d1\u30b9\u30bf",
         "\uff8a\uff9f\uff7d\uff80"},
        {"Hangul in jamo",
         "\u1112\u1161\u11ab\u1100\u1173\u11af",
         "\ud55c\uae00",
         "\u1112\u1161\u11ab\u1100\u1173\u11af"},
        {"Cyrillic",
         "\u0414\u0432\u0435 \u0447\u0430\u0448\u043a\u0438 \u043c\u0443\u043a\u0438",
         "\u0434\u0432\u0435 \u0427\u0410\u0428\u041a\u0418",
         "\u0414\u0432\u0435 \u0447\u0430\u0448\u043a\u0438"},
        {"Greek final sigma",
         "\u03cc\u03c1\u03bf\u03c2",
         "\u038c\u03a1\u039f\u03a3",
         "\u03cc\u03c1\u03bf\u03c2"},
        {"Arabic",
         "\u0643\u0648\u0628\u0627\u0646 \u0645\u0646 \u0627\u0644\u0637\u062d\u064a\u0646",
         "\u0645\u0646 \u0627\u0644\u0637\u062d\u064a\u0646",
         "\u0645\u0646 \u0627\u0644\u0637\u062d\u064a\u0646"},
        {"invisible characters", "fl\u200bour", "flour", "fl\u200bour"},
        {"emoji", "so good \U0001F60B!", "good \U0001F60B", "good \U0001F60B!"},
        {"one character that is all", "5", "5.", "5"},
        {"whole words after a part", "unsafe, but safe to eat", "safe to eat", "safe to eat"},
        {"a number with its marks",
         "at 10:30, 1,000 cups",
         "10:30 1,000 cups",
         "10:30, 1,000 cups"},
        {"after an elision", "de l'huile d'olive", "huile d'olive", "huile d'olive"},
        {"after an emoji", "\u2714\ufe0f2 cups flour", "2 cups flour", "2 cups flour"},
        {"after a keycap", "1\ufe0f\u20e3Mix well", "mix well", "Mix well"},
        {"after a circled number", "\u2460Buy fresh \u2461Store", "buy fresh", "Buy fresh"},
        {"an emoji without its selector", "so \u2714\ufe0f good", "so \u2714", "so \u2714\ufe0f"},
        {"the owner", "It's John's recipe", "John", "John"},
        {"a Turkish suffix", "\u0130stanbul'da \u00e7ekildi", "\u0130stanbul", "\u0130stanbul"},
        {"a Korean particle",
         "\uc11c\uc6b8\uc5d0\uc11c \ucd2c\uc601",
         "\uc11c\uc6b8",
         "\uc11c\uc6b8"},
        {"a Korean particle after Latin letters", "BTS\uac00 \uc654\ub2e4", "BTS", "BTS"},
        {"an Arabic conjunction",
         "\u0627\u0644\u0643\u062a\u0627\u0628 \u0648\u0627\u0644\u0642\u0644\u0645",
         "\u0627\u0644\u0642\u0644\u0645",
         "\u0627\u0644\u0642\u0644\u0645"},
        {"a Hebrew article",
         "\u05e7\u05de\u05d7 \u05d5\u05d4\u05e1\u05d5\u05db\u05e8",
         "\u05d4\u05e1\u05d5\u05db\u05e8",
         "\u05d4\u05e1\u05d5\u05db\u05e8"},
        {"a number with its unit", "Doors open 10:30pm", "Doors open 10:30", "Doors open 10:30"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(part_of(expected.text, expected.quote), expected.found);
    }
}

TEST(FoldedText, FindsNothingElse) {
    struct test_case {
        const char* name;
        std::string_view text;
        std::string_view quote;
    };
    constexpr test_case cases[] = {
        {"another word", "two cups of flour", "three cups of flour"},
        {"two parts", "sift the flour, then fold the eggs", "sift the eggs"},
        {"an ellipsis between two parts", "sift the flour, then fold", "sift ... fold"},
        {"another order", "flour and eggs", "eggs and flour"},
        {"another letter with a mark", "el a\u00f1o nuevo", "el ano nuevo"},
        {"more than the text", "flour", "flour and eggs"},
        {"punctuation alone", "flour, eggs", ","},
        {"nothing", "flour", ""},
        {"one character of several", "flour", "f"},
        {"a part of nothing", "", "flour"},
        {"another sign", "costs 5 \u20ac", "costs 5 $"},
        {"a part of a word", "It is unsafe to eat", "safe to eat"},
        {"a word that goes on", "You can't eat it", "You can"},
        {"a part of a number", "Then 2.5 kg of sugar", "5 kg of sugar"},
        {"digits of a number", "Add 12 cups of flour", "2 cups of flour"},
        {"a number that goes on", "costs 10.50 a piece", "costs 10"},
        {"another number with these digits", "Then 2.5 kg", "25 kg"},
        {"a negation in capitals", "YOU CAN\u2019T EAT IT", "you can"},
        {"a fraction of a number", "Add 2\u00bd cups", "\u00bd cups"},
        {"a number before a fraction", "Add 2\u00bd cups", "add 2"},
        {"the rest of an Arabic word",
         "\u0643\u062a\u0627\u0628\u0646\u0627",
         "\u0643\u062a\u0627\u0628"},
        {"a part of a Korean word",
         "\ub300\ud55c\ubbfc\uad6d \ub9cc\uc138",
         "\ubbfc\uad6d \ub9cc\uc138"},
        {"a part of a word with an accent", "cafe\u0301s", "cafe\u0301"},
        {"a part of a word with vowel signs",
         "\u0915\u0941\u0924\u094d\u0924\u093e \u0939\u0948",
         "\u0924\u094d\u0924\u093e \u0939\u0948"},
        {"a letter and its number", "vitamin B12", "vitamin B"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(part_of(expected.text, expected.quote), "");
    }
}

TEST(FoldedText, ReadsBrokenText) {
    EXPECT_EQ(part_of("fl\xffour", "flour"), "") << "an invalid byte is a character";
    EXPECT_EQ(part_of("\xff\xfe two cups", "two cups"), "two cups");
    EXPECT_EQ(part_of("\u0301\u0301 two", "two"), "two") << "marks without a letter";
}

}  // namespace
}  // namespace reelsd::model
