#pragma once

#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>
#include <reelsd/model/analyzer.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>

namespace reelsd::work {

/// Keeps the ledger of model calls for worker threads. What a call has used is written for as long
/// as the daemon lives, also when the worker cannot wait for it: the database may be away.
class call_recorder {
public:
    /// The loop runs, and `tasks` and the store's pool live, for as long as a worker may call.
    call_recorder(
        boost::asio::any_io_executor loop, usage::call_ledger_store store, async::task_group& tasks,
        log::logger log)
        : loop_{std::move(loop)}, store_{store}, tasks_{tasks}, log_{std::move(log)} {}

    /// Errors: unauthorized when the account's monthly budget is spent; database_unavailable.
    [[nodiscard]] result<void> check_budget(account_id account, deadline by) const;
    /// Errors: as call_ledger_store::begin(), database_unavailable; cancelled after refuse_new().
    [[nodiscard]] result<std::int64_t> begin(usage::call_intent wanted) const;
    void settle(std::int64_t call, usage::call_usage used) const;
    void release(std::int64_t call) const;

    /// The daemon stops: a call begun now would be cut off at the end of the drain, and paid in
    /// vain. Calls under way are not affected. Any thread.
    void refuse_new() noexcept { refuses_new_ = true; }

    /// For embeddings, on the loop's thread. Throws like the store.
    [[nodiscard]] boost::asio::awaitable<result<std::int64_t>> begin_embedding(
        usage::embedding_intent wanted, deadline by) const;
    /// As settle() and release(), on the loop's thread: they return at once.
    void settle_later(std::int64_t call, usage::call_usage used) const;
    void release_later(std::int64_t call) const;

private:
    /// One statement, said again until it is written.
    using statement = std::function<boost::asio::awaitable<void>(deadline by)>;

    [[nodiscard]] boost::asio::awaitable<void> write(
        statement write_once, std::shared_ptr<std::promise<void>> written) const;
    /// Waits for a while; goes on without the caller afterwards.
    void write_surely(statement write_once) const;
    /// On the loop's thread.
    void write_later(statement write_once) const;

    boost::asio::any_io_executor loop_;
    usage::call_ledger_store store_;
    async::task_group& tasks_;
    log::logger log_;
    std::atomic<bool> refuses_new_{false};
};

/// The paid calls of one job, at most three over all its attempts. For the worker that has it.
class job_call_ledger final : public model::call_ledger {
public:
    job_call_ledger(const call_recorder& recorder, const jobs::claimed_job& job)
        : recorder_{recorder}, job_{job} {}

    [[nodiscard]] result<std::int64_t> begin_call(
        std::string_view provider, std::string_view model) override;
    void settle(std::int64_t call, const model::call_usage& used) override;
    void release(std::int64_t call) override;

private:
    const call_recorder& recorder_;
    const jobs::claimed_job& job_;
};

/// As the ledger keeps it: a JSON array, or nothing when the provider told none.
[[nodiscard]] std::string modalities_text(const model::token_counts& tokens);

}  // namespace reelsd::work
