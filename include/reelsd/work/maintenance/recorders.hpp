#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

// Values that are noted in memory and written in batches.
namespace reelsd::work {

/// Writes the latest step of each running job for progress displays, several jobs in one
/// statement. Drops a step that cannot be written.
class step_recorder final : public async::background_task {
public:
    /// Throws like a store. `steps` outlives the call.
    using write_function =
        std::function<awaitable<void>(const std::vector<jobs::step_note>& steps, deadline by)>;

    step_recorder(const boost::asio::any_io_executor& loop, write_function write, log::logger log)
        : background_task{"record job steps", loop, std::move(log)},
          loop_{loop},
          write_{std::move(write)} {}

    /// Thread-safe. The loop outlives this and runs no handler after this is destroyed.
    void note(const jobs::claimed_job& job, std::string_view step);

private:
    awaitable<void> run() override;
    awaitable<void> write_some();

    boost::asio::any_io_executor loop_;
    write_function write_;
    std::map<job_id, jobs::step_note> steps_;  ///< Not written yet.
    async::condition noted_;
};

/// Writes when tokens were last used, to the minute, because the UI shows minutes.
class token_usage_flusher final : public periodic_task {
public:
    /// Throws like a store.
    using write_function = std::function<awaitable<void>(std::vector<token_id> used, deadline by)>;

    token_usage_flusher(
        const boost::asio::any_io_executor& loop, write_function write, log::logger log);

    void note(token_id token) { used_.insert(token); }

    /// Writes pending uses.
    [[nodiscard]] awaitable<bool> stop(deadline by) override;

private:
    awaitable<void> step() override;
    awaitable<void> flush(deadline by);

    write_function write_;
    std::set<token_id> used_;  ///< Not written yet.
};

}  // namespace reelsd::work
