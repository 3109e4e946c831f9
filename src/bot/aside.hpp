#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

#include <optional>
#include <string>

namespace reelsd::bot {

/// Something that is said from memory: it may be lost with the daemon. Answers to buttons, which
/// nobody waits for after some seconds, and to strangers.
struct aside {
    std::optional<chats::chat_id> chat;  ///< Whose turn it takes; nothing: nobody's.
    std::string method;
    json parameters;
    int tries = 0;
    deadline::clock::time_point not_before{};
};

/// More waiting than this are dropped: a crowd of strangers must not fill the memory.
inline constexpr std::size_t asides_max = 1000;
inline constexpr int aside_tries_max = 5;

}  // namespace reelsd::bot
