#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/db/store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::usage {

/// What a call of a model is made for. Analyses and transcriptions are made for jobs, the others
/// for accounts. As in SQL (`model_call_purpose`).
BOOST_DEFINE_FIXED_ENUM_CLASS(call_purpose, std::uint8_t, analysis, transcription, ask, embedding)

/// A call of a model that is about to be made for a job.
struct call_intent {
    job_id job;
    std::int32_t claim = 0;                         ///< The job's current claim.
    std::string provider;                           ///< "gemini"
    std::string model;                              ///< Name for prices and reports.
    call_purpose purpose = call_purpose::analysis;  ///< Or transcription.
    int calls_max = 3;  ///< Limit of the job and purpose over all attempts; at least 1.
    /// Random; releases the call if the answer with its number is lost. Empty: not possible.
    std::string booking_key = {};
};

/// 128 random bits.
[[nodiscard]] std::string new_booking_key();

/// Usage of a call. Tokens are counted by the provider.
struct call_usage {
    std::int64_t prompt_tokens = 0;         ///< Includes the cached ones.
    std::int64_t cached_prompt_tokens = 0;  ///< At most prompt_tokens.
    std::int64_t output_tokens = 0;         ///< Includes the thinking ones.
    std::int64_t thinking_tokens = 0;       ///< At most output_tokens.
    /// In 1e-12 US dollars; empty when unknown.
    std::optional<std::int64_t> cost_picodollars = {};
    std::string modalities = {};   ///< A JSON array, see migrations/0006; empty for none.
    std::string response_id = {};  ///< Empty for none.
    std::int64_t audio_milliseconds = 0;
    /// Kept with the call's job until that ends; empty for none. Without U+0000 and newlines.
    std::string kept_answer = {};
};

struct account_call_intent {
    account_id account;
    call_purpose purpose = call_purpose::embedding;
    std::optional<job_id> job = {};  ///< If it is about a single reel.
    std::string provider;
    std::string model;
    /// Stored with the call until it is settled. Counts if the answer is lost.
    std::int64_t estimated_tokens = 0;
    /// The operator chose another embedder: counts as the account's usage, not toward its budget.
    bool is_operators = false;
    std::string booking_key;  ///< As in call_intent.
};

/// Total usage of a model over all accounts and daemons.
struct model_total {
    std::string provider;
    std::string model;
    std::int64_t calls = 0;
    std::int64_t unpriced_calls = 0;  ///< Calls of unknown cost.
    std::int64_t prompt_tokens = 0;
    std::int64_t cached_prompt_tokens = 0;
    std::int64_t output_tokens = 0;
    std::int64_t thinking_tokens = 0;
    std::string audio_seconds = "0";  ///< An exact decimal.
    std::string cost_usd;             ///< Sum of calls with a known cost; an exact decimal.
};

class call_ledger_store : public db::store {
public:
    using db::store::store;

    /// Books a call before it is made. It counts from then on, even if the daemon dies.
    /// Errors: unauthorized when the account's monthly budget is spent, limit_reached when the job
    /// has no call left, cancelled when its claim is no longer current.
    awaitable<result<std::int64_t>> begin(call_intent call, deadline by);

    /// Books a call for an account. Errors: unauthorized as above, not_found for a deleted account.
    awaitable<result<std::int64_t>> begin_for_account(account_call_intent call, deadline by);

    /// Whether the account's monthly budget is spent, by the same rule.
    awaitable<bool> is_budget_spent(account_id account, deadline by);

    /// Records the usage of a call. Idempotent.
    awaitable<void> settle(std::int64_t call, call_usage used, deadline by);

    /// The answer that settle() has kept for the job, if it is of that model; empty otherwise. For
    /// an analysis, all its answers, each on a line, the oldest first; or for a transcription.
    awaitable<std::string> kept_answer(
        job_id job, std::string provider, std::string model, call_purpose purpose, deadline by);

    /// "provider/model" of the kept answer to the job's analysis; empty if there is none.
    awaitable<std::string> answered_model(job_id job, deadline by);

    /// Removes a call that was not made or not billed.
    awaitable<void> release(std::int64_t call, deadline by);

    /// As release(), for a call whose begin() had no answer.
    awaitable<void> release_unanswered(std::string booking_key, deadline by);

    /// Settles, at an unknown cost, at most `calls_max` calls whose answer was lost: they began
    /// over an hour ago, under a claim that has ended. Returns their number.
    awaitable<std::int64_t> settle_lost(int calls_max, deadline by);

    awaitable<std::vector<model_total>> totals(deadline by);
};

}  // namespace reelsd::usage
