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

/// Updates of the Bot API, and the commands in their messages and buttons. Parsing is pure and
/// tolerant: it ignores unknown fields, and members that are missing or of another type.
namespace reelsd::bot {

struct text_entity {
    std::string type;          ///< "text_link", "text_mention", ...
    std::string address = {};  ///< Target of a text_link.
    std::int64_t user = 0;     ///< Mentioned user of a text_mention.
};

/// A video of a message: sent as a video, as a round video, or as a file.
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
    bool has_file = false;                     ///< Including animations.
    std::optional<incoming_video> video = {};  ///< Its own, without animations.
    std::optional<incoming_video> answered_video =
        {};                                  ///< Video of the message that it replies to.
    std::int64_t answered_user = 0;          ///< Author of the message that it replies to, or 0.
    std::string answered_button = {};        ///< Data of the first button of that message.
    std::string answered_text = {};          ///< Text of that message.
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

/// The bot's own account.
struct bot_identity {
    std::int64_t id = 0;
    std::string username;  ///< Without the @; empty: not known.
};

/// Maximum number of links of a message. Further links are counted.
inline constexpr std::size_t links_max = 10;

namespace commands {
struct none {};  ///< The message is not for the bot.
struct slash {
    std::string name;  ///< "list", without the slash, in lower case.
    std::string rest;  ///< The text after the name, trimmed.
};
struct links {
    std::vector<std::string> urls;  ///< 1 to links_max, without duplicates, as written.
    std::size_t left_out = 0;
};
struct code {
    std::string text;  ///< In the format of a code that links a chat.
};
struct video {
    incoming_video file;
    std::string caption;            ///< Without the bot's name.
    std::vector<std::string> urls;  ///< The links in the caption, at most links_max.
};
struct unknown {};  ///< The message is for the bot, but has no command.
}  // namespace commands

using command = std::variant<
    commands::none, commands::slash, commands::links, commands::code, commands::video,
    commands::unknown>;

/// In groups, a message is for the bot if it mentions the bot, replies to it, or is a command with
/// the bot's name. The text of a video is its caption. A reply to a video refers to that video,
/// unless the reply itself has a command or a link.
[[nodiscard]] command parse_command(const incoming_message& message, const bot_identity& self);

struct button_command {
    enum class kind : std::uint8_t { again, file, frames };
    kind what = kind::again;
    job_id job;
};

/// "again:42", "json:42" or "frames:42", at most 64 bytes.
[[nodiscard]] std::string button_data(const button_command& button);
/// Empty for data that button_data() does not produce.
[[nodiscard]] std::optional<button_command> parse_button(std::string_view data);

struct asked_question {
    std::optional<job_id> reel;  ///< Empty: all reels of the account.
    std::string text;            ///< Trimmed; may be empty.
};

/// The question after "/ask": "#42 how much flour?" asks reel 42. Otherwise a reply to a message of
/// the bot about a finished reel asks that reel.
[[nodiscard]] asked_question question_in(
    std::string_view rest, const incoming_message& message, const bot_identity& self);

/// Parses "42" or "#42"; nothing for other text.
[[nodiscard]] std::optional<job_id> reel_number(std::string_view text);

}  // namespace reelsd::bot
