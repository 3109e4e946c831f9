#include "update.hpp"

#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace reelsd::bot {
namespace {

constexpr std::size_t name_bytes_max = 100;
constexpr std::size_t entities_max = 100;
/// Later edits of a message are ignored. Its submissions are recognised by their Idempotency-Key,
/// which is stored for 24 hours; an hour allows for inaccurate clocks.
constexpr std::int64_t edit_seconds_max = 23 * 3600;

std::int64_t number_in(const json& object, const char* name) {
    return integer_of(object, name).value_or(0);
}

std::string text_in(const json& object, const char* name) {
    return text_of(object, name).value_or("");
}

bool flag_in(const json& object, const char* name) {
    return boolean_of(object, name).value_or(false);
}

std::string name_of_chat(const json& chat) {
    auto name = text_in(chat, "title");
    if (name.empty()) name = text_in(chat, "first_name");
    const auto last = text_in(chat, "last_name");
    if (!last.empty()) name.append(name.empty() ? "" : " ").append(last);
    if (name.empty()) name = text_in(chat, "username");
    if (name.empty()) return "(no name)";
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
    std::replace_if(name.begin(), name.end(), is_control, ' ');
    return std::string{utf8_prefix(name, name_bytes_max)};
}

std::vector<text_entity> entities_from(const json& list) {
    std::vector<text_entity> entities;
    if (!list.is_array()) return entities;
    for (const auto& entity : list) {
        if (entities.size() == entities_max) break;
        entities.push_back(
            {.type = text_in(entity, "type"),
             .address = text_in(entity, "url"),
             .user = number_in(member(entity, "user"), "id")});
    }
    return entities;
}

/// Empty in the General topic, because the Bot API rejects its id.
std::optional<std::int64_t> message_thread_in(const json& message) {
    const auto thread = number_in(message, "message_thread_id");
    if (thread == 0 || !flag_in(message, "is_topic_message")) return std::nullopt;
    return thread;
}

/// The video of a message with this text. Animations are also sent as documents, for old bots.
std::optional<incoming_video> video_from(
    const json& message, std::string text, std::vector<text_entity> entities) {
    if (member(message, "animation").is_object()) return std::nullopt;
    const bool is_video = member(message, "video").is_object();
    const auto& file = member(message, is_video ? "video" : "document");
    if (!is_video && !ascii_lower(text_in(file, "mime_type")).starts_with("video/")) {
        return std::nullopt;
    }
    incoming_video video{
        .file = text_in(file, "file_id"),
        .name = text_in(file, "file_name"),
        .size_bytes = std::max<std::int64_t>(number_in(file, "file_size"), 0),
        .message_id = number_in(message, "message_id"),
        .caption = std::move(text),
        .entities = std::move(entities)};
    if (video.file.empty()) return std::nullopt;
    return video;
}

/// The data of the first button below a message; empty if there is none.
std::string first_button_in(const json& message) {
    const auto& rows = member(member(message, "reply_markup"), "inline_keyboard");
    if (!rows.is_array() || rows.empty()) return {};
    const auto& row = rows.front();
    return row.is_array() && !row.empty() ? text_in(row.front(), "callback_data") : std::string{};
}

std::optional<incoming_message> message_from(const json& message) {
    const auto& chat = member(message, "chat");
    const auto type = text_in(chat, "type");
    const auto id = number_in(chat, "id");
    if (id == 0) return std::nullopt;
    // The ids of groups are negative.
    const bool is_private = type.empty() ? id > 0 : type == "private";
    const bool is_group = type.empty() ? id < 0 : type == "group" || type == "supergroup";
    if (!is_private && !is_group) return std::nullopt;
    const bool has_text = member(message, "text").is_string();
    auto text = text_in(message, has_text ? "text" : "caption");
    auto entities = entities_from(member(message, has_text ? "entities" : "caption_entities"));
    auto video = video_from(message, text, entities);
    const auto& answered = member(message, "reply_to_message");
    incoming_message parsed{
        .chat = chats::chat_id{id},
        .kind = is_private ? chats::chat_kind::private_chat : chats::chat_kind::group,
        .chat_name = name_of_chat(chat),
        .id = number_in(message, "message_id"),
        .message_thread = message_thread_in(message),
        // Anonymous administrators of a group appear as bots.
        .is_by_bot = flag_in(member(message, "from"), "is_bot") &&
                     !member(message, "sender_chat").is_object(),
        .text = std::move(text),
        .entities = std::move(entities),
        .video = std::move(video),
        .answered_video = video_from(
            answered,
            text_in(answered, "caption"),
            entities_from(member(answered, "caption_entities"))),
        .answered_user = number_in(member(answered, "from"), "id"),
        .answered_button = first_button_in(answered),
        .moved_to = std::nullopt};
    if (const auto moved_to = number_in(message, "migrate_to_chat_id"); moved_to != 0) {
        parsed.moved_to = chats::chat_id{moved_to};
    }
    return parsed;
}

std::string text_or_number_in(const json& object, const char* name) {
    const auto number = number_in(object, name);
    return number != 0 ? std::to_string(number) : text_in(object, name);
}

pressed_button button_from(const json& query) {
    pressed_button button{
        .query = text_or_number_in(query, "id"),
        .chat = std::nullopt,
        .data = text_in(query, "data")};
    const auto& message = member(query, "message");
    const auto chat = number_in(member(message, "chat"), "id");
    if (chat == 0) return button;
    button.chat = chats::chat_id{chat};
    button.kind = chat > 0 ? chats::chat_kind::private_chat : chats::chat_kind::group;
    button.message_id = number_in(message, "message_id");
    button.message_thread = message_thread_in(message);
    return button;
}

/// Empty for a late edit, and for messages that the bot ignores.
std::optional<incoming_message> edited_message_from(const json& message) {
    const auto edited = number_in(message, "edit_date");
    if (edited == 0 || edited - number_in(message, "date") > edit_seconds_max) return std::nullopt;
    auto parsed = message_from(message);
    if (parsed) parsed->edited_at = time_point{std::chrono::seconds{edited}};
    return parsed;
}

}  // namespace

std::vector<update> updates_from(const json& result) {
    std::vector<update> updates;
    if (!result.is_array()) return updates;
    for (const auto& element : result) {
        const auto id = integer_of(element, "update_id");
        if (!id) continue;
        update parsed{.id = *id, .what = {}};
        std::optional<incoming_message> message;
        if (member(element, "message").is_object()) {
            message = message_from(member(element, "message"));
        } else if (member(element, "edited_message").is_object()) {
            message = edited_message_from(member(element, "edited_message"));
        } else if (member(element, "callback_query").is_object()) {
            parsed.what = button_from(member(element, "callback_query"));
        }
        if (message) parsed.what = *std::move(message);
        updates.push_back(std::move(parsed));
    }
    std::stable_sort(updates.begin(), updates.end(), [](const auto& left, const auto& right) {
        return left.id < right.id;
    });
    return updates;
}

}  // namespace reelsd::bot
