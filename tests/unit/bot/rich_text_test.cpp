#include "bot/rich_text.hpp"

#include <gtest/gtest.h>

#include <string>

// Goal: messages are escaped, complete and within the limit. Method: pure functions.
namespace reelsd::bot {
namespace {

std::size_t count_of(const std::string& text, std::string_view what) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

std::string repeated(std::string_view what, int times) {
    std::string text;
    for (int time = 0; time < times; ++time) text.append(what);
    return text;
}

TEST(ToHtml, EscapesForeignText) {
    const rich_text text{
        bold("<b>&\""), folded("</blockquote>"), link("a<b", "https://x.test/?a=\"1\"&b=<2>")};
    EXPECT_EQ(
        to_html(text),
        "<b>&lt;b&gt;&amp;&quot;</b>"
        "<blockquote expandable>&lt;/blockquote&gt;</blockquote>"
        "<a href=\"https://x.test/?a=&quot;1&quot;&amp;b=&lt;2&gt;\">a&lt;b</a>");
}

TEST(Link, RequiresAWebAddress) {
    EXPECT_EQ(link("a", "https://x.test/").style, text_style::link);
    EXPECT_EQ(link("a", "javascript:alert(1)").style, text_style::plain);
    EXPECT_EQ(link("a", "tg://user?id=1").style, text_style::plain);
    EXPECT_EQ(link("a", "https://x.test/ b").style, text_style::plain);
    EXPECT_EQ(link("a", "").style, text_style::plain);
}

TEST(Utf16Length, CountsSurrogatesTwice) {
    EXPECT_EQ(utf16_length("abc"), 3U);
    EXPECT_EQ(utf16_length("é"), 1U);
    EXPECT_EQ(utf16_length("漢"), 1U);
    EXPECT_EQ(utf16_length("😀"), 2U);
}

TEST(ToMessages, KeepsShortText) {
    const auto messages = to_messages({bold("a"), plain("\nb")});
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages.front(), "<b>a</b>\nb");
}

TEST(ToMessages, FillsMessagesUpToTheLimit) {
    EXPECT_EQ(to_messages({plain(std::string(4096, 'a'))}).size(), 1U);
    EXPECT_EQ(to_messages({plain(std::string(4097, 'a'))}).size(), 2U);
    // Escapes count: five units each.
    EXPECT_EQ(to_messages({plain(std::string(819, '&'))}).size(), 1U);
    EXPECT_EQ(to_messages({plain(std::string(820, '&'))}).size(), 2U);
}

TEST(ToMessages, KeepsEveryWordAndEveryTag) {
    std::string words;
    for (int number = 0; number < 4000; ++number) words += "w" + std::to_string(number) + " ";
    const auto messages = to_messages({bold("Head\n"), folded(words), bold("\n\nTail")});
    ASSERT_GT(messages.size(), 4U);
    std::string all;
    for (const auto& message : messages) {
        EXPECT_LE(utf16_length(message), message_units_max);
        EXPECT_EQ(count_of(message, "<blockquote"), count_of(message, "</blockquote>"));
        EXPECT_EQ(count_of(message, "<b>"), count_of(message, "</b>"));
        all += without_tags(message) + " ";
    }
    for (int number = 0; number < 4000; ++number) {
        ASSERT_NE(all.find("w" + std::to_string(number) + " "), std::string::npos) << number;
    }
    EXPECT_NE(all.find("Tail"), std::string::npos);
}

TEST(ToMessages, CutsBetweenSentencesOrCharacters) {
    const auto sentences = repeated("This is one of them. ", 300);
    for (const auto& message : to_messages({plain(sentences)})) {
        EXPECT_TRUE(message.ends_with("them."));
    }

    // Without a blank anywhere, and two code units each.
    const auto messages = to_messages({plain(repeated("😀", 3000))});
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(utf16_length(messages.front()), 4096U);
    EXPECT_EQ(messages.front().size() % 4, 0U);
}

TEST(ToMessages, KeepsHeadingsWithTheirText) {
    const rich_text text{plain(std::string(3900, 'a')), bold("\n\nTranscript\n"), folded("words")};
    const auto messages = to_messages(text);
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages.back(), "<b>Transcript\n</b><blockquote expandable>words</blockquote>");
}

TEST(ToMessages, ReportsCutText) {
    const auto messages = to_messages({folded(repeated("word ", 50'000))});
    ASSERT_EQ(messages.size(), message_parts_max);
    EXPECT_NE(messages.back().find("Press JSON"), std::string::npos);
    EXPECT_LE(utf16_length(messages.back()), message_units_max);
}

TEST(ToMessages, IsNeverEmpty) {
    EXPECT_EQ(to_messages({}).size(), 1U);
    EXPECT_EQ(to_messages({plain(" \n ")}).size(), 1U);
    EXPECT_FALSE(to_messages({plain("")}).front().empty());
}

TEST(WithoutTags, IsPlainText) {
    EXPECT_EQ(without_tags(to_html({bold("<i>"), folded("a & \"b\"")})), "<i>a & \"b\"");
}

}  // namespace
}  // namespace reelsd::bot
