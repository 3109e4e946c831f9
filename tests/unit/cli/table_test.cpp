#include "cli/layout.hpp"
#include "cli/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace reelsd::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CutTo, KeepsWhatFits) {
    EXPECT_EQ(cut_to("pasta", 5), "pasta");
    EXPECT_EQ(cut_to("pasta", 4), "pas…");
    EXPECT_EQ(cut_to("one two", 5), "one…") << "no blank before the ellipsis";
    EXPECT_EQ(cut_to("pasta", 1), "…");
    EXPECT_EQ(cut_to("pasta", 0), "");
    EXPECT_EQ(cut_to("", 0), "");
    EXPECT_EQ(cut_to("寿司寿司", 8), "寿司寿司");
    EXPECT_EQ(cut_to("寿司寿司", 7), "寿司寿…");
    EXPECT_EQ(cut_to("寿司寿司", 6), "寿司…") << "a wide character is never halved";
    EXPECT_EQ(cut_to("e\u0301e\u0301e\u0301", 2), "e\u0301…");
}

table three_columns() {
    table out{
        {{.heading = "ID", .align = alignment::right},
         {.heading = "AUTHOR", .drop_order = 1, .cells_max = 6},
         {.heading = "SUMMARY", .stretches = true}}};
    out.add({{"7"}, {"@long-name"}, {"a summary that is longer than others", style::quiet}});
    out.add({{"1234"}, {"寿司"}, {"short"}});
    return out;
}

TEST(Table, CutsNothingWithoutAWidth) {
    EXPECT_EQ(
        three_columns().text(std::nullopt, colours::off),
        "  ID  AUTHOR      SUMMARY\n"
        "   7  @long-name  a summary that is longer than others\n"
        "1234  寿司        short\n");
}

TEST(Table, FitsItsWidth) {
    EXPECT_EQ(
        three_columns().text(40, colours::off),
        "  ID  AUTHOR  SUMMARY\n"
        "   7  @long…  a summary that is longer…\n"
        "1234  寿司    short\n");
}

TEST(Table, DropsColumnsInANarrowTerminal) {
    EXPECT_EQ(
        three_columns().text(32, colours::off),
        "  ID  SUMMARY\n"
        "   7  a summary that is longer…\n"
        "1234  short\n");
}

// Goal: lines fit in any width that is not too small.
TEST(Table, AcceptsAnyWidth) {
    for (std::size_t width = 0; width < 80; ++width) {
        std::istringstream lines{three_columns().text(width, colours::off)};
        for (std::string line; std::getline(lines, line);) {
            EXPECT_LE(columns_of(line), std::max<std::size_t>(width, 7)) << width << ": " << line;
        }
    }
}

TEST(Table, StylesTextWithoutItsPadding) {
    const auto text = three_columns().text(80, colours::on);
    EXPECT_THAT(text, HasSubstr("  \x1B[1mID\x1B[0m  "));
    EXPECT_THAT(text, HasSubstr("\x1B[2ma summary that is longer than others\x1B[0m\n"));
}

TEST(Table, MakesTextPrintableOnOneLine) {
    table out{{{.heading = "A"}}};
    out.add({{"one\ntwo\x1B[2J"}});
    EXPECT_EQ(out.text(std::nullopt, colours::off), "A\none two\n");
    EXPECT_THAT(out.text(std::nullopt, colours::on), Not(HasSubstr("\x1B[2J")));
}

TEST(Table, CanBeEmpty) {
    EXPECT_EQ(table({{.heading = "A"}, {.heading = "B"}}).text(80, colours::off), "A  B\n");
}

TEST(Styled, AddsNothingToEmptyText) {
    EXPECT_EQ(styled("x", style::trouble, colours::on), "\x1B[31mx\x1B[0m");
    EXPECT_EQ(styled("x", style::trouble, colours::off), "x");
    EXPECT_EQ(styled("x", style::plain, colours::on), "x");
    EXPECT_EQ(styled("", style::trouble, colours::on), "");
}

}  // namespace
}  // namespace reelsd::cli
