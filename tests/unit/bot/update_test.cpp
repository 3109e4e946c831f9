#include "bot/update.hpp"

#include <reelsd/base/json.hpp>

#include <gtest/gtest.h>

#include <variant>

// Goal: updates are parsed despite unknown or missing fields. Method: JSON documents.
namespace reelsd::bot {
namespace {

TEST(UpdatesFrom, ReadsAMessageOfAGroup) {
    const auto updates = updates_from(json::parse(R"([{"update_id": 7, "message": {
        "message_id": 3, "chat": {"id": -100, "type": "supergroup", "title": "Friends\nof reels"},
        "from": {"id": 5, "is_bot": false}, "text": "Ann hi",
        "entities": [{"type": "text_mention", "offset": 0, "length": 3, "user": {"id": 6}}],
        "reply_to_message": {"from": {"id": 42}, "text": "@ann · reel 7",
        "reply_markup": {"inline_keyboard":
        [[{"text": "Again", "callback_data": "again:7"}, {"text": "x", "callback_data": "y"}]]}},
        "new_field": [1]}}])"));
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0].id, 7);
    const auto& message = std::get<incoming_message>(updates[0].what);
    EXPECT_EQ(message.chat, chats::chat_id{-100});
    EXPECT_EQ(message.kind, chats::chat_kind::group);
    EXPECT_EQ(message.chat_name, "Friends of reels");
    EXPECT_EQ(message.answered_user, 42);
    EXPECT_EQ(message.answered_button, "again:7");
    EXPECT_EQ(message.answered_text, "@ann · reel 7");
    ASSERT_EQ(message.entities.size(), 1U);
    EXPECT_EQ(message.entities[0].type, "text_mention");
    EXPECT_EQ(message.entities[0].user, 6);
}

TEST(UpdatesFrom, ReadsACaption) {
    const auto updates = updates_from(json::parse(R"([{"update_id": 1, "message": {
        "chat": {"id": 9, "type": "private", "first_name": "Ann", "last_name": "Lee"},
        "caption": "look", "caption_entities": [{"type": "text_link", "offset": 0, "length": 4,
        "url": "https://www.instagram.com/reel/abcdefg/"}]}}])"));
    const auto& message = std::get<incoming_message>(updates.at(0).what);
    EXPECT_EQ(message.text, "look");
    EXPECT_EQ(message.chat_name, "Ann Lee");
    EXPECT_EQ(message.entities.at(0).address, "https://www.instagram.com/reel/abcdefg/");
}

TEST(UpdatesFrom, ReadsVideosButNotAnimations) {
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
         {"message_id": 8, "caption": "old", "video": {"file_id": "e"}}}},
        {"update_id": 7, "message": {"chat": {"id": 9}, "video_note": {"file_id": "f"}}},
        {"update_id": 8, "message": {"chat": {"id": 9}, "document":
         {"file_id": "g", "file_name": "A.MP4", "mime_type": "application/octet-stream"}}},
        {"update_id": 9, "message": {"chat": {"id": 9}, "document":
         {"file_id": "h", "file_name": "a.pdf", "mime_type": "application/octet-stream"}}}])"));
    ASSERT_EQ(updates.size(), 9U);
    const auto message = [&updates](std::size_t at) {
        return std::get<incoming_message>(updates.at(at).what);
    };
    const auto video = message(0).video.value();
    EXPECT_EQ(video.file, "a");
    EXPECT_EQ(video.name, "a.mp4");
    EXPECT_EQ(video.size_bytes, 7);
    EXPECT_EQ(video.message_id, 5);
    EXPECT_EQ(video.caption, "look");
    EXPECT_EQ(message(1).video.value().file, "b");
    EXPECT_EQ(message(1).video.value().size_bytes, 0);
    EXPECT_FALSE(message(2).video) << "an animation";
    EXPECT_TRUE(message(2).has_file);
    EXPECT_FALSE(message(3).video);
    EXPECT_FALSE(message(4).video);
    EXPECT_FALSE(message(5).video);
    EXPECT_EQ(message(5).answered_video.value().message_id, 8);
    EXPECT_EQ(message(5).answered_video.value().caption, "old");
    EXPECT_EQ(message(6).video.value().file, "f");
    EXPECT_EQ(message(7).video.value().file, "g");
    EXPECT_FALSE(message(8).video);
}

TEST(UpdatesFrom, NamesAThreadOnlyForATopic) {
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
    const auto& button = std::get<pressed_button>(updates[2].what);
    EXPECT_EQ(button.message_thread, 42);
    EXPECT_EQ(button.message_id, 8);
    EXPECT_EQ(button.kind, chats::chat_kind::group);
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
    const auto& message = std::get<incoming_message>(updates.at(0).what);
    EXPECT_EQ(message.edited_at, time_point{std::chrono::seconds{1000 + 23 * 3600}});
    EXPECT_EQ(message.id, 3);
    const auto late = edit_after(23 * 3600 + 1);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(late.at(0).what));
}

TEST(UpdatesFrom, ReadsAButton) {
    const auto updates = updates_from(json::parse(R"([
        {"update_id": 2, "callback_query": {"id": "q", "data": "again:4",
         "message": {"chat": {"id": 9, "type": "private"}}}},
        {"update_id": 1, "callback_query": {"id": "p"}}])"));
    ASSERT_EQ(updates.size(), 2U);
    EXPECT_EQ(updates[0].id, 1);  // Ordered by id.
    EXPECT_FALSE(std::get<pressed_button>(updates[0].what).chat);
    EXPECT_EQ(std::get<pressed_button>(updates[1].what).data, "again:4");
    EXPECT_EQ(std::get<pressed_button>(updates[1].what).chat, chats::chat_id{9});
}

TEST(UpdatesFrom, IgnoresUnknownUpdates) {
    const auto updates = updates_from(json::parse(R"([
        {"update_id": 1}, {"update_id": 2, "poll": {}}, {"message": {}}, 5, null,
        {"update_id": 3, "message": {"chat": {"id": 4, "type": "channel"}, "text": "x"}},
        {"update_id": 4, "message": {"chat": "x", "text": 5}},
        {"update_id": 6, "message": {"chat": {"id": 6.5, "type": "private"}, "text": "x"}},
        {"update_id": "5", "message": {}}])"));
    ASSERT_EQ(updates.size(), 5U);
    for (const auto& update : updates) {
        EXPECT_TRUE(std::holds_alternative<std::monostate>(update.what));
    }
    EXPECT_TRUE(updates_from(json::parse(R"({"a": 1})")).empty());
    EXPECT_TRUE(updates_from(json{}).empty());
}

TEST(UpdatesFrom, AcceptsMissingFields) {
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

TEST(UpdatesFrom, ReadsTheNewIdOfAGroup) {
    const auto updates = updates_from(json::parse(R"([{"update_id": 1, "message": {
        "chat": {"id": -5, "type": "group", "title": "a"}, "migrate_to_chat_id": -1005}}])"));
    EXPECT_EQ(std::get<incoming_message>(updates.at(0).what).moved_to, chats::chat_id{-1005});
}

}  // namespace
}  // namespace reelsd::bot
