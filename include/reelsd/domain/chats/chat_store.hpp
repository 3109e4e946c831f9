#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::chats {

/// A chat as its platform numbers it: negative for groups.
using chat_id = strong_id<struct chat_tag>;
/// A tie of ours, which says nothing of the chat's own number.
using chat_link_id = strong_id<struct chat_link_tag>;

enum class chat_kind : std::uint8_t { private_chat, group };

/// As in SQL and JSON: "private", "group".
[[nodiscard]] std::string_view name_of(chat_kind kind) noexcept;

/// A chat that speaks for an account, as the account's owner sees it.
struct linked_chat {
    chat_link_id id;
    chat_kind kind = chat_kind::private_chat;
    std::string name;
    time_point linked_at;
};

/// For whom a chat speaks.
struct chat_caller {
    account_id account;
    std::optional<int> requests_per_minute;  ///< Nothing: the daemon's default.
};

/// What ties a chat, shown once.
struct chat_code {
    std::string code;  ///< "abcd-efgh-jkmn".
    time_point expires_at;
};

/// Long enough to pick up a telephone, too short to be found in a notebook.
inline constexpr std::chrono::minutes chat_code_life_max{15};
/// Of one account: people have a telephone, a few groups, and colleagues.
inline constexpr int ties_max = 20;

/// A new code: 12 of 31 letters and digits that nobody takes for one another (59 bits), in groups
/// of four.
[[nodiscard]] std::string generate_chat_code();

/// The hash to look a code up by, whatever its letter case and dashes; nothing when the form is
/// wrong. Pure.
[[nodiscard]] std::optional<accounts::secret_hash> hash_of_chat_code(std::string_view code);

/// Which chats speak for whom. Throws like jobs::job_store. A cheap value around the pool.
class chat_store {
public:
    explicit chat_store(db::pool& pool) : pool_{&pool} {}

    /// A new code; the account's older one stops working.
    boost::asio::awaitable<chat_code> make_code(account_id account, deadline by);

    /// The latest first.
    boost::asio::awaitable<std::vector<linked_chat>> list(account_id account, deadline by);

    /// Ends the tie, with all that was still to be said in the chat. False for an unknown or
    /// another account's.
    boost::asio::awaitable<bool> unlink(account_id account, chat_link_id link, deadline by);

    /// Nothing for a chat that is not tied, or to an account that is disabled.
    boost::asio::awaitable<std::optional<chat_caller>> find_caller(chat_id chat, deadline by);

    /// The platform gives the chat another number.
    boost::asio::awaitable<void> move(chat_id former, chat_id present, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::chats
