#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What the Bot API tells us, as far as we listen. Parsing is pure, and takes what it gets: what is
/// missing or of another form is passed over, as newer servers say more than we know.
namespace reelsd::bot {

/// A mark in a text.
struct text_entity {
    std::string type;          ///< "mention", "text_link", "bot_command", ...
    std::string text;          ///< What is marked.
    std::string address = {};  ///< Of a text_link.
    std::int64_t user = 0;     ///< Of a text_mention.
};

/// A video of a message: sent as a video, or as a file of a type video/*.
struct incoming_video {
    std::string file;             ///< The Bot API's file_id; never empty.
    std::string name;             ///< The file's name; empty: not reported.
    std::int64_t size_bytes = 0;  ///< 0: not reported.
    std::int64_t message = 0;     ///< The message that it is in; 0: not known.
    std::string caption;
    std::vector<text_entity> entities = {};  ///< Of the caption.
};

struct incoming_message {
    chats::chat_id chat;
    chats::chat_kind kind = chats::chat_kind::private_chat;
    std::string chat_name;  ///< A person's or a group's; at most 100 characters.
    std::int64_t message = 0;
    /// The topic of a forum group; nothing in its General topic, which must not be named.
    std::optional<std::int64_t> message_thread = {};
    std::optional<time_point> edited_at = {};  ///< Set when this is a new version of the message.
    bool is_by_bot = false;
    std::string text;  ///< Or what stands below a picture.
    std::vector<text_entity> entities;
    std::optional<incoming_video> video = {};           ///< Its own; animations are none.
    std::optional<incoming_video> answered_video = {};  ///< Of the message that it replies to.
    std::int64_t answered_user = 0;  ///< Who wrote what this is an answer to; 0: it is none.
    std::optional<chats::chat_id> moved_to;  ///< The group has another number from now on.
};

/// A button was pressed.
struct pressed_button {
    std::string query;
    std::optional<chats::chat_id> chat;  ///< Nothing: the message is too old to be reported.
    chats::chat_kind kind = chats::chat_kind::private_chat;
    std::int64_t message = 0;  ///< The message with the button; 0: not known.
    std::optional<std::int64_t> message_thread = {};
    std::string data;
};

struct update {
    std::int64_t id = 0;
    /// monostate: something that we do not listen to.
    std::variant<std::monostate, incoming_message, pressed_button> what;
};

/// The updates in the `result` of getUpdates, by their numbers; what has none is left out.
[[nodiscard]] std::vector<update> updates_from(const json& result);

/// The bytes that a mark covers; the Bot API counts code units of UTF-16. Clipped to the text.
[[nodiscard]] std::string_view utf16_substring(
    std::string_view text, std::int64_t offset, std::int64_t length);

}  // namespace reelsd::bot
