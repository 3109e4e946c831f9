#include "timeline.hpp"

#include <gtest/gtest.h>

namespace reelsd::media::text {
namespace {

constexpr picture::box upper{100, 200, 500, 240};
constexpr picture::box lower{100, 600, 500, 640};

sighting moving(
    const char* text, double start, double end, picture::box first_place, picture::box last_place,
    double confidence = 0.92) {
    return {
        .text = text,
        .confidence = confidence,
        .frames = static_cast<int>((end - start) * 4),
        .start_seconds = start,
        .end_seconds = end,
        .first_place = first_place,
        .last_place = last_place};
}

sighting seen(const char* text, double start, double end, picture::box place = upper) {
    return moving(text, start, end, place, place);
}

sighting clear(const char* text, double start, double end) {
    return moving(text, start, end, upper, upper, 0.97);
}

struct expected_text {
    const char* text;
    double start;
    double end;
};

// Goal: only sightings of one text are merged. Method: table of sightings.
TEST(MergeSightings, JoinsSightingsOfOneText) {
    struct test_case {
        const char* name;
        std::vector<sighting> given;
        std::vector<expected_text> merged;
    };
    const test_case cases[] = {
        {"nothing", {}, {}},
        {"a gap of a few frames",
         {seen("Wait for it", 1, 2), seen("Wait for it", 2.5, 4)},
         {{"Wait for it", 1, 4}}},
        {"a misreading in the shorter sighting",
         {seen("Wa1t for it", 1, 1.5), seen("Wait for it", 1.5, 4)},
         {{"Wait for it", 1, 4}}},
        {"the same words much later",
         {seen("Wait for it", 1, 2), seen("Wait for it", 6, 7)},
         {{"Wait for it", 1, 2}, {"Wait for it", 6, 7}}},
        {"the same words in two places",
         {seen("Sale", 1, 5), seen("Sale", 1, 5, lower)},
         {{"Sale", 1, 5}, {"Sale", 1, 5}}},
        {"the same words in another size",
         {seen("Huge sale", 1, 3), seen("Huge sale", 3.25, 5, {200, 200, 400, 230})},
         {{"Huge sale", 1, 3}, {"Huge sale", 3.25, 5}}},
        {"words that grow as they appear",
         {seen("Huge sale", 1, 1.5, {200, 200, 400, 230}), seen("Huge sale", 1.5, 5)},
         {{"Huge sale", 1, 5}}},
        {"another part",
         {seen("Part 1", 1, 3), seen("Part 2", 3, 5)},
         {{"Part 1", 1, 3}, {"Part 2", 3, 5}}},
        {"another word",
         {clear("I love this", 1, 3), clear("I hate this", 3, 5), clear("I have this", 5, 7)},
         {{"I love this", 1, 3}, {"I hate this", 3, 5}, {"I have this", 5, 7}}},
        {"the opposite",
         {clear("Do this", 1, 3), clear("Don't do this", 3, 5)},
         {{"Do this", 1, 3}, {"Don't do this", 3, 5}}},
        {"a larger number after a gap",
         {clear("$50 haircut", 1, 3), clear("$500 haircut", 3.5, 5)},
         {{"$50 haircut", 1, 3}, {"$500 haircut", 3.5, 5}}},
        {"another word of a few frames",
         {clear("I love this", 1, 3), clear("I lave this", 3, 3.5)},
         {{"I love this", 1, 3.5}}},
        {"letters that appear one after the other",
         {clear("Never g", 1, 1.25),
          clear("Never gonn", 1.25, 1.75),
          clear("Never gonna", 1.75, 4)},
         {{"Never gonna", 1, 4}}},
        {"words added slowly",
         {clear("Do this", 1, 3), clear("Do this every day", 3, 5)},
         {{"Do this every day", 1, 5}}},
        {"word by word",
         {seen("Stop", 1, 1.5), seen("Stop scrolling", 1.5, 2), seen("Stop scrolling now", 2, 4)},
         {{"Stop scrolling now", 1, 4}}},
        {"a text that fades into another",
         {seen("Mix flour and butter", 1, 3),
          seen("Mix floBaknit butter", 3, 3.25),
          seen("Bake it", 3.25, 6, {200, 200, 400, 240})},
         {{"Mix flour and butter", 1, 3}, {"Bake it", 3.25, 6}}},
        {"a brief text between two others",
         {seen("Mix flour and butter", 1, 3),
          seen("Then", 3, 3.25, {250, 200, 350, 240}),
          seen("Bake it", 3.25, 6, {200, 200, 400, 240})},
         {{"Mix flour and butter", 1, 3}, {"Then", 3, 3.25}, {"Bake it", 3.25, 6}}},
        {"words of different lengths",
         {seen("Today", 0, 0.75, {200, 200, 400, 240}),
          seen("because", 0.75, 1.25),
          seen("friend", 1.25, 2, {200, 200, 400, 240})},
         {{"Today", 0, 0.75}, {"because", 0.75, 1.25}, {"friend", 1.25, 2}}},
        {"words one after the other",
         {seen("Stop", 1, 1.5), seen("scrolling", 1.5, 2)},
         {{"Stop", 1, 1.5}, {"scrolling", 1.5, 2}}},
        {"a longer line elsewhere",
         {seen("Stop", 1, 1.5), seen("Stop scrolling", 1.5, 2, lower)},
         {{"Stop", 1, 1.5}, {"Stop scrolling", 1.5, 2}}},
        {"a part of the line",
         {seen("Do this every day", 1, 4), seen("every day", 2, 3)},
         {{"Do this every day", 1, 4}}},
        {"a piece without its first letters",
         {seen("Do this every day", 1, 4), seen("othisevery d", 2, 3)},
         {{"Do this every day", 1, 4}}},
        {"letters of a line, at their place",
         {seen("Do this every day", 1, 4), seen("Do", 2, 3, {100, 200, 150, 240})},
         {{"Do this every day", 1, 4}}},
        {"the same letters elsewhere in the row",
         {seen("Do this every day", 1, 4), seen("Do", 2, 3, {450, 200, 500, 240})},
         {{"Do this every day", 1, 4}, {"Do", 2, 3}}},
        {"a letter of the next word",
         {seen("a", 1, 1.5, {280, 200, 320, 240}), seen("day", 1.75, 2.5)},
         {{"a", 1, 1.5}, {"day", 1.75, 2.5}}},
        {"three letters that slid in first",
         {seen("day", 1, 1.5, {100, 200, 180, 240}), seen("Do this every day", 1.5, 4)},
         {{"Do this every day", 1, 4}}},
        {"a smaller line that the larger one moved over",
         {seen("10 minute workout", 1, 2, {200, 214, 400, 226}), seen("MINUTE", 2.25, 5)},
         {{"10 minute workout", 1, 2}, {"MINUTE", 2.25, 5}}},
        {"a piece of a line that rises",
         {seen("end above today", 1.5, 1.75, {250, 300, 500, 340}),
          moving("Friend above today", 2, 4, {100, 250, 500, 290}, {100, 110, 500, 150})},
         {{"Friend above today", 1.5, 4}}},
        {"a piece where a line was before it rose",
         {moving("Friend above today", 1, 4, {100, 300, 500, 340}, {100, 110, 500, 150}),
          seen("above today", 3, 3.25, {250, 300, 500, 340})},
         {{"Friend above today", 1, 4}, {"above today", 3, 3.25}}},
        {"a similar text of some frames",
         {seen("Then this", 1, 2), seen("T henithi", 2, 3)},
         {{"Then this", 1, 2}, {"T henithi", 2, 3}}},
        {"an address and a part of it much later",
         {seen("shop.example", 1, 2), seen("shop", 4, 5)},
         {{"shop.example", 1, 2}, {"shop", 4, 5}}},
        {"a handle hidden for some seconds",
         {seen("@kitchen.stories", 1, 2), seen("@kitchen.storie", 6, 7)},
         {{"@kitchen.stories", 1, 7}}},
        {"a line that moved away",
         {seen("Wait for it", 1, 2), seen("Wait for it", 2.1, 3, lower)},
         {{"Wait for it", 1, 3}}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto texts = merge_sightings(expected.given);
        ASSERT_EQ(texts.size(), expected.merged.size());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            EXPECT_EQ(texts[i].text, expected.merged[i].text);
            EXPECT_DOUBLE_EQ(texts[i].start_seconds, expected.merged[i].start);
            EXPECT_DOUBLE_EQ(texts[i].end_seconds, expected.merged[i].end);
        }
    }
}

TEST(MergeSightings, OrdersByStartThenFromTheTop) {
    const auto texts =
        merge_sightings({seen("third", 3, 4), seen("below", 1, 2, lower), seen("above", 1, 2)});
    ASSERT_EQ(texts.size(), 3U);
    EXPECT_EQ(texts[0].text, "above");
    EXPECT_EQ(texts[1].text, "below");
    EXPECT_EQ(texts[2].text, "third");
}

TEST(MergeSightings, OrdersARowFromTheLeft) {
    const auto texts = merge_sightings(
        {seen("CONS", 1, 2, {420, 299, 560, 340}),
         seen("PROS", 1, 2, {100, 300, 240, 341}),
         seen("later", 2, 3, {10, 290, 90, 340})});
    ASSERT_EQ(texts.size(), 3U);
    EXPECT_EQ(texts[0].text, "PROS");
    EXPECT_EQ(texts[1].text, "CONS");
    EXPECT_EQ(texts[2].text, "later");
}

TEST(MergeSightings, TakesAnEmptyPlace) {
    // Extrapolated, a line that shrinks may have no height.
    const auto texts = merge_sightings({seen("flat", 1, 2, {100, 300, 240, 300})});
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_EQ(texts[0].text, "flat");
}

TEST(IsGlimpse, SmallLettersNeedTimeOrClarity) {
    const auto brief = [](picture::box place, double confidence, double seconds = 0.25) {
        return is_glimpse(moving("Wait", 1, 1 + seconds, place, place, confidence));
    };
    constexpr picture::box large{100, 200, 500, 250};
    constexpr picture::box small{100, 200, 300, 220};
    EXPECT_TRUE(brief(upper, 0.98));
    EXPECT_FALSE(brief(upper, 0.99));
    EXPECT_FALSE(brief(upper, 0.98, 0.5)) << "two frames";
    EXPECT_TRUE(brief(small, 0.98, 1.75));
    EXPECT_FALSE(brief(small, 0.99, 1.75));
    EXPECT_FALSE(brief(small, 0.9, 2)) << "time to read it";
    EXPECT_FALSE(brief(large, 0.93));
    EXPECT_TRUE(brief({-4, 200, 400, 250}, 0.99)) << "cut off at the left";
    EXPECT_TRUE(brief({500, 200, 721, 250}, 0.99)) << "cut off at the right";
}

// Goal: a line of averaged frames counts only if single frames have no better. Method: table.
TEST(IsMissed, ComparesWithSingleFrames) {
    struct test_case {
        const char* name;
        sighting line;
        std::vector<sighting> frames;
        bool missed;
    };
    const picture::box whole{100, 200, 500, 240};
    const picture::box end{400, 200, 500, 240};
    const test_case cases[] = {
        {"no frame shows a text", clear("@daily_moves", 1, 3), {}, true},
        {"the frames show the text",
         clear("Wait for it", 1, 3),
         {seen("Wa1t for it", 1, 3)},
         false},
        {"a frame just before shows more",
         clear("ait for", 1, 3),
         {seen("Wait for it", 0, 1)},
         false},
        {"pieces, now and then",
         clear("@daily_moves", 1, 5),
         {seen("oves", 1, 2, end), seen("moves", 4, 4.5, end)},
         true},
        {"a piece all the time",
         clear("ning anything", 1, 3),
         {seen("anything", 1, 3, whole)},
         false},
        {"another text all the time",
         clear("Wait for it", 1, 3),
         {seen("Swipe left", 1, 3)},
         false},
        {"another text at first", clear("Wait for it", 1, 3), {seen("Swipe left", 0, 1.25)}, true},
        {"another text elsewhere",
         clear("Wait for it", 1, 3),
         {seen("Swipe left", 1, 3, lower)},
         true},
        {"few letters", clear("nd", 1, 3), {}, false},
        {"a single picture", clear("Wait for it", 1, 1.25), {}, false},
        {"little confidence", moving("Wait for it", 1, 3, upper, upper, 0.9), {}, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(is_missed(expected.line, expected.frames), expected.missed);
    }
}

}  // namespace
}  // namespace reelsd::media::text
