#include "recogniser.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media::text {
namespace {

/// Classes: 0 blank, then a, A, full-width a, B, comma, a Chinese character, %, $, the space.
const alphabet& letters() {
    static const alphabet small{{"a", "A", "\uFF41", "B", ",", "\u6C34", "%", "$", " "}};
    return small;
}
constexpr std::size_t blank = 0;
constexpr std::size_t space = 9;

struct step {
    std::size_t best = blank;
    float probability = 0.9F;
    float space_probability = 0;
};

line_reading decoded(const std::vector<step>& steps) {
    const std::size_t classes = letters().classes();
    std::vector<float> values(steps.size() * classes);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        values[i * classes + space] = steps[i].space_probability;
        values[i * classes + steps[i].best] = steps[i].probability;
    }
    return decode(values, letters());
}

// Goal: repetitions, blanks and spaces become text. Method: a table of steps.
TEST(Decode, CollapsesStepsToText) {
    struct test_case {
        const char* name;
        std::vector<step> steps;
        std::string_view text;
    };
    const test_case cases[] = {
        {"nothing", {}, ""},
        {"blanks", {{blank}, {blank}}, ""},
        {"one character over two steps", {{1}, {1}}, "a"},
        {"the same character twice", {{1}, {blank}, {1}}, "aa"},
        {"a certain space", {{1}, {space}, {4}}, "a B"},
        {"a probable space in a blank", {{1}, {blank, 0.9F, 0.05F}, {4}}, "a B"},
        {"a probable space in a letter", {{1}, {4, 0.9F, 0.05F}}, "a B"},
        {"an improbable space", {{1}, {blank, 0.9F, 0.01F}, {4}}, "aB"},
        {"an improbable space in a wide gap",
         {{1}, {4}, {blank}, {blank, 0.9F, 0.01F}, {1}, {4}},
         "aB aB"},
        {"letters far apart",
         {{1},
          {blank},
          {blank},
          {blank},
          {blank, 0.9F, 0.05F},
          {4},
          {blank},
          {blank},
          {blank},
          {blank},
          {1}},
         "aBa"},
        {"a space between letters far apart",
         {{1},
          {blank},
          {blank},
          {blank},
          {blank, 0.9F, 0.07F},
          {4},
          {blank},
          {blank},
          {blank},
          {blank},
          {1}},
         "a Ba"},
        {"a space after a comma", {{1}, {5}, {4, 0.9F, 0.05F}}, "a, B"},
        {"a space before a price", {{5}, {8, 0.9F, 0.05F}}, ", $"},
        {"a space after a percentage", {{7}, {4, 0.9F, 0.05F}}, "% B"},
        {"no space around Chinese", {{1}, {blank, 0.9F, 0.05F}, {6}}, "a\u6C34"},
        {"only one space", {{1}, {space, 0.9F, 0.9F}, {blank, 0.9F, 0.5F}, {4}}, "a B"},
        {"a full-width letter", {{3}}, "a"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(decoded(expected.steps).text, expected.text);
    }
}

TEST(Decode, IsAsConfidentAsItsCharacters) {
    EXPECT_DOUBLE_EQ(decoded({}).confidence, 0);
    EXPECT_NEAR(decoded({{1, 0.9F}, {blank, 0.3F}, {4, 0.7F}}).confidence, 0.8, 1e-6);
}

TEST(Decode, AddsTheOtherCaseToTheConfidence) {
    std::vector<float> values(letters().classes());
    values[1] = 0.5F;
    values[2] = 0.3F;
    values[4] = 0.2F;
    const auto reading = decode(values, letters());
    EXPECT_EQ(reading.text, "a");
    EXPECT_NEAR(reading.confidence, 0.8, 1e-6);
}

TEST(Alphabet, ReplacesTypographicForms) {
    const alphabet forms{
        {"\u201c", "\u2019", "\u2026", "\uFF01", "\uFF5E", "\u4eca", "\u00e9", " "}};
    const char* const plain[] = {"\"", "'", "...", "!", "~", "\u4eca", "\u00e9"};
    for (std::size_t i = 0; i < std::size(plain); ++i) EXPECT_EQ(forms.of(i + 1), plain[i]);
}

TEST(Alphabet, FindsTheOtherCase) {
    EXPECT_EQ(letters().other_case(1), 2U);
    EXPECT_EQ(letters().other_case(2), 1U);
    EXPECT_EQ(letters().other_case(4), 0U);
    EXPECT_EQ(letters().other_case(5), 0U);
    EXPECT_EQ(letters().other_case(6), 0U);
    EXPECT_EQ(letters().of(3), "a");
}

}  // namespace
}  // namespace reelsd::media::text
