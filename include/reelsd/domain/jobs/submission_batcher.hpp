#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::async {
class task_group;
}

namespace reelsd::jobs {

/// Where the daemon's submissions come together: those of the same moment share a statement and a
/// commit. Each is admitted by its account's row as if it were alone. A copy shares what it holds.
/// Thread: the loop's.
class submission_batcher {
public:
    /// `tasks`, as what `jobs` uses, outlives every coroutine that submits.
    submission_batcher(
        boost::asio::any_io_executor loop, async::task_group& tasks, job_store jobs,
        default_limits defaults);
    ~submission_batcher();
    submission_batcher(const submission_batcher&);
    submission_batcher& operator=(const submission_batcher&) = delete;

    /// Admits or refuses; when admitted, the job is durable by the time this returns. Throws what
    /// job_store::submit throws.
    [[nodiscard]] boost::asio::awaitable<submission_result> submit(
        account_id caller, submission wanted, deadline by);

    /// The same for several of one caller, in their order, by one statement: those that are
    /// admitted are durable together.
    [[nodiscard]] boost::asio::awaitable<std::vector<submission_result>> submit_all(
        account_id caller, std::vector<submission> wanted, deadline by);

private:
    struct batches;
    std::shared_ptr<batches> statements_;
};

/// Why a submission was refused, with the limit and its value, as people read it at every door.
/// Pure.
[[nodiscard]] std::string refusal_text(const submission_result& decision);

/// An exact decimal as people write money: "$5.00" of "5", "$0.125" of "0.125". Pure.
[[nodiscard]] std::string dollars_text(std::string_view decimal);

}  // namespace reelsd::jobs
