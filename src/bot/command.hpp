#pragma once

#include "update.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What somebody wants who writes to the bot. All pure.
namespace reelsd::bot {

/// Who the bot is.
struct bot_identity {
    std::int64_t id = 0;
    std::string username;  ///< Without the @; empty: not known.
};

/// More links than this in one message are left out, and that is said.
inline constexpr std::size_t links_max = 10;

namespace commands {
struct nothing {};  ///< Not said to us.
struct command {
    std::string name;  ///< "list", without the slash, in lower case.
    std::string rest;  ///< What follows, without blanks at its ends.
};
struct links {
    std::vector<std::string> urls;  ///< 1 to links_max, each once, as they were written.
    std::size_t left_out = 0;
};
struct code {
    std::string text;  ///< Of the form of a code that ties a chat.
};
struct video {
    incoming_video file;
    std::string caption;            ///< Without our name.
    std::vector<std::string> urls;  ///< The links in the caption, at most links_max.
};
struct chatter {};  ///< Said to us, and nothing that we know.
}  // namespace commands

using command = std::variant<
    commands::nothing, commands::command, commands::links, commands::code, commands::video,
    commands::chatter>;

/// In groups only what is said to us counts: with our name, as an answer to us, or as a command
/// that bears our name. The text of a video is its caption. A reply to a video stands for that
/// video, unless the reply itself has a command or a link.
[[nodiscard]] command parse_command(const incoming_message& said, const bot_identity& self);

/// What a button asks for.
struct button_command {
    enum class kind : std::uint8_t { again, file };
    kind what = kind::again;
    job_id job;
};

/// At most 64 bytes: "again:42", "json:42".
[[nodiscard]] std::string button_data(const button_command& wanted);
/// Nothing for what no button of ours says.
[[nodiscard]] std::optional<button_command> parse_button(std::string_view data);

/// "42" or "#42" as a reel's number; nothing for anything else.
[[nodiscard]] std::optional<job_id> reel_number(std::string_view text);

}  // namespace reelsd::bot
