#pragma once

#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>
#include <reelsd/model/analyzer.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::work {

/// Writes the ledger of model calls for worker threads. Retries writing a call's usage for as long
/// as the daemon runs, even after the worker has stopped waiting, because the database may be down.
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
    [[nodiscard]] result<std::int64_t> begin(usage::call_intent intent) const;
    /// Returns whether it has been written. If not, the write continues.
    bool settle(std::int64_t call, usage::call_usage used) const;
    void release(std::int64_t call) const;
    /// Errors: database_unavailable.
    [[nodiscard]] result<std::string> kept_answer(
        job_id job, std::string_view provider, std::string_view model,
        usage::call_purpose purpose) const;
    /// As call_ledger_store::answered_model(). Errors: database_unavailable.
    [[nodiscard]] result<std::string> answered_model(job_id job) const;

    /// Refuses new calls when the daemon stops: the end of the drain would cut them off, and their
    /// cost would be wasted. Calls in progress are not affected. Any thread.
    void refuse_new() noexcept { refuses_new_ = true; }

    /// The same for a call of an account.
    [[nodiscard]] result<std::int64_t> begin_for_account(usage::account_call_intent intent) const;

    /// Like begin_for_account(), on the loop's thread, even after refuse_new(). Throws like the
    /// store.
    [[nodiscard]] awaitable<result<std::int64_t>> begin_later(
        usage::account_call_intent intent, deadline by) const;
    /// Like settle() and release(), on the loop's thread: they return immediately.
    void settle_later(std::int64_t call, usage::call_usage used) const;
    void release_later(std::int64_t call) const;

private:
    /// The database's decision, separate from failures of the database.
    struct decision {
        std::optional<std::int64_t> call;
        error why_not;
    };
    /// One statement, retried until it succeeds.
    using statement = std::function<awaitable<void>(deadline by)>;

    template <class Intent>
    [[nodiscard]] result<std::int64_t> begin_on_loop(Intent intent) const;
    [[nodiscard]] awaitable<void> write(
        statement write_once, std::shared_ptr<std::promise<void>> written) const;
    /// Waits for a while; the write then continues without the caller. Returns whether it is done.
    bool write_surely(statement write_once) const;
    /// Call it on the loop's thread.
    void write_later(statement write_once) const;

    boost::asio::any_io_executor loop_;
    mutable usage::call_ledger_store store_;  ///< A handle; its operations do not change it.
    async::task_group& tasks_;
    log::logger log_;
    std::atomic<bool> refuses_new_{false};
};

/// Records the paid calls of one job. Used by its worker.
class job_call_ledger final : public model::call_ledger {
public:
    job_call_ledger(const call_recorder& recorder, const jobs::claimed_job& job)
        : recorder_{recorder}, job_{job} {}

    [[nodiscard]] result<std::int64_t> begin_call(
        std::string_view provider, std::string_view model, model::call_kind kind) override;
    void settle(std::int64_t call, const model::call_usage& used) override;
    void release(std::int64_t call) override { recorder_.release(call); }
    [[nodiscard]] result<std::string> kept_answer(
        std::string_view provider, std::string_view model, model::call_kind kind) override;
    [[nodiscard]] result<std::string> answered_model() override {
        return recorder_.answered_model(job_.id);
    }

    /// Whether the database may still lack an answer: another attempt would pay for it again.
    [[nodiscard]] bool has_unsaved_answer() const noexcept { return has_unsaved_answer_; }

private:
    const call_recorder& recorder_;
    const jobs::claimed_job& job_;
    bool has_unsaved_answer_ = false;
};

[[nodiscard]] usage::call_usage ledger_usage(const model::call_usage& used);

}  // namespace reelsd::work
