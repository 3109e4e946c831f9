#pragma once

#include <reelsd/base/request_error.hpp>
#include <reelsd/db/store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::searches {

using search_id = strong_id<struct search_tag>;

/// Each new reel of the account is compared with all of them.
inline constexpr int searches_max = 20;

struct saved_search {
    search_id id;
    std::string name;                        ///< Unique within the account.
    std::string query;                       ///< As in jobs::search_request.
    std::optional<std::string> author = {};  ///< Only reels of this author, in any letter case.
    double min_score = 0.5;                  ///< Of the score of a search, 0-1.
    time_point created_at;
};

/// A new reel that has not been compared with its account's searches yet.
struct pending_check {
    job_id reel;
    account_id account;
};

struct search_match {
    search_id search;
    double score = 0;
    std::string message;  ///< For chats, in the Bot API's HTML.
};

/// Saved searches, and the new reels to compare with them.
class saved_search_store : public db::store {
public:
    using db::store::store;

    /// The account's, oldest first.
    awaitable<std::vector<saved_search>> list(account_id owner, deadline by);

    /// Sets the id and the time. Errors: invalid_argument, with the text for the client, if the
    /// account has `searches_max` or one of this name.
    awaitable<input<saved_search>> add(account_id owner, saved_search added, deadline by);

    /// False for an unknown or another account's id.
    awaitable<bool> remove(account_id owner, search_id id, deadline by);

    /// Claims new reels, oldest first, until the lease ends. Two daemons never get the same.
    awaitable<std::vector<pending_check>> claim(int checks_max, seconds_f lease, deadline by);

    /// Stores and reports the matches of a reel, each once. Returns the number of new ones.
    awaitable<std::int32_t> finish(job_id reel, std::vector<search_match> matches, deadline by);
};

}  // namespace reelsd::searches
