#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::usage {

/// A call of a model that is about to be made for a job.
struct call_intent {
    job_id job;
    std::int32_t claim = 0;  ///< Under which the job is held.
    std::string provider;    ///< "gemini"
    std::string model;       ///< As priced and reported.
    int calls_max = 3;       ///< Of the job, over all its attempts; at least 1.
    /// Random, to release the call by if nobody hears its number; empty: it cannot be.
    std::string booking_key = {};
};

/// 128 random bits.
[[nodiscard]] std::string new_booking_key();

/// What a call has used. Tokens as the provider counts them.
struct call_usage {
    std::int64_t prompt_tokens = 0;         ///< With the cached ones.
    std::int64_t cached_prompt_tokens = 0;  ///< At most prompt_tokens.
    std::int64_t output_tokens = 0;         ///< With the thinking ones.
    std::int64_t thinking_tokens = 0;       ///< At most output_tokens.
    /// 1e-12 US dollars; nothing when it cannot be known.
    std::optional<std::int64_t> cost_picodollars = {};
    std::string modalities = {};   ///< A JSON array, see migrations/0006; empty for none.
    std::string response_id = {};  ///< Empty for none.
};

/// A call of an embedder that is about to be made.
struct embedding_intent {
    account_id account;
    std::optional<job_id> job = {};  ///< None for a query, and for several reels together.
    std::string provider;
    std::string model;
    /// Stored with the call until it is settled: what it counts as when its answer is lost.
    std::int64_t estimated_tokens = 0;
    /// Another embedder was chosen: part of the account's usage, not of what its budget counts.
    bool is_operators = false;
    std::string booking_key;  ///< As in call_intent.
};

/// What a model has used in all, over all accounts and daemons.
struct model_total {
    std::string provider;
    std::string model;
    std::int64_t calls = 0;
    std::int64_t unpriced_calls = 0;  ///< Of these, the ones whose cost is not known.
    std::int64_t prompt_tokens = 0;
    std::int64_t cached_prompt_tokens = 0;
    std::int64_t output_tokens = 0;
    std::int64_t thinking_tokens = 0;
    std::string cost_usd;  ///< An exact decimal: of the calls whose cost is known.
};

/// Writes the ledger of model calls. Throws like jobs::job_store. A cheap value around the pool.
class call_ledger_store {
public:
    explicit call_ledger_store(db::pool& pool) : pool_{&pool} {}

    /// Takes one of the job's calls before it is made: from here on it counts, whoever dies.
    /// Errors: unauthorized when the account's monthly budget is spent, limit_reached when the job
    /// has no call left or is no longer held under that claim.
    boost::asio::awaitable<result<std::int64_t>> begin(call_intent wanted, deadline by);

    /// The same for an embedding. Errors: unauthorized as above, not_found when the account is
    /// gone.
    boost::asio::awaitable<result<std::int64_t>> begin_embedding(
        embedding_intent wanted, deadline by);

    /// Whether the account's monthly budget is spent, as both decide it.
    boost::asio::awaitable<bool> is_budget_spent(account_id account, deadline by);

    /// What the call has used; again changes nothing.
    boost::asio::awaitable<void> settle(std::int64_t call, call_usage used, deadline by);

    /// The call was not made, or not answered with anything that is billed: it does not count.
    boost::asio::awaitable<void> release(std::int64_t call, deadline by);

    /// As release(), for a call whose begin() had no answer: it may have been begun.
    boost::asio::awaitable<void> release_unanswered(std::string booking_key, deadline by);

    /// Settles, at an unknown cost, at most `calls_max` calls whose answer was lost: begun over an
    /// hour ago, under a claim that is over. Returns how many.
    boost::asio::awaitable<std::int64_t> settle_lost(int calls_max, deadline by);

    boost::asio::awaitable<std::vector<model_total>> totals(deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::usage
