#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// What the Bot API answers, and what follows from it. All pure.
namespace reelsd::bot {

struct api_answer {
    enum class outcome : std::uint8_t {
        done,
        unchanged,     ///< The message shows just that already.
        gone,          ///< The message that was to be edited is not there, or cannot be edited.
        bad_markup,    ///< The server does not understand our HTML.
        wait,          ///< Too much at once: for `retry_after` at least.
        moved,         ///< The group has another number: `moved_to`.
        unreachable,   ///< Nobody there, or the server is at fault. Worth another try.
        lost_chat,     ///< Blocked, left or never there: nothing reaches this chat.
        bad_token,     ///< There is no such bot any more.
        not_there,     ///< No such bot, or no such method.
        another_asks,  ///< Somebody else asks for the same bot's updates, or has them delivered.
        refused,       ///< Our request is at fault: another try would change nothing.
    };

    outcome what = outcome::unreachable;
    json value = {};          ///< The `result`, when done.
    std::string description;  ///< Why not, for logs; never with the token.
    std::chrono::seconds retry_after{0};
    std::optional<chats::chat_id> moved_to = {};
};

[[nodiscard]] std::string_view name_of(api_answer::outcome what) noexcept;

/// Reads a complete HTTP answer. `retry_after_header` is used where the body says nothing.
[[nodiscard]] api_answer answer_from(
    int status, std::string_view body, std::optional<std::string_view> retry_after_header);

/// How long to wait before the next try after so many failures in a row (1 or more): doubled from a
/// second to a minute; `dice` from 0 to 1 takes up to half of it away, so that many do not come
/// back at the same moment.
[[nodiscard]] std::chrono::milliseconds backoff(int failures, double dice) noexcept;

}  // namespace reelsd::bot
