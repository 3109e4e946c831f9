#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Updates of the Bot API. Parsing is pure and tolerant: it ignores unknown fields, and members
/// that are missing or of another type.
namespace reelsd::bot {

/// An entity of a text.
struct text_entity {
    std::string type;          ///< "text_link", "text_mention", ...
    std::string address = {};  ///< Target of a text_link.
    std::int64_t user = 0;     ///< Mentioned user of a text_mention.
};

/// A video of a message: sent as a video, or as a file of a type video/*.
struct incoming_video {
    std::string file;             ///< The Bot API's file_id; never empty.
    std::string name;             ///< The file's name; empty: not reported.
    std::int64_t size_bytes = 0;  ///< 0: not reported.
    std::int64_t message_id = 0;  ///< The message that contains it; 0: not known.
    std::string caption;
    std::vector<text_entity> entities = {};  ///< Entities of the caption.
};

struct incoming_message {
    chats::chat_id chat;
    chats::chat_kind kind = chats::chat_kind::private_chat;
    std::string chat_name;  ///< Name of a person or a group; at most 100 bytes.
    std::int64_t id = 0;    ///< 0: not known.
    /// The topic of a forum group; nothing in its General topic, which must not be named.
    std::optional<std::int64_t> message_thread = {};
    std::optional<time_point> edited_at = {};  ///< Set for an edited message.
    bool is_by_bot = false;
    std::string text;  ///< Or the caption.
    std::vector<text_entity> entities;
    std::optional<incoming_video> video = {};  ///< Its own, without animations.
    std::optional<incoming_video> answered_video =
        {};                                  ///< Video of the message that it replies to.
    std::int64_t answered_user = 0;          ///< Author of the message that it replies to, or 0.
    std::string answered_button = {};        ///< Data of the first button of that message.
    std::optional<chats::chat_id> moved_to;  ///< The new id of the group.
};

struct pressed_button {
    std::string query;
    std::optional<chats::chat_id> chat;  ///< Nothing: the message is too old to be reported.
    chats::chat_kind kind = chats::chat_kind::private_chat;
    std::int64_t message_id = 0;  ///< The message with the button; 0: not known.
    std::optional<std::int64_t> message_thread = {};
    std::string data;
};

struct update {
    std::int64_t id = 0;
    /// monostate: a kind of update that the bot ignores.
    std::variant<std::monostate, incoming_message, pressed_button> what;
};

/// The updates in the `result` of getUpdates, ordered by id; skips those without an id.
[[nodiscard]] std::vector<update> updates_from(const json& result);

}  // namespace reelsd::bot
