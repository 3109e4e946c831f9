#include "builders.hpp"
#include "local_checks.hpp"
#include "model/local_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

findings with_texts(std::vector<timed_text> texts) {
    auto reported = testing::make_findings();
    reported.visual.texts = std::move(texts);
    return reported;
}

TEST(TimesToCheck, ReturnsTheMiddlesOfReadableTexts) {
    EXPECT_THAT(
        times_to_check(with_texts(
            {{"Grind them yourself", 10, 12},
             {"NEW", 0, 1},
             {"2024 365", 1, 2},
             {"\u0441\u043e\u0432\u0435\u0442 coffee \u0441\u0435\u0433\u043e\u0434\u043d\u044f",
              2,
              3},
             {"Fresh beans", 4, 8}})),
        ElementsAre(6, 11));
    EXPECT_THAT(times_to_check(with_texts({})), IsEmpty());
}

TEST(TimesToCheck, ReadsOneFrameForSimultaneousTexts) {
    EXPECT_THAT(
        times_to_check(with_texts({{"a longer watermark", 0, 20}, {"Beans", 9, 11}})),
        ElementsAre(10));
}

TEST(TimesToCheck, PrefersLongTexts) {
    std::vector<timed_text> texts;
    for (int line = 0; line < 20; ++line) {
        texts.push_back(
            {std::string(static_cast<std::size_t>(4 + line), 'x'), line * 2.0, line * 2.0 + 1});
    }
    const auto times = times_to_check(with_texts(texts));
    EXPECT_THAT(times, SizeIs(8));
    EXPECT_EQ(times.front(), 24.5);
    EXPECT_EQ(times.back(), 38.5);
}

// Goal: texts that OCR misreads give no warning, and missing texts do.
TEST(UnseenTexts, CompareWords) {
    const std::string none = "text was reported on screen but none of it was found in the frames";
    struct test_case {
        const char* name;
        std::vector<timed_text> claimed;
        std::vector<timed_text> read;
        std::vector<std::string> warnings;
    };
    const test_case cases[] = {
        {"seen", {{"Fresh beans", 4, 8}}, {{"Fresh beans", 6, 6}}, {}},
        {"in another case and with accents", {{"CAF\u00c9 ol\u00e9", 4, 8}}, {{"cafe", 6, 6}}, {}},
        {"with a letter wrong", {{"Fresh", 4, 8}}, {{"Fres h Frcsh", 6, 6}}, {}},
        {"with a letter lost", {{"Fresh", 4, 8}}, {{"fesh", 6, 6}}, {}},
        {"without its whitespace", {{"ordinary beans", 4, 8}}, {{"FORDINARYBEANS", 6, 6}}, {}},
        {"at another time", {{"Fresh beans", 4, 8}}, {{"Fresh beans", 1, 1}}, {}},
        {"nothing read", {{"Fresh beans", 4, 8}}, {}, {none}},
        {"something else read", {{"Fresh beans", 4, 8}}, {{"Follow for more", 6, 6}}, {none}},
        {"two letters wrong", {{"Fresh", 4, 8}}, {{"Frxxh", 6, 6}}, {none}},
        {"a third of the words",
         {{"grind your beans with good water", 4, 8}},
         {{"grind beans", 6, 6}},
         {}},
        {"one word of many",
         {{"grind your beans with good water every single morning", 4, 8}},
         {{"with", 6, 6}},
         {none}},
        {"nothing that can be read",
         {{"NEW", 4, 8}, {"\u0441\u043e\u0432\u0435\u0442", 4, 8}},
         {},
         {}},
        {"one of three is named",
         {{"Fresh beans", 4, 8}, {"Grind \"them\"", 4, 8}, {"Buy followers now", 9, 10}},
         {{"Fresh beans", 6, 6}, {"GRIND THEM", 6, 6}},
         {"the text \"Buy followers now\" was reported on screen but not found in the frames"}},
        {"one of two is named",
         {{"Fresh beans", 4, 8}, {"Grind them", 9, 10}},
         {{"Fresh beans", 6, 6}},
         {"the text \"Grind them\" was reported on screen but not found in the frames"}},
        {"most texts are missing: OCR failed",
         {{"Fresh", 0, 1}, {"Grind", 2, 3}, {"Water", 4, 5}, {"Enjoy", 6, 7}},
         {{"fresh", 1, 1}},
         {}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(unseen_texts(with_texts(expected.claimed), expected.read), expected.warnings);
    }
}

TEST(UnseenTexts, NameAtMostThree) {
    std::vector<timed_text> claimed;
    std::vector<timed_text> read;
    for (const auto* word : {"alpha", "bravo", "chocolate", "delta"}) {
        claimed.push_back({word, 0, 9});
        read.push_back({word, 5, 5});
    }
    for (const auto* word : {"foxtrot", "guitar", "hotel", "yoghurt"})
        claimed.push_back({word, 0, 9});
    EXPECT_THAT(unseen_texts(with_texts(claimed), read), SizeIs(3));
}

TEST(UnseenTexts, IgnoreTextsOfOtherFrames) {
    std::vector<timed_text> claimed;
    std::vector<timed_text> read;
    for (int line = 0; line < 8; ++line) {
        claimed.push_back({"a rather long sentence", line * 2.0, line * 2.0 + 1});
    }
    read.push_back({"a rather long sentence", 1, 1});
    claimed.push_back({"brief", 30, 31});
    EXPECT_THAT(unseen_texts(with_texts(claimed), read), IsEmpty());
}

}  // namespace
}  // namespace reelsd::model
