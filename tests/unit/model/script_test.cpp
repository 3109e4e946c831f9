#include "script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MainScriptOf, NeedsFourInFiveOfTwelveLetters) {
    struct test_case {
        const char* text;
        script letters;
    };
    const test_case cases[] = {
        {"use fresh beans", script::latin},
        {"caf\u00e9 \u00e0 la cr\u00e8me", script::latin},
        {"short text", script::none},  // Nine letters.
        {"123 !!! \U0001F600 ...", script::none},
        {"\u0432\u043e\u0442 \u0442\u0440\u0438 \u0441\u043e\u0432\u0435\u0442\u0430",
         script::cyrillic},
        {"\u4eca\u5929\u6211\u4eec\u6765\u505a\u4e00\u9053\u7b80\u5355\u7684\u83dc", script::han},
        {"\u4eca\u65e5\u306f\u7c21\u5358\u306a\u6599\u7406\u3092\u4f5c\u308a\u307e\u3059",
         script::kana},
        {"\u0906\u091c \u0939\u092e \u0916\u093e\u0928\u093e "
         "\u092c\u0928\u093e\u090f\u0902\u0917\u0947",
         script::devanagari},
        {"\uc548\ub155\ud558\uc138\uc694 \uc624\ub298\uc740 \uc694\ub9ac\ub97c", script::hangul},
        {"mixed \u0432\u043e\u0442 \u0442\u0440\u0438 letters", script::none},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(name_of(main_script_of(expected.text)), name_of(expected.letters))
            << expected.text;
    }
}

TEST(FoldedWordsOf, TakesAwayCaseAndAccents) {
    EXPECT_THAT(
        folded_words_of("CAF\u00c9 cre\u0300me, Stra\u00dfe! don\u2019t \uff21\uff22\uff11"),
        ElementsAre("cafe", "creme", "strasse", "dont", "ab1"));
    EXPECT_THAT(
        folded_words_of("\u0141\u00f3d\u017a \u01a1\u1ebf \u0131\u011f"),
        ElementsAre("lodz", "oe", "ig"));
    EXPECT_THAT(folded_words_of("\u0432\u043e\u0442 \U0001F600 \xff"), IsEmpty());
}

}  // namespace
}  // namespace reelsd::model
