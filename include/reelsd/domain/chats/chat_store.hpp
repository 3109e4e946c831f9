#pragma once

#include <reelsd/db/store.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::chats {

/// The platform's id of a chat; negative for groups.
using chat_id = strong_id<struct chat_tag>;
/// The id of a link, which does not reveal the chat's own id.
using chat_link_id = strong_id<struct chat_link_tag>;

enum class chat_kind : std::uint8_t { private_chat, group };

/// As in SQL and JSON: "private", "group".
[[nodiscard]] std::string_view name_of(chat_kind kind) noexcept;
using reelsd::name_of;

/// A chat that is linked to an account, as the account's owner sees it.
struct linked_chat {
    chat_link_id id;
    chat_kind kind = chat_kind::private_chat;
    std::string name;
    time_point linked_at;
};

struct chat_caller {
    account_id account;
    std::optional<int> requests_per_minute;  ///< Empty: the daemon's default.
};

/// A one-time code that links a chat.
struct chat_code {
    std::string code;  ///< "abcd-efgh-jkmn".
    time_point expires_at;
};

/// Long enough to type it on a phone, too short to be misused later.
inline constexpr std::chrono::minutes chat_code_life_max{15};
/// Upper bound on the linked chats of an account.
inline constexpr int linked_chats_max = 20;

/// Returns a new code: 12 of 31 letters and digits that do not look alike (59 bits), in groups of
/// four.
[[nodiscard]] std::string generate_chat_code();

/// Returns the hash to look a code up by, regardless of letter case and dashes; empty when its form
/// is wrong. Pure.
[[nodiscard]] std::optional<accounts::secret_hash> hash_of_chat_code(std::string_view code);

/// Links of chats to accounts.
class chat_store : public db::store {
public:
    using db::store::store;

    /// Creates a code, which replaces the account's earlier one.
    awaitable<chat_code> make_code(account_id account, deadline by);

    /// Newest first.
    awaitable<std::vector<linked_chat>> list(account_id account, deadline by);

    /// Removes the link and the chat's unsent messages. False for any but the account's own link.
    awaitable<bool> unlink(account_id account, chat_link_id link, deadline by);

    /// Empty for a chat that is not linked, or whose account is disabled.
    awaitable<std::optional<chat_caller>> find_caller(chat_id chat, deadline by);

    /// Records that the platform has changed the id of the chat.
    awaitable<void> move(chat_id former, chat_id present, deadline by);
};

}  // namespace reelsd::chats
