#include "cli/text.hpp"

#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

// Goal: no text of a server can control the terminal. Method: a table of hostile texts.
TEST(Printable, RemovesControls) {
    struct test_case {
        const char* name;
        std::string text;
        const char* kept;
    };
    const test_case cases[] = {
        {"plain text", "Pasta in 10 minutes", "Pasta in 10 minutes"},
        {"letters beyond ASCII", "Grüße 寿司 🍣", "Grüße 寿司 🍣"},
        {"a colour", "\x1B[31mred\x1B[0m", "red"},
        {"clearing the screen", "a\x1B[2J\x1B[Hb", "ab"},
        {"the window's title, ended by BEL", "a\x1B]0;owned\ab", "ab"},
        {"the window's title, ended by ST", "a\x1B]0;owned\x1B\\b", "ab"},
        {"a hidden link", "\x1B]8;;http://evil.test\x1B\\here\x1B]8;;\x1B\\", "here"},
        {"a device control string", "a\x1BP1$r0m\x1B\\b", "ab"},
        {"an unterminated control string keeps its text", "a\x1B]0;rest", "a0;rest"},
        {"a choice of character set", "a\x1B(0b", "ab"},
        {"an escape at the very end", "a\x1B", "a"},
        {"a sequence cut short", "a\x1B[3", "a"},
        {"the 8-bit control sequence introducer",
         "a\xC2\x9B"
         "31mb",
         "ab"},
        {"carriage return and backspace", "safe\r\b\bevil", "safeevil"},
        {"NUL and DEL",
         std::string{
             "a\0b\x7F"
             "c",
             5},
         "abc"},
        {"bidirectional override",
         "a\xE2\x80\xAE"
         "b\xE2\x81\xA6"
         "c",
         "abc"},
        {"broken UTF-8", "a\xFF\xC3(b", "a\uFFFD\uFFFD(b"},
        {"an overlong slash", "\xC0\xAF", "\uFFFD\uFFFD"},
        {"a surrogate", "\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
        {"a character cut at the end", "a\xF0\x9F\x8D", "a\uFFFD\uFFFD\uFFFD"},
        {"tab becomes a blank", "a\tb", "a b"},
        {"line separator is a line break",
         "a\xE2\x80\xA8"
         "b",
         "a\nb"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(printable(expected.text, line_breaks::keep), expected.kept);
    }
}

TEST(Printable, ReplacesLineBreaksOnRequest) {
    EXPECT_EQ(printable("one\ntwo\r\nthree", line_breaks::to_blank), "one two three");
}

TEST(ColumnsOf, CountsTerminalCells) {
    EXPECT_EQ(columns_of(""), 0U);
    EXPECT_EQ(columns_of("abc"), 3U);
    EXPECT_EQ(columns_of("é"), 1U);
    EXPECT_EQ(columns_of("e\u0301"), 1U) << "a combining accent takes no cell";
    EXPECT_EQ(columns_of("寿司"), 4U);
    EXPECT_EQ(columns_of("🍣"), 2U);
    EXPECT_EQ(columns_of("👍🏽"), 2U) << "a skin tone modifies its emoji";
    EXPECT_EQ(columns_of("⚡⏰🫠"), 6U) << "emoji of all ages";
    EXPECT_EQ(columns_of("a\u200Db\uFE0F"), 2U) << "joiners and variation selectors";
    EXPECT_EQ(columns_of("한국어"), 6U);
    EXPECT_EQ(columns_of("Привет"), 6U);
    EXPECT_EQ(columns_of("สวัสดี"), 4U) << "vowels and tones take no cell";
    EXPECT_EQ(columns_of("…"), 1U);
    EXPECT_EQ(columns_of("🇫🇷"), 2U) << "two regional indicators are one flag";
}

// Goal: lines fit, and links stay whole. Method: a table with small widths.
TEST(Wrapped, BreaksAtBlanks) {
    struct test_case {
        const char* name;
        const char* text;
        std::size_t columns;
        std::vector<std::string> lines;
    };
    const test_case cases[] = {
        {"empty text is one empty line", "", 10, {""}},
        {"fits exactly", "one two", 7, {"one two"}},
        {"one too long", "one two", 6, {"one", "two"}},
        {"several spaces count as one", "one   two ", 10, {"one two"}},
        {"own line breaks stay", "one\n\ntwo", 10, {"one", "", "two"}},
        {"a long word is cut", "abcdefgh", 3, {"abc", "def", "gh"}},
        {"a long word after a short one", "a bcdefg", 3, {"a", "bcd", "efg"}},
        {"a wide character is never halved", "寿司寿", 3, {"寿", "司", "寿"}},
        {"at least one character per line", "寿司", 1, {"寿", "司"}},
        {"the width 0 counts as 1", "ab", 0, {"a", "b"}},
        {"a link stays whole",
         "see https://example.test/abc now",
         8,
         {"see", "https://example.test/abc", "now"}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(wrapped(expected.text, expected.columns), expected.lines);
    }
}

TEST(ClockText, ShowsMinutesAndSeconds) {
    EXPECT_EQ(clock_text(0), "00:00");
    EXPECT_EQ(clock_text(5.99), "00:05");
    EXPECT_EQ(clock_text(75), "01:15");
    EXPECT_EQ(clock_text(3600), "60:00");
    EXPECT_EQ(clock_text(-1), "00:00");
    EXPECT_EQ(clock_text(std::numeric_limits<double>::quiet_NaN()), "00:00");
    EXPECT_EQ(clock_text(1e300), "10080:00") << "bounded";
}

TEST(DurationText, PicksTheUnit) {
    EXPECT_EQ(duration_text(0), "0 s");
    EXPECT_EQ(duration_text(12.46), "12.5 s");
    EXPECT_EQ(duration_text(31), "31 s");
    EXPECT_EQ(duration_text(59.96), "1 min");
    EXPECT_EQ(duration_text(65), "1 min 5 s");
    EXPECT_EQ(duration_text(7380), "2 h 3 min");
}

TEST(Numbers, HaveUnitsAndFewDigits) {
    EXPECT_EQ(bytes_text(999), "999 bytes");
    EXPECT_EQ(bytes_text(1000), "1.0 kB");
    EXPECT_EQ(bytes_text(999949), "999.9 kB");
    EXPECT_EQ(bytes_text(999951), "1.0 MB");
    EXPECT_EQ(bytes_text(4'200'000), "4.2 MB");
    EXPECT_EQ(short_number(30), "30");
    EXPECT_EQ(short_number(29.97), "29.97");
    EXPECT_EQ(short_number(0.5), "0.5");
}

TEST(SafeJson, EscapesTerminalControls) {
    EXPECT_EQ(
        safe_json("{\"a\": \"x\x7F\xC2\x9B!\xC3\xBC\"}"), "{\"a\": \"x\\u007f\\u009b!\xC3\xBC\"}");
    EXPECT_EQ(safe_json("{\n  \"a\": 1\n}"), "{\n  \"a\": 1\n}");
    EXPECT_EQ(safe_json(""), "");
}

TEST(ProgressLine, ShowsActivityAndTime) {
    EXPECT_EQ(progress_line("reel 42: pending", 0s, 0, 80), "| reel 42: pending, 0 s");
    EXPECT_EQ(progress_line("reel 42: pending", 75s, 5, 80), "/ reel 42: pending, 1 min 15 s");
    EXPECT_EQ(progress_line("reel 42: pending", 0s, 0, 10), "| reel 42") << "one cell stays free";
    EXPECT_EQ(progress_line("reel 42: pending", 0s, 0, 0), "");
}

}  // namespace
}  // namespace reelsd::cli
