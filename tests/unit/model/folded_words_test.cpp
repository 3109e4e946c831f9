#include "folded_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FoldedWordsOf, TakesAwayCaseAndAccents) {
    EXPECT_THAT(
        folded_words_of("CAF\u00c9 cre\u0300me, Stra\u00dfe! don\u2019t \uff21\uff22\uff11"),
        ElementsAre("cafe", "creme", "strasse", "dont", "ab1"));
    EXPECT_THAT(
        folded_words_of("\u0141\u00f3d\u017a \u01a1\u1ebf \u0131\u011f"),
        ElementsAre("lodz", "oe", "ig"));
    EXPECT_THAT(folded_words_of("\u0432\u043e\u0442 \U0001F600 \xff"), IsEmpty());
}

TEST(IsMostlyLatin, ComparesLetters) {
    EXPECT_TRUE(is_mostly_latin("caf\u00e9 \u00e0 la cr\u00e8me 123"));
    EXPECT_TRUE(is_mostly_latin("three \u0432\u043e\u0442"));
    EXPECT_FALSE(is_mostly_latin("\u0432\u043e\u0442 \u0442\u0440\u0438 no"));
    EXPECT_FALSE(is_mostly_latin("123 \U0001F600"));
}

}  // namespace
}  // namespace reelsd::model
