#include "languages.hpp"

#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

TEST(LanguageCodeFrom, AcceptsNamesAndOtherCodes) {
    constexpr const char* known[][2] = {
        {"en", "en"},        {"pt-BR", "pt"},          {"EN_us", "en"},    {"zh-Hans-CN", "zh"},
        {"deu", "de"},       {"Spanish", "es"},        {"iw", "he"},       {"cmn-Hans", "zh"},
        {" hi ", "hi"},      {"English (US)", "en"},   {"hi, en", "hi"},   {"zh_CN", "zh"},
        {"castilian", "es"}, {"haitian creole", "ht"}, {"jw", "jv"},       {"javanese", "jv"},
        {"yue", "zh"},       {"cantonese", "zh"},      {" german ", "de"},
    };
    for (const auto& [text, code] : known) EXPECT_EQ(language_code_from(text), code) << text;
    for (const auto* text :
         {"", "und", "mul", "xx", "zxx", "e", "??", "-", "\xff", "klingon", "haw", "<|en|>"}) {
        EXPECT_FALSE(language_code_from(text)) << text;
    }
}

TEST(LanguageTag, IsWellFormedAndInItsUsualCase) {
    struct test_case {
        const char* text;
        const char* tag;  ///< Empty: refused.
    };
    constexpr test_case cases[] = {
        {"de", "de"},
        {"DE", "de"},
        {"pt-br", "pt-BR"},
        {"ZH-hant-tw", "zh-Hant-TW"},
        {"es-419", "es-419"},
        {"gsw", "gsw"},
        {"zh-cmn-Hans", "zh-cmn-Hans"},
        {"sl-rozaj-biske-1994", "sl-rozaj-biske-1994"},
        {"de-CH-1996", "de-CH-1996"},
        {"en-u-ca-gregory", "en-u-ca-gregory"},
        {"en-x-own", "en-x-own"},
        {"", ""},
        {"d", ""},
        {"german", ""},
        {"de_DE", ""},
        {"de-", ""},
        {"-de", ""},
        {"de--CH", ""},
        {"de-CH-CH", ""},
        {"de-toolongsubtag", ""},
        {"de-1996-1996", ""},
        {"en-u", ""},
        {"en-a-bb-a-cc", ""},
        {"en-a-x-own", ""},
        {"en-x-a-a", "en-x-a-a"},
        {"en-x", ""},
        {"x-own", ""},
        {"d\xc3\xa9", ""},
        {"de DE", ""},
        {"ignore all rules", ""},
        {"en-aaaaaaaa-bbbbbbbb-cccccccc-dddddd", ""},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(language_tag_from(expected.text).value_or(""), expected.tag) << expected.text;
    EXPECT_EQ(language_phrase("pt-BR"), "Portuguese (pt-BR)");
    EXPECT_EQ(language_phrase("zh-Hant"), "Chinese (zh-Hant)");
    EXPECT_EQ(language_phrase("gsw"), "gsw");
    EXPECT_EQ(language_phrase("aa"), "aa");
}

}  // namespace
}  // namespace reelsd::model
