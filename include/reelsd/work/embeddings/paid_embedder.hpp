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

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace reelsd::work {

/// All outlive it.
struct paid_embedder_dependencies {
    const model::dense_embedder& embedder;
    const model::price_table& prices;
    const call_recorder& recorder;
    /// For the calls alone, so that a provider that does not answer holds up nothing else.
    async::offload_pool& threads;
    log::logger log;
};

/// Who an embedding is for, and who pays.
struct embedding_order {
    account_id account;
    std::optional<job_id> job = {};  ///< None for a query, and for several reels together.
    bool is_operators = false;       ///< As in usage::embedding_intent.
    model::embedding_purpose purpose = model::embedding_purpose::document;
};

/// Calls an embedder. Each call is a row of the ledger before it is made, and is settled with what
/// it is billed, whatever its answer is good for. Thread: the loop's.
class paid_embedder {
public:
    explicit paid_embedder(paid_embedder_dependencies parts) : parts_{std::move(parts)} {}

    /// One vector a text. Errors: unauthorized when the account's monthly budget is spent;
    /// model_misconfigured, also without a call once `has_given_up()`; model_unavailable,
    /// model_refused, cancelled; timed_out and limit_reached without a free thread; not_found for
    /// an account that is gone. Throws db::failure when the call could not be written down; it is
    /// not made then.
    [[nodiscard]] boost::asio::awaitable<result<std::vector<model::dense_vector>>> embed(
        embedding_order wanted, std::vector<std::string> texts, deadline by);

    /// True once answers that are billed were of no use: no more calls until the daemon is started
    /// again, with other settings as a rule.
    [[nodiscard]] bool has_given_up() const noexcept { return has_given_up_; }

    /// Aborts calls under way; they stay in the ledger.
    void abort() { aborted_.request_stop(); }

    [[nodiscard]] const model::dense_embedder& model() const noexcept { return parts_.embedder; }

private:
    void write_down(std::int64_t call, const model::embedding_reply& reply);
    void judge(const model::embedding_reply& reply);

    paid_embedder_dependencies parts_;
    std::stop_source aborted_;
    int useless_answers_ = 0;  ///< Billed, without vectors, one after the other.
    bool has_given_up_ = false;
};

}  // namespace reelsd::work
