#include "answer/repetition.hpp"

#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

std::string times(std::size_t count, std::string_view unit) {
    std::string text;
    for (std::size_t turn = 0; turn < count; ++turn) text += unit;
    return text;
}

// Goal: one unit of a loop remains, and natural repetition is unchanged.
TEST(CutLoops, KeepsOneUnit) {
    struct test_case {
        const char* name;
        std::string text;
        std::string left;
    };
    const std::string fifty = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLM ";
    const test_case cases[] = {
        {"a phrase", "Start. " + times(10, "and then we ") + "stop.", "Start. and then we stop."},
        {"without an end", "So " + times(300, "good morning "), "So good morning"},
        {"fifty characters", times(10, fifty), fifty},
        {"a short unit", times(40, "ha "), "ha "},
        {"one character", "no" + times(200, "o"), "no"},
        {"another script",
         times(14, "\u043e\u0447\u0435\u043d\u044c "),
         "\u043e\u0447\u0435\u043d\u044c "},
        {"two loops", times(20, "left left ") + "|" + times(20, "right "), "left |right "},
        {"a loop of loops", times(10, times(10, "abcdefgh") + "-"), "abcdefgh-"},
        {"nine times may be", times(9, "and then we "), times(9, "and then we ")},
        {"laughter may be", times(20, "ha "), times(20, "ha ")},
        {"a longer unit may be", times(10, fifty + "."), times(10, fifty + ".")},
        {"nothing", "", ""},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto text = expected.text;
        EXPECT_EQ(cut_loops(text), expected.text != expected.left);
        EXPECT_EQ(text, expected.left);
        EXPECT_FALSE(cut_loops(text));
    }
}

TEST(CutLoops, FindsLoopsAtEveryPosition) {
    const auto loop = times(10, "12345678");
    for (std::size_t before = 0; before < 200; ++before) {
        std::string text;
        for (std::size_t at = 0; at < before; ++at) text += static_cast<char>('a' + at * 7 % 26);
        const auto start = text;
        text += loop + "end";
        EXPECT_TRUE(cut_loops(text)) << before;
        EXPECT_EQ(text, start + "12345678end");
    }
}

TEST(CleanWithoutLoops, ReportsCuts) {
    bool cut = false;
    EXPECT_EQ(clean_without_loops(" fine\u200b ", 100, cut), "fine");
    EXPECT_FALSE(cut);
    EXPECT_EQ(clean_without_loops(times(100, "very very "), 4000, cut), "very");
    EXPECT_TRUE(cut);
}

// Goal: entries recur at most as often as in a chorus.
TEST(EntriesWithoutLoops, KeepsAChorus) {
    using ids = std::vector<std::size_t>;
    const auto kept = [](const ids& all) {
        ids left;
        for (const auto at : entries_without_loops(all)) left.push_back(all[at]);
        return left;
    };
    ids rounds;
    for (int turn = 0; turn < 9; ++turn) rounds.insert(rounds.end(), {1, 2});
    EXPECT_EQ(kept(rounds), rounds);
    rounds.insert(rounds.end(), {1, 2, 1, 3});
    EXPECT_EQ(kept(rounds), (ids{1, 2, 3}));

    EXPECT_EQ(kept({}), ids{});
    EXPECT_EQ(kept({1, 1, 1, 2}), (ids{1, 1, 1, 2}));
    EXPECT_EQ(kept({1, 1, 1, 1, 2}), (ids{1, 1, 1, 2}));
    EXPECT_EQ(kept({3, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2}), (ids{3, 1, 1, 1, 2, 2, 2}));
}

TEST(IsFilledByOne, RequiresFourAndHalf) {
    EXPECT_FALSE(is_filled_by_one({}));
    EXPECT_FALSE(is_filled_by_one({"a", "a", "a"}));
    EXPECT_TRUE(is_filled_by_one({"a", "a", "a", "a"}));
    EXPECT_TRUE(is_filled_by_one({"a", "b", "a", "c", "a", "d", "a", "e"}));
    EXPECT_FALSE(is_filled_by_one({"a", "b", "a", "c", "a", "d", "a", "e", "f"}));
}

}  // namespace
}  // namespace reelsd::model
