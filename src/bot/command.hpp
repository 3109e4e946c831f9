#pragma once

#include "update.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Interprets messages and buttons. Pure.
namespace reelsd::bot {

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

/// A question and the reel that it is about.
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
