#pragma once

#include <reelsd/domain/chats/chat_store.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::dashboard {

/// What the handlers of this resource use. Outlives the router.
struct chat_service {
    chats::chat_store chats;
    /// The chat bot's name without the @, empty while it is not known; nothing without a bot.
    std::function<std::optional<std::string>()> bot_username;
};

void add_chat_routes(http::router& router, std::string_view gated, chat_service& service);

/// Opens a chat with the bot that brings the code. Pure.
[[nodiscard]] std::string chat_link(std::string_view bot_username, std::string_view code);

}  // namespace reelsd::dashboard
