#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/error_reason.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::async {
class task_group;
}

namespace reelsd::jobs {

/// Batches concurrent submissions into one statement and commit. Each is decided as if it were
/// alone. Copies share their state. Thread: the loop's.
class submission_batcher {
public:
    /// `tasks` and the pool of `jobs` outlive every coroutine that submits.
    submission_batcher(
        boost::asio::any_io_executor loop, async::task_group& tasks, job_store jobs,
        default_limits defaults);
    ~submission_batcher();
    submission_batcher(const submission_batcher&);
    submission_batcher& operator=(const submission_batcher&) = delete;

    /// Accepts or refuses. An accepted job is durable when this returns. Throws like
    /// job_store::submit.
    [[nodiscard]] awaitable<submission_result> submit(
        account_id caller, submission request, deadline by);

    /// Submits several of one caller in one statement, in their order.
    [[nodiscard]] awaitable<std::vector<submission_result>> submit_all(
        account_id caller, std::vector<submission> requests, deadline by);

private:
    struct batches;
    std::shared_ptr<batches> statements_;
};

/// Why a submission was refused, with the limit and its value, as users read it. Pure.
[[nodiscard]] std::string refusal_text(const submission_result& decision);

/// The same, for programs. Pure.
[[nodiscard]] error_reason refusal_reason(const submission_result& decision) noexcept;

/// Formats an exact decimal as money: "5" as "$5.00", "0.125" as "$0.125". Pure.
[[nodiscard]] std::string dollars_text(std::string_view decimal);

}  // namespace reelsd::jobs
