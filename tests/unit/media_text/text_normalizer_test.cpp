#include "text_normalizer.hpp"

#include <gtest/gtest.h>

#include <set>

namespace reelsd::media::text {
namespace {

TEST(PlainPunctuation, ReplacesTypographicMarks) {
    EXPECT_EQ(plain_punctuation("\u201cDon\u2019t\u201d \u2014 wait\u2026"), "\"Don't\" - wait...");
    EXPECT_EQ(plain_punctuation("caf\u00e9 $5"), "caf\u00e9 $5");
    EXPECT_EQ(plain_punctuation(""), "");
}

TEST(Similarity, IsOneMinusEditsByLength) {
    EXPECT_DOUBLE_EQ(similarity("", ""), 1);
    EXPECT_DOUBLE_EQ(similarity("abcd", "abcd"), 1);
    EXPECT_DOUBLE_EQ(similarity("abcd", "abxd"), 0.75);
    EXPECT_DOUBLE_EQ(similarity("abcd", "abcde"), 0.8);
    EXPECT_DOUBLE_EQ(similarity("", "ab"), 0);
}

// Goal: readings of one text are equal, texts that differ by a number are not. Method: table.
TEST(SameText, DistinguishesMisreadingsFromOtherTexts) {
    struct test_case {
        const char* a;
        const char* b;
        bool same;
    };
    constexpr test_case cases[] = {
        {"Wait for it", "Wait for it", true},
        {"Wait for it", "Wa1t for it", true},
        {"Bake for 25 minutes", "Bake for 25 minute", true},
        {"Wait for it", "Swipe left", false},
        {"Part 1", "Part 2", false},
        {"Only $19.99 this week", "Only $19.98 this week", false},
        {"OK", "GO", false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.a);
        EXPECT_EQ(same_text(expected.a, expected.b), expected.same);
        EXPECT_EQ(same_text(expected.b, expected.a), expected.same);
    }
}

TEST(GrowsInto, ComparesWholeWords) {
    EXPECT_TRUE(grows_into("Stop", "Stop scrolling"));
    EXPECT_TRUE(grows_into("Stop scr0lling", "Stop scrolling now"));
    EXPECT_FALSE(grows_into("Stop scrolling", "Stop scrolling"));
    EXPECT_FALSE(grows_into("scrolling", "Stop scrolling"));
    EXPECT_FALSE(grows_into("", "Stop"));
}

TEST(IsPartOf, ComparesWholeWords) {
    EXPECT_TRUE(is_part_of("every single", "Do this every single day"));
    EXPECT_FALSE(is_part_of("morning", "Do this every single day"));
    EXPECT_FALSE(is_part_of("Do this every single day", "every single"));
}

class OcrFilter : public ::testing::Test {
protected:
    static line_reading reading(std::initializer_list<word_reading> words) {
        return {.words = words};
    }
    [[nodiscard]] std::string kept(const line_reading& said, const evidence& seen) const {
        return filter_.filter(said, seen).text;
    }

    ocr_filter filter_{[](std::string_view word) {
        static const std::set<std::string_view> dictionary{
            "Wait", "for", "it", "WOW", "Don", "tips", "eat"};
        return dictionary.contains(word);
    }};
};

// Goal: captions are kept, and misread texture is dropped. Method: a table of observed readings.
TEST_F(OcrFilter, KeepsCaptionsAndDropsNoise) {
    struct test_case {
        const char* name;
        line_reading text;
        evidence seen;
        const char* kept;
    };
    const test_case cases[] = {
        {"plain words",
         reading({{"Wait", 96, true}, {"for", 95, true}, {"it", 94, true}}),
         {.sightings = 8, .letters = 9},
         "Wait for it"},
        {"noise at both ends",
         reading({{"~", 30}, {"Wait", 96, true}, {"for", 95, true}, {"ti", 40}}),
         {.sightings = 8, .letters = 9},
         "Wait for"},
        {"a price", reading({{"$19.99", 88}}), {.sightings = 4, .letters = 6}, "$19.99"},
        {"a handle",
         reading({{"@kitchen.stories", 71}}),
         {.sightings = 4, .letters = 15},
         "@kitchen.stories"},
        {"a short word", reading({{"WOW", 93, true}}), {.sightings = 3, .letters = 3}, "WOW"},
        {"a short word seen once",
         reading({{"WOW", 93, true}}),
         {.sightings = 1, .letters = 3},
         ""},
        {"two letters of texture", reading({{"Md", 95}}), {.sightings = 9, .letters = 2}, ""},
        {"an abbreviation", reading({{"4K", 95}}), {.sightings = 9, .letters = 2}, "4K"},
        {"a digit and a word",
         reading({{"5", 90}, {"tips", 92, true}}),
         {.sightings = 4, .letters = 6},
         "5 tips"},
        {"windows", reading({{"LLLLLL", 97}}), {.sightings = 9, .letters = 6}, ""},
        {"low confidence",
         reading({{"grass", 52}, {"ikely", 48}}),
         {.sightings = 9, .letters = 10},
         ""},
        {"far more pieces than letters",
         reading({{"Wait", 70, true}}),
         {.sightings = 9, .letters = 30},
         ""},
        {"a lost apostrophe",
         reading({{"Don", 90, true}, {"t", 88}, {"Wait", 92, true}}),
         {.sightings = 9, .letters = 8},
         "Don't Wait"},
        {"a bar for an I",
         reading({{"Wait", 92, true}, {"|", 90}, {"eat", 92, true}}),
         {.sightings = 9, .letters = 8},
         "Wait I eat"},
        {"nothing", reading({}), {.sightings = 9, .letters = 8}, ""},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(kept(expected.text, expected.seen), expected.kept);
    }
}

}  // namespace
}  // namespace reelsd::media::text
