#pragma once

#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>
#include <reelsd/model/dense_embedder.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/work/analysis/call_recorder.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace reelsd::work {

/// Dependencies of paid_embedder. All outlive it.
struct paid_embedder_dependencies {
    const model::dense_embedder& embedder;
    const model::price_table& prices;
    const call_recorder& recorder;
    /// Only for embedding calls, so that an unresponsive provider blocks nothing else.
    async::offload_pool& threads;
    log::logger log;
};

/// The account that an embedding is for, and who pays.
struct embedding_order {
    account_id account;
    std::optional<job_id> job = {};  ///< None for a query, and for several reels together.
    bool is_operators = false;       ///< As in usage::account_call_intent.
    model::embedding_purpose purpose = model::embedding_purpose::document;
};

struct paid_vectors {
    /// One vector per text. Errors: see paid_embedder::embed().
    result<std::vector<model::dense_vector>> vectors;
    std::optional<std::int64_t> cost_picodollars = 0;  ///< Empty if unknown.
};

/// Calls an embedder. Each call is a row of the ledger before it is made. It is settled with the
/// billed cost, whether or not its answer is usable. Thread: the loop's.
class paid_embedder {
public:
    explicit paid_embedder(paid_embedder_dependencies parts) : parts_{std::move(parts)} {}

    /// Embeds texts, one vector each. Errors: unauthorized when the account's monthly budget is
    /// spent; model_misconfigured, even without a call once `has_given_up()`; model_unavailable,
    /// model_refused, cancelled; timed_out and limit_reached without a free thread; not_found for a
    /// deleted account. Throws db::failure if the call cannot be recorded; it is not made then.
    [[nodiscard]] awaitable<paid_vectors> embed(
        embedding_order order, std::vector<std::string> texts, deadline by);

    /// True once several billed answers were unusable. Then no more calls are made until the daemon
    /// restarts, usually with other settings.
    [[nodiscard]] bool has_given_up() const noexcept { return has_given_up_; }

    /// Aborts calls in progress; they stay in the ledger.
    void abort() { aborted_.request_stop(); }

    [[nodiscard]] const model::dense_embedder& model() const noexcept { return parts_.embedder; }

private:
    /// Returns the cost of the call; empty if unknown.
    std::optional<std::int64_t> write_down(std::int64_t call, const model::embedding_reply& reply);
    void judge(const model::embedding_reply& reply);

    paid_embedder_dependencies parts_;
    std::stop_source aborted_;
    int useless_answers_ = 0;  ///< Consecutive answers that were billed but had no vectors.
    bool has_given_up_ = false;
};

}  // namespace reelsd::work
