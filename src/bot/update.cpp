#include "update.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <chrono>

namespace reelsd::bot {
namespace {

constexpr std::size_t name_bytes_max = 100;
constexpr std::size_t entities_max = 100;
/// Edits that come later than this after the message are ignored. Submissions of a message are
/// recognised by their Idempotency-Key, which is kept for 24 hours; an hour is for clocks.
constexpr std::int64_t edit_seconds_max = 23 * 3600;

const json& member(const json& object, const char* name) {
    static const json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(name);
    return found == object.end() ? nothing : *found;
}

std::int64_t number_in(const json& object, const char* name) {
    const auto& value = member(object, name);
    return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

std::string text_in(const json& object, const char* name) {
    const auto& value = member(object, name);
    return value.is_string() ? value.get<std::string>() : std::string{};
}

bool flag_in(const json& object, const char* name) {
    const auto& value = member(object, name);
    return value.is_boolean() && value.get<bool>();
}

/// On one line, cut where a character ends.
std::string short_name(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    if (name.size() <= name_bytes_max) return name;
    auto end = name_bytes_max;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
    return name.substr(0, end);
}

std::string name_of_chat(const json& chat) {
    auto name = text_in(chat, "title");
    if (name.empty()) name = text_in(chat, "first_name");
    const auto last = text_in(chat, "last_name");
    if (!last.empty()) name.append(name.empty() ? "" : " ").append(last);
    if (name.empty()) name = text_in(chat, "username");
    return short_name(name.empty() ? "(no name)" : std::move(name));
}

std::vector<text_entity> entities_from(const json& list, std::string_view text) {
    std::vector<text_entity> entities;
    if (!list.is_array()) return entities;
    for (const auto& one : list) {
        if (entities.size() == entities_max) break;
        entities.push_back(
            {.type = text_in(one, "type"),
             .text = std::string{utf16_substring(
                 text, number_in(one, "offset"), number_in(one, "length"))},
             .address = text_in(one, "url"),
             .user = number_in(member(one, "user"), "id")});
    }
    return entities;
}

/// Nothing in the General topic: the Bot API refuses to be told its number.
std::optional<std::int64_t> message_thread_in(const json& said) {
    const auto thread = number_in(said, "message_thread_id");
    if (thread == 0 || !flag_in(said, "is_topic_message")) return std::nullopt;
    return thread;
}

/// The video of a message with this text. An animation also comes as a document, for old bots.
std::optional<incoming_video> video_from(
    const json& said, std::string text, std::vector<text_entity> entities) {
    if (member(said, "animation").is_object()) return std::nullopt;
    const bool is_video = member(said, "video").is_object();
    const auto& file = member(said, is_video ? "video" : "document");
    if (!is_video && !ascii_lower(text_in(file, "mime_type")).starts_with("video/")) {
        return std::nullopt;
    }
    incoming_video video{
        .file = text_in(file, "file_id"),
        .name = text_in(file, "file_name"),
        .size_bytes = std::max<std::int64_t>(number_in(file, "file_size"), 0),
        .message = number_in(said, "message_id"),
        .caption = std::move(text),
        .entities = std::move(entities)};
    if (video.file.empty()) return std::nullopt;
    return video;
}

std::optional<incoming_video> answered_video_from(const json& said) {
    auto text = text_in(said, "caption");
    auto entities = entities_from(member(said, "caption_entities"), text);
    return video_from(said, std::move(text), std::move(entities));
}

std::optional<incoming_message> message_from(const json& said) {
    const auto& chat = member(said, "chat");
    const auto type = text_in(chat, "type");
    const auto id = number_in(chat, "id");
    if (id == 0) return std::nullopt;
    // Groups have numbers below zero.
    const bool is_private = type.empty() ? id > 0 : type == "private";
    const bool is_group = type.empty() ? id < 0 : type == "group" || type == "supergroup";
    if (!is_private && !is_group) return std::nullopt;
    const bool has_text = member(said, "text").is_string();
    auto text = text_in(said, has_text ? "text" : "caption");
    auto entities = entities_from(member(said, has_text ? "entities" : "caption_entities"), text);
    auto video = video_from(said, text, entities);
    incoming_message made{
        .chat = chats::chat_id{id},
        .kind = is_private ? chats::chat_kind::private_chat : chats::chat_kind::group,
        .chat_name = name_of_chat(chat),
        .message = number_in(said, "message_id"),
        .message_thread = message_thread_in(said),
        // A group's administrators who speak for it come as a bot.
        .is_by_bot =
            flag_in(member(said, "from"), "is_bot") && !member(said, "sender_chat").is_object(),
        .text = std::move(text),
        .entities = std::move(entities),
        .video = std::move(video),
        .answered_video = answered_video_from(member(said, "reply_to_message")),
        .answered_user = number_in(member(member(said, "reply_to_message"), "from"), "id"),
        .moved_to = std::nullopt};
    if (const auto moved = number_in(said, "migrate_to_chat_id"); moved != 0) {
        made.moved_to = chats::chat_id{moved};
    }
    return made;
}

std::string text_or_number_in(const json& object, const char* name) {
    const auto number = number_in(object, name);
    return number != 0 ? std::to_string(number) : text_in(object, name);
}

pressed_button button_from(const json& pressed) {
    pressed_button made{
        .query = text_or_number_in(pressed, "id"),
        .chat = std::nullopt,
        .data = text_in(pressed, "data")};
    const auto& below = member(pressed, "message");
    const auto chat = number_in(member(below, "chat"), "id");
    if (chat == 0) return made;
    made.chat = chats::chat_id{chat};
    made.kind = chat > 0 ? chats::chat_kind::private_chat : chats::chat_kind::group;
    made.message = number_in(below, "message_id");
    made.message_thread = message_thread_in(below);
    return made;
}

/// Nothing for an edit that is too late, or no message that the bot reads.
std::optional<incoming_message> edited_message_from(const json& said) {
    const auto edited = number_in(said, "edit_date");
    if (edited == 0 || edited - number_in(said, "date") > edit_seconds_max) return std::nullopt;
    auto made = message_from(said);
    if (made) made->edited_at = time_point{std::chrono::seconds{edited}};
    return made;
}

}  // namespace

std::vector<update> updates_from(const json& result) {
    std::vector<update> updates;
    if (!result.is_array()) return updates;
    for (const auto& one : result) {
        if (!member(one, "update_id").is_number_integer()) continue;
        update made{.id = number_in(one, "update_id"), .what = {}};
        if (member(one, "message").is_object()) {
            if (auto said = message_from(member(one, "message"))) made.what = std::move(*said);
        } else if (member(one, "edited_message").is_object()) {
            if (auto said = edited_message_from(member(one, "edited_message"))) {
                made.what = std::move(*said);
            }
        } else if (member(one, "callback_query").is_object()) {
            made.what = button_from(member(one, "callback_query"));
        }
        updates.push_back(std::move(made));
    }
    std::stable_sort(updates.begin(), updates.end(), [](const auto& left, const auto& right) {
        return left.id < right.id;
    });
    return updates;
}

std::string_view utf16_substring(std::string_view text, std::int64_t offset, std::int64_t length) {
    if (offset < 0 || length <= 0) return {};
    std::int64_t units = 0;
    std::size_t begin = text.size();
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if ((byte & 0xC0U) == 0x80U) continue;
        if (units >= offset && begin == text.size()) begin = at;
        if (units - offset >= length) break;
        units += byte >= 0xF0U ? 2 : 1;
    }
    return text.substr(begin, at > begin ? at - begin : 0);
}

}  // namespace reelsd::bot
