#include "bot/update.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

// Goal: the bot understands messages for it and ignores others. Method: tables.
namespace reelsd::bot {
namespace {

const bot_identity self{.id = 42, .username = "Reels_Bot"};
constexpr const char* reel = "https://www.instagram.com/reel/abcdefg/";

incoming_message message_in(chats::chat_kind kind, std::string text) {
    incoming_message message;
    message.chat = chats::chat_id{1};
    message.kind = kind;
    message.text = std::move(text);
    return message;
}
incoming_message to_us(std::string text) {
    return message_in(chats::chat_kind::private_chat, std::move(text));
}
incoming_message in_group(std::string text) {
    return message_in(chats::chat_kind::group, std::move(text));
}

std::string described(const command& parsed) {
    if (const auto* slash = std::get_if<commands::slash>(&parsed)) {
        return "/" + slash->name + "|" + slash->rest;
    }
    if (const auto* links = std::get_if<commands::links>(&parsed)) {
        std::string all = std::to_string(links->left_out);
        for (const auto& url : links->urls) all += "|" + url;
        return all;
    }
    if (const auto* code = std::get_if<commands::code>(&parsed)) return "code " + code->text;
    if (const auto* video = std::get_if<commands::video>(&parsed)) {
        std::string all = "video " + video->file.file + "|" + video->caption;
        for (const auto& url : video->urls) all += "|" + url;
        return all;
    }
    return std::holds_alternative<commands::unknown>(parsed) ? "unknown" : "none";
}

TEST(QuestionIn, FindsTheReelThatIsAsked) {
    struct test_case {
        const char* name;
        const char* rest;
        std::int64_t answered_user;
        const char* button;
        std::int64_t reel;
        const char* question;
        const char* answered_text = "";
    };
    const test_case cases[] = {
        {"the library", " how much? ", 0, "", 0, "how much?"},
        {"a number", "#42 how much?", 0, "", 42, "how much?"},
        {"a number without a question", "#42", 0, "", 42, ""},
        {"a number that is part of the question", "42 eggs?", 0, "", 0, "42 eggs?"},
        {"a word with a hash", "#pasta how?", 0, "", 0, "#pasta how?"},
        {"a reply to a reel", "how much?", 42, "json:7", 7, "how much?"},
        {"a reply to a reel, with a number", "#8 how much?", 42, "again:7", 8, "how much?"},
        {"a reply to a message without a reel", "how much?", 42, "", 0, "how much?"},
        {"a reply to another user", "how much?", 43, "json:7", 0, "how much?"},
        {"nothing", "", 0, "", 0, ""},
        {"a reply to the first of several messages about a reel",
         "how much?",
         42,
         "",
         7,
         "how much?",
         "@ann (A · reel 8) · reel 7\nBread."},
        {"a reply to another text", "how much?", 42, "", 0, "how much?", "Bread.\nx · reel 7"},
        {"a reply to another user's text", "how much?", 43, "", 0, "how much?", "@ann · reel 7"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto message = to_us("/ask");
        message.answered_user = expected.answered_user;
        message.answered_button = expected.button;
        message.answered_text = expected.answered_text;
        const auto found = question_in(expected.rest, message, self);
        EXPECT_EQ(found.reel.value_or(job_id{0}), job_id{expected.reel});
        EXPECT_EQ(found.text, expected.question);
    }
}

TEST(ParseCommand, UnderstandsAPrivateChat) {
    struct test_case {
        const char* text;
        const char* command;
    };
    const test_case cases[] = {
        {"/list", "/list|"},
        {" /LIST ", "/list|"},
        {"/search quick dinner", "/search|quick dinner"},
        {"/list@reels_bot", "/list|"},
        {"/list@other_bot", "none"},
        {"/start abcd-efgh-jkmn", "/start|abcd-efgh-jkmn"},
        {"abcd-efgh-jkmn", "code abcd-efgh-jkmn"},
        {"ABCDEFGHJKMN", "code ABCDEFGHJKMN"},
        {"hello", "unknown"},
        {"Look:https://www.instagram.com/reel/abcdefg/",
         "0|https://www.instagram.com/reel/abcdefg/"},
        {"👉https://www.instagram.com/p/abcdefg/。", "0|https://www.instagram.com/p/abcdefg/"},
        {"see “https://www.instagram.com/reel/abcdefg/”, twice: "
         "https://www.instagram.com/reel/abcdefg/",
         "0|https://www.instagram.com/reel/abcdefg/"},
        {"/", "unknown"},
        {"", "none"},
        {"https://www.instagram.com/reel/abcdefg/", "0|https://www.instagram.com/reel/abcdefg/"},
        {"look (instagram.com/p/abcdefg)!", "0|https://instagram.com/p/abcdefg"},
        {"WWW.Instagram.com/p/abcdefg.", "0|https://WWW.Instagram.com/p/abcdefg"},
        {"https://tiktok.com/x, https://tiktok.com/x", "0|https://tiktok.com/x"},
        {"http://a.test/1\nhttp://a.test/2", "0|http://a.test/1|http://a.test/2"},
        {"https://a.test/1\u3000https://a.test/2", "0|https://a.test/1|https://a.test/2"},
        {"https://a.test/1\u00a0https://a.test/2", "0|https://a.test/1|https://a.test/2"},
        {"https://a.test/1，instagram.com/p/b", "0|https://a.test/1|https://instagram.com/p/b"},
        {"https://a.test/1,HTTP://a.test/2;https://a.test/3https://a.test/4",
         "0|https://a.test/1|HTTP://a.test/2|https://a.test/3|https://a.test/4"},
        {"@reels_bot /usage", "/usage|"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        EXPECT_EQ(described(parse_command(to_us(expected.text), self)), expected.command);
    }
}

TEST(ParseCommand, IgnoresGroupsUnlessAddressed) {
    struct test_case {
        const char* text;
        const char* command;
    };
    const test_case cases[] = {
        {"https://www.instagram.com/reel/abcdefg/", "none"},
        {"/list", "none"},
        {"hello", "none"},
        {"@reels_bots https://www.instagram.com/reel/abcdefg/", "none"},
        {"me@reels_bot https://www.instagram.com/reel/abcdefg/", "none"},
        {"@reels_bot https://www.instagram.com/reel/abcdefg/",
         "0|https://www.instagram.com/reel/abcdefg/"},
        {"see https://www.instagram.com/reel/abcdefg/ @REELS_BOT",
         "0|https://www.instagram.com/reel/abcdefg/"},
        {"/list@Reels_Bot", "/list|"},
        {"/list@other_bot", "none"},
        {"@reels_bot", "unknown"},
        {"/link@reels_bot abcd-efgh-jkmn", "/link|abcd-efgh-jkmn"},
        {"@reels_bot abcd-efgh-jkmn", "code abcd-efgh-jkmn"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        EXPECT_EQ(described(parse_command(in_group(expected.text), self)), expected.command);
    }
    auto answer = in_group(reel);
    answer.answered_user = 42;
    EXPECT_EQ(described(parse_command(answer, self)), std::string{"0|"} + reel);
    answer.answered_user = 43;
    EXPECT_EQ(described(parse_command(answer, self)), "none");
    auto marked = in_group(reel);
    marked.entities.push_back({.type = "text_mention", .user = 42});
    EXPECT_EQ(described(parse_command(marked, self)), std::string{"0|"} + reel);
}

incoming_message with_video(incoming_message message) {
    message.video = incoming_video{.file = "f", .name = "", .caption = message.text};
    return message;
}

TEST(ParseCommand, AcceptsVideosWithCaptions) {
    EXPECT_EQ(described(parse_command(with_video(to_us("")), self)), "video f|");
    EXPECT_EQ(described(parse_command(with_video(to_us("A walk")), self)), "video f|A walk");
    const auto with_link = std::string{"see "} + reel;
    EXPECT_EQ(
        described(parse_command(with_video(to_us(with_link)), self)),
        "video f|" + with_link + "|" + reel);
    EXPECT_EQ(described(parse_command(with_video(in_group("A walk")), self)), "none");
    EXPECT_EQ(
        described(parse_command(with_video(in_group("@reels_bot A walk")), self)),
        "video f|A walk");
    EXPECT_EQ(described(parse_command(with_video(to_us("/list@other_bot")), self)), "none");
    auto by_bot = with_video(to_us(""));
    by_bot.is_by_bot = true;
    EXPECT_EQ(described(parse_command(by_bot, self)), "none");
}

TEST(ParseCommand, AnswersFilesOfPrivateChats) {
    auto alone = to_us("");
    alone.has_file = true;
    EXPECT_EQ(described(parse_command(alone, self)), "unknown");
    alone.kind = chats::chat_kind::group;
    alone.answered_user = self.id;
    EXPECT_EQ(described(parse_command(alone, self)), "none");
}

TEST(ParseCommand, AcceptsRepliesToVideos) {
    const auto answer = [](incoming_message message) {
        message.answered_video = incoming_video{.file = "f", .name = "", .caption = "A walk"};
        return described(parse_command(message, self));
    };
    EXPECT_EQ(answer(to_us("this")), "video f|A walk");
    EXPECT_EQ(answer(in_group("@reels_bot")), "video f|A walk");
    EXPECT_EQ(answer(in_group("this")), "none");
    EXPECT_EQ(answer(to_us("/list")), "/list|");
    EXPECT_EQ(answer(to_us(reel)), std::string{"0|"} + reel);
    EXPECT_EQ(answer(to_us("")), "none");
}

TEST(ParseCommand, IgnoresBots) {
    auto by_bot = to_us(reel);
    by_bot.is_by_bot = true;
    EXPECT_EQ(described(parse_command(by_bot, self)), "none");
}

TEST(ParseCommand, AcceptsHiddenLinksUpToALimit) {
    auto hidden = to_us("this one");
    hidden.entities.push_back({.type = "text_link", .address = reel});
    EXPECT_EQ(described(parse_command(hidden, self)), std::string{"0|"} + reel);

    std::string many;
    for (int number = 0; number < 13; ++number) {
        many += "https://www.instagram.com/reel/abcdef" + std::to_string(number) + "/ ";
    }
    const auto parsed = parse_command(to_us(many), self);
    EXPECT_EQ(std::get<commands::links>(parsed).urls.size(), links_max);
    EXPECT_EQ(std::get<commands::links>(parsed).left_out, 3U);
}

TEST(ParseButton, AcceptsOnlyItsOwnData) {
    const button_command button{.what = button_command::kind::file, .job = job_id{INT64_MAX}};
    const auto data = button_data(button);
    EXPECT_LE(data.size(), 64U);
    EXPECT_EQ(parse_button(data)->job, job_id{INT64_MAX});
    EXPECT_EQ(parse_button("again:5")->what, button_command::kind::again);
    EXPECT_EQ(parse_button("frames:5")->what, button_command::kind::frames);
    for (const auto* other :
         {"",
          ":",
          "again",
          "again:",
          "again:0",
          "again:-1",
          "again:#5",
          "again:5x",
          "drop:5",
          "json:99999999999999999999"}) {
        EXPECT_FALSE(parse_button(other)) << other;
    }
}

TEST(ReelNumber, AcceptsPlainNumbers) {
    EXPECT_EQ(reel_number(" #42 "), job_id{42});
    EXPECT_EQ(reel_number("42"), job_id{42});
    for (const auto* other : {"", "#", "0", "-1", "4 2", "x"}) EXPECT_FALSE(reel_number(other));
}

}  // namespace
}  // namespace reelsd::bot
