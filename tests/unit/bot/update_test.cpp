#include "bot/update.hpp"

#include <reelsd/base/json.hpp>

#include <gtest/gtest.h>

#include <string>
#include <variant>

// Goal: what the server says is understood, whatever else it says. Method: pure functions, JSON.
namespace reelsd::bot {
namespace {

TEST(UpdatesFrom, ReadsAMessageOfAGroup) {
    const auto updates = updates_from(json::parse(R"([{"update_id": 7, "message": {
        "message_id": 3, "chat": {"id": -100, "type": "supergroup", "title": "Friends\nof reels"},
        "from": {"id": 5, "is_bot": false}, "text": "😀 @bot hi",
        "entities": [{"type": "mention", "offset": 3, "length": 4}],
        "reply_to_message": {"from": {"id": 42}}, "new_field": [1]}}])"));
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0].id, 7);
    const auto& said = std::get<incoming_message>(updates[0].what);
    EXPECT_EQ(said.chat, chats::chat_id{-100});
    EXPECT_EQ(said.kind, chats::chat_kind::group);
    EXPECT_EQ(said.chat_name, "Friends of reels");
    EXPECT_EQ(said.answered_user, 42);
    ASSERT_EQ(said.entities.size(), 1U);
    EXPECT_EQ(said.entities[0].text, "@bot");
}

TEST(UpdatesFrom, ReadsWhatStandsBelowAPicture) {
    const auto updates = updates_from(json::parse(R"([{"update_id": 1, "message": {
        "chat": {"id": 9, "type": "private", "first_name": "Ann", "last_name": "Lee"},
        "caption": "look", "caption_entities": [{"type": "text_link", "offset": 0, "length": 4,
        "url": "https://www.instagram.com/reel/abcdefg/"}]}}])"));
    const auto& said = std::get<incoming_message>(updates.at(0).what);
    EXPECT_EQ(said.text, "look");
    EXPECT_EQ(said.chat_name, "Ann Lee");
    EXPECT_EQ(said.entities.at(0).address, "https://www.instagram.com/reel/abcdefg/");
}

TEST(UpdatesFrom, ReadsVideosAndNoAnimations) {
    const auto updates = updates_from(json::parse(R"([
        {"update_id": 1, "message": {"message_id": 5, "chat": {"id": 9}, "caption": "look",
         "video": {"file_id": "a", "file_name": "a.mp4", "file_size": 7}}},
        {"update_id": 2, "message": {"chat": {"id": 9},
         "document": {"file_id": "b", "mime_type": "Video/QuickTime", "file_size": -1}}},
        {"update_id": 3, "message": {"chat": {"id": 9}, "animation": {"file_id": "c"},
         "document": {"file_id": "c", "mime_type": "video/mp4"}}},
        {"update_id": 4, "message": {"chat": {"id": 9},
         "document": {"file_id": "d", "mime_type": "application/pdf"}}},
        {"update_id": 5, "message": {"chat": {"id": 9}, "video": {"file_id": 5}}},
        {"update_id": 6, "message": {"chat": {"id": 9}, "text": "this", "reply_to_message":
         {"message_id": 8, "caption": "old", "video": {"file_id": "e"}}}}])"));
    ASSERT_EQ(updates.size(), 6U);
    const auto said = [&updates](std::size_t at) {
        return std::get<incoming_message>(updates.at(at).what);
    };
    const auto video = said(0).video.value();
    EXPECT_EQ(video.file, "a");
    EXPECT_EQ(video.name, "a.mp4");
    EXPECT_EQ(video.size_bytes, 7);
    EXPECT_EQ(video.message, 5);
    EXPECT_EQ(video.caption, "look");
    EXPECT_EQ(said(1).video.value().file, "b");
    EXPECT_EQ(said(1).video.value().size_bytes, 0);
    EXPECT_FALSE(said(2).video) << "an animation";
    EXPECT_FALSE(said(3).video);
    EXPECT_FALSE(said(4).video);
    EXPECT_FALSE(said(5).video);
    EXPECT_EQ(said(5).answered_video.value().message, 8);
    EXPECT_EQ(said(5).answered_video.value().caption, "old");
}

TEST(UpdatesFrom, NamesAThreadOnlyWhereItIsATopic) {
    const auto updates = updates_from(json::parse(R"([
        {"update_id": 1, "message": {"chat": {"id": -100, "type": "supergroup"}, "text": "x",
         "message_thread_id": 42, "is_topic_message": true}},
        {"update_id": 2, "message": {"chat": {"id": -100, "type": "supergroup"}, "text": "x",
         "message_thread_id": 1}},
        {"update_id": 3, "callback_query": {"id": "q", "data": "json:4", "message":
         {"message_id": 8, "chat": {"id": -100, "type": "supergroup"},
          "message_thread_id": 42, "is_topic_message": true}}}])"));
    ASSERT_EQ(updates.size(), 3U);
    EXPECT_EQ(std::get<incoming_message>(updates[0].what).message_thread, 42);
    EXPECT_EQ(std::get<incoming_message>(updates[1].what).message_thread, std::nullopt);
    const auto& pressed = std::get<pressed_button>(updates[2].what);
    EXPECT_EQ(pressed.message_thread, 42);
    EXPECT_EQ(pressed.message, 8);
    EXPECT_EQ(pressed.kind, chats::chat_kind::group);
}

TEST(UpdatesFrom, ReadsEditsWithinADay) {
    const auto edit_after = [](std::int64_t seconds) {
        const json edited{
            {"message_id", 3},
            {"chat", {{"id", 9}, {"type", "private"}}},
            {"text", "x"},
            {"date", 1000},
            {"edit_date", 1000 + seconds}};
        return updates_from(json::array({{{"update_id", 1}, {"edited_message", edited}}}));
    };
    const auto updates = edit_after(23 * 3600);
    const auto& said = std::get<incoming_message>(updates.at(0).what);
    EXPECT_EQ(said.edited_at, time_point{std::chrono::seconds{1000 + 23 * 3600}});
    EXPECT_EQ(said.message, 3);
    const auto late = edit_after(23 * 3600 + 1);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(late.at(0).what));
}

TEST(UpdatesFrom, ReadsAButton) {
    const auto updates = updates_from(json::parse(R"([
        {"update_id": 2, "callback_query": {"id": "q", "data": "again:4",
         "message": {"chat": {"id": 9, "type": "private"}}}},
        {"update_id": 1, "callback_query": {"id": "p"}}])"));
    ASSERT_EQ(updates.size(), 2U);
    EXPECT_EQ(updates[0].id, 1);  // By their numbers.
    EXPECT_FALSE(std::get<pressed_button>(updates[0].what).chat);
    EXPECT_EQ(std::get<pressed_button>(updates[1].what).data, "again:4");
    EXPECT_EQ(std::get<pressed_button>(updates[1].what).chat, chats::chat_id{9});
}

TEST(UpdatesFrom, PassesOverWhatItDoesNotKnow) {
    const auto updates = updates_from(json::parse(R"([
        {"update_id": 1}, {"update_id": 2, "poll": {}}, {"message": {}}, 5, null,
        {"update_id": 3, "message": {"chat": {"id": 4, "type": "channel"}, "text": "x"}},
        {"update_id": 4, "message": {"chat": "x", "text": 5}},
        {"update_id": 6, "message": {"chat": {"id": 6.5, "type": "private"}, "text": "x"}},
        {"update_id": "5", "message": {}}])"));
    ASSERT_EQ(updates.size(), 5U);
    for (const auto& one : updates) {
        EXPECT_TRUE(std::holds_alternative<std::monostate>(one.what));
    }
    EXPECT_TRUE(updates_from(json::parse(R"({"a": 1})")).empty());
    EXPECT_TRUE(updates_from(json{}).empty());
}

TEST(UpdatesFrom, TakesWhatOtherServersLeaveOut) {
    const auto updates = updates_from(json::parse(R"([
        {"update_id": 1, "message": {"chat": {"id": 9}, "text": "a"}},
        {"update_id": 2, "message": {"chat": {"id": -9}, "text": "b"}},
        {"update_id": 3, "callback_query": {"id": 77, "data": "json:4",
         "message": {"chat": {"id": 9}}}},
        {"update_id": 4, "message": {"chat": {"id": -9, "type": "group"}, "text": "c",
         "from": {"id": 1087968824, "is_bot": true}, "sender_chat": {"id": -9}}}])"));
    ASSERT_EQ(updates.size(), 4U);
    const auto& in_private = std::get<incoming_message>(updates[0].what);
    EXPECT_EQ(in_private.kind, chats::chat_kind::private_chat);
    EXPECT_EQ(std::get<incoming_message>(updates[1].what).kind, chats::chat_kind::group);
    EXPECT_EQ(std::get<pressed_button>(updates[2].what).query, "77");
    EXPECT_FALSE(std::get<incoming_message>(updates[3].what).is_by_bot) << "an administrator";
}

TEST(UpdatesFrom, HearsOfAGroupThatMoves) {
    const auto updates = updates_from(json::parse(R"([{"update_id": 1, "message": {
        "chat": {"id": -5, "type": "group", "title": "a"}, "migrate_to_chat_id": -1005}}])"));
    EXPECT_EQ(std::get<incoming_message>(updates.at(0).what).moved_to, chats::chat_id{-1005});
}

TEST(Utf16Substring, StaysWithinTheText) {
    EXPECT_EQ(utf16_substring("a😀b", 1, 2), "😀");
    EXPECT_EQ(utf16_substring("a😀b", 3, 1), "b");
    EXPECT_EQ(utf16_substring("abc", 1, 100), "bc");
    EXPECT_EQ(utf16_substring("abc", 100, 1), "");
    EXPECT_EQ(utf16_substring("abc", -1, 1), "");
    EXPECT_EQ(utf16_substring("abc", 1, -1), "");
    EXPECT_EQ(utf16_substring("abc", 0, INT64_MAX), "abc");
    EXPECT_EQ(utf16_substring("abc", INT64_MAX, INT64_MAX), "");
}

}  // namespace
}  // namespace reelsd::bot
