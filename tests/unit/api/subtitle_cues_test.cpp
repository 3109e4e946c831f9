// Goal: for any result, players can show the cues: in order, not empty, at most two lines, without
// a lost word.
#include "api/subtitles.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace reelsd::api {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> shown(const std::vector<subtitle_cue>& cues) {
    std::vector<std::string> all;
    for (const auto& cue : cues) {
        auto text = fmt::format("{}-{} ", cue.begin.count(), cue.end.count());
        for (const auto& line : cue.lines) text += fmt::format("[{}]", line);
        all.push_back(text);
    }
    return all;
}

using texts = std::vector<std::string>;

int width_of(const std::string& line) {
    int width = 0;
    for (const auto& word : subtitle_words(line, std::numeric_limits<int>::max())) {
        width += word.width + (width > 0 ? 1 : 0);
    }
    return width;
}

/// Properties of all cues.
void expect_showable(const std::vector<subtitle_cue>& cues) {
    auto earlier = 0ms;
    for (const auto& cue : cues) {
        EXPECT_GE(cue.begin, earlier);
        EXPECT_GT(cue.end, cue.begin);
        earlier = cue.begin;
        ASSERT_GE(cue.lines.size(), 1U);
        ASSERT_LE(cue.lines.size(), 2U);
        for (const auto& line : cue.lines) {
            EXPECT_FALSE(line.empty());
            EXPECT_EQ(line.find_first_of("\n\r\t"), std::string::npos);
            EXPECT_LE(width_of(line), subtitle_line_width) << line;
        }
    }
}

std::string without_blanks(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
}
std::string words_of(const std::vector<subtitle_cue>& cues) {
    std::string text;
    for (const auto& cue : cues) {
        for (const auto& line : cue.lines) text += line;
    }
    return without_blanks(text);
}

TEST(SubtitleCues, EqualShortSegments) {
    EXPECT_TRUE(subtitle_cues({}).empty());
    EXPECT_EQ(
        shown(subtitle_cues({{"Hello.", 0.5, 3.1}, {"First, grind.", 5.3006, 8.2}})),
        (texts{"500-3100 [Hello.]", "5301-8200 [First, grind.]"}));
}

TEST(SubtitleCues, ContainNoBlankLinesOrControlCharacters) {
    EXPECT_EQ(
        shown(subtitle_cues(
            {{" a\n\n\nb\r\n\tc\x01\x7f"
              "d\u2028e\u0085f ",
              0,
              1}})),
        (texts{"0-1000 [a b c d e f]"}));
    EXPECT_TRUE(subtitle_cues({{"", 0, 1}, {" \n\u2029", 1, 2}}).empty());
}

TEST(SubtitleCues, BalanceTwoLines) {
    EXPECT_EQ(
        shown(subtitle_cues(
            {{"Grind the beans at the very last minute before brewing the coffee.", 0, 4}})),
        (texts{"0-4000 [Grind the beans at the very last][minute before brewing the coffee.]"}));
}

TEST(SubtitleCues, SplitLongSegmentsInProportion) {
    const auto cues = subtitle_cues(
        {{"Three ways to make better coffee at home, and none of them costs a cent more. First, "
          "grind your beans at the last minute before you brew. Weigh the water.",
          10,
          20}});
    EXPECT_EQ(
        shown(cues),
        (texts{
            "10000-15064 [Three ways to make better coffee at][home, and none of them costs a cent "
            "more.]",
            "15064-20000 [First, grind your beans at the last][minute before you brew. Weigh "
            "the water.]"}));
    expect_showable(cues);
}

TEST(SubtitleCues, BreakAWordLongerThanALine) {
    const auto cues = subtitle_cues({{std::string(100, 'a') + " b", 0, 2}});
    expect_showable(cues);
    EXPECT_EQ(words_of(cues), std::string(100, 'a') + "b");
    std::string wide;
    for (int count = 0; count < 60; ++count) wide += "咖啡";
    const auto chinese = subtitle_cues({{wide, 0, 12}});
    expect_showable(chinese);
    EXPECT_EQ(chinese.size(), 3U);
    EXPECT_EQ(words_of(chinese), wide);
}

TEST(SubtitleCues, AreSortedByStart) {
    EXPECT_EQ(
        shown(subtitle_cues({{"late", 5, 6}, {"early", 1, 2}, {"meanwhile", 1, 4}})),
        (texts{"1000-2000 [early]", "1000-4000 [meanwhile]", "5000-6000 [late]"}));
    // Parts of a split segment keep the order with concurrent speech.
    std::string speech;
    for (int count = 0; count < 40; ++count) speech += "monologue ";
    const auto cues = subtitle_cues({{speech, 0, 30}, {"Stop!", 8, 9}});
    expect_showable(cues);
    EXPECT_GT(cues.size(), 4U);
}

TEST(SubtitleCues, HaveAPositiveLength) {
    EXPECT_EQ(
        shown(subtitle_cues({{"a", 1, 1}, {"b", 1.25, 1}, {"c", 1.25, 1.25}, {"d", 9, 3}})),
        (texts{"1000-1250 [a]", "1250-2250 [b]", "1250-2250 [c]", "9000-10000 [d]"}));
    EXPECT_EQ(shown(subtitle_cues({{"a", 1, 1.0004}})), (texts{"1000-2000 [a]"}));
    // More cues than milliseconds.
    std::string speech;
    for (int count = 0; count < 100; ++count) speech += "monologue ";
    expect_showable(subtitle_cues({{speech, 1, 1.002}}));
}

TEST(SubtitleCues, AcceptAnyTimes) {
    constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
    constexpr auto infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(shown(subtitle_cues({{"a", -5, 1}})), (texts{"0-1000 [a]"}));
    EXPECT_EQ(shown(subtitle_cues({{"a", nan, nan}})), (texts{"0-1000 [a]"}));
    EXPECT_EQ(shown(subtitle_cues({{"a", 0, infinite}})), (texts{"0-359999999 [a]"}));
    expect_showable(subtitle_cues({{"a", 1e300, 1e301}, {"b", -infinite, infinite}}));
}

// Goal: the same properties for random input.
TEST(SubtitleCues, OfRandomTextFitTheirBounds) {
    const std::vector<std::string> pieces{
        "a",
        "Kaffee",
        " ",
        "  ",
        "\n\n",
        ".",
        ",",
        "é",
        "咖",
        "\u0301",
        "\u200b",
        "👩‍🍳",
        "-->",
        "<i>",
        "&",
        "!",
        "\u00a0",
        "لقهوة",
        "0123456789012345678901234567890123456789012345"};
    std::minstd_rand dice{7};
    const auto below = [&dice](std::size_t most) { return dice() % most; };
    for (int round = 0; round < 300; ++round) {
        std::vector<spoken_text> spoken(below(6));
        std::size_t size = 0;
        for (auto& segment : spoken) {
            for (auto count = below(120); count > 0; --count)
                segment.text += pieces[below(pieces.size())];
            segment.start_seconds = static_cast<double>(below(5000)) / 1000.0;
            segment.end_seconds = static_cast<double>(below(5000)) / 1000.0;
            for (const auto& word : subtitle_words(segment.text, subtitle_line_width)) {
                size += word.text.size();
            }
        }
        const auto cues = subtitle_cues(spoken);
        expect_showable(cues);
        ASSERT_EQ(words_of(cues).size(), size) << "round " << round;
    }
}

TEST(SubtitleWords, HaveWidthAndPunctuation) {
    const auto words = subtitle_words("Hé\u0301, 咖啡。 \"go!\" 👩 abc", 2);
    std::vector<std::string> lines;
    for (const auto& word : words) {
        lines.push_back(fmt::format(
            "{}/{}/{}/{}",
            word.text,
            word.width,
            word.follows_blank ? "new" : "part",
            word.ends == word_end::sentence ? "."
            : word.ends == word_end::clause ? ","
                                            : ""));
    }
    EXPECT_EQ(
        lines,
        (texts{
            "Hé\u0301/2/new/",
            ",/1/part/,",
            "咖/2/new/",
            "啡/2/part/",
            "。/2/part/.",
            "\"g/2/new/",
            "o!/2/part/.",
            "\"/1/part/",
            "👩/2/new/",
            "ab/2/new/",
            "c/1/part/"}));
    EXPECT_EQ(subtitle_words("(He said \"go.\")", 42).back().ends, word_end::sentence);
}

/// Words of half a second each, from `start` on.
std::vector<spoken_word> words_from(double start, const texts& spoken) {
    std::vector<spoken_word> words;
    for (const auto& text : spoken) {
        words.push_back({text, start, start + 0.5});
        start += 0.5;
    }
    return words;
}

TEST(SubtitleCues, WordsHaveTheirOwnTimes) {
    const auto cues = subtitle_cues(
        {{.text = "Hello, dear world!",
          .start_seconds = 1,
          .end_seconds = 3,
          .words = words_from(1, {"Hello", "dear", "world"})}});
    ASSERT_EQ(cues.size(), 1U);
    EXPECT_EQ(shown(cues), texts{"1000-3000 [Hello, dear world!]"});
    ASSERT_EQ(cues[0].parts.size(), 2U);
    EXPECT_EQ(cues[0].parts[0].begin, 1500ms);
    EXPECT_EQ(cues[0].parts[0].byte, std::string_view{"Hello, "}.size());
    EXPECT_EQ(cues[0].parts[1].begin, 2000ms);
}

TEST(SubtitleCues, LongSegmentsAreSplitAtTheTimesOfTheirWords) {
    std::vector<std::string> spoken;
    std::string text;
    for (int at = 0; at < 40; ++at) {
        spoken.push_back(fmt::format("word{}", at));
        text += spoken.back() + ' ';
    }
    auto words = words_from(0, spoken);
    // A pause before the last ten, which a proportional share would not know.
    for (std::size_t at = 30; at < 40; ++at) words[at].start_seconds += 20;
    const auto cues =
        subtitle_cues({{.text = text, .start_seconds = 0, .end_seconds = 40, .words = words}});
    expect_showable(cues);
    ASSERT_GT(cues.size(), 3U);
    for (const auto& cue : cues) {
        const auto first = cue.lines.front().substr(0, cue.lines.front().find(' '));
        const auto word = std::ranges::find(words, first, &spoken_word::text);
        ASSERT_NE(word, words.end());
        EXPECT_EQ(cue.begin, std::chrono::milliseconds{std::llround(word->start_seconds * 1000)});
    }
}

TEST(SubtitleCues, WordsOfAnotherTextAreIgnored) {
    const spoken_text plain{.text = "Hello, dear world!", .start_seconds = 1, .end_seconds = 3};
    for (const auto& words :
         {words_from(1, {"Hello", "dear"}),
          words_from(1, {"Hello", "dear", "worlds"}),
          words_from(1, {"Bye", "dear", "world"})}) {
        auto spoken = plain;
        spoken.words = words;
        const auto cues = subtitle_cues({spoken});
        EXPECT_EQ(shown(cues), shown(subtitle_cues({plain})));
        EXPECT_TRUE(cues[0].parts.empty());
    }
    auto pieces = plain;
    pieces.words = words_from(1, {"Hel", "lo dear", "wor", "ld"});
    ASSERT_EQ(subtitle_cues({pieces})[0].parts.size(), 2U);
    EXPECT_EQ(subtitle_cues({pieces})[0].parts[0].begin, 1500ms);
}

}  // namespace
}  // namespace reelsd::api
