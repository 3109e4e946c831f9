#pragma once

#include <reelsd/db/shared_statement.hpp>
#include <reelsd/db/store.hpp>
#include <reelsd/domain/jobs/job_queue.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <vector>

namespace reelsd::async {
class task_group;
}

namespace reelsd::jobs {

struct ended_attempt {
    lease held;
    transition ended;
};

/// The queue in the database. Each operation but rescue() is one statement.
class queue_store : public job_queue, protected db::store {
public:
    using db::store::store;

    awaitable<std::vector<claimed_job>> claim(claim_request request, deadline by) override;
    awaitable<line_answer> claim_in_line(
        claim_request request, platform_line line, deadline by) override;
    awaitable<renewal> renew(std::vector<lease> held, seconds_f lease, deadline by) override;
    awaitable<std::vector<job_id>> lost_among(std::vector<lease> held, deadline by) override;
    awaitable<std::vector<job_id>> rescue(rescue_request request, deadline by) override;
    awaitable<bool> report(lease held, transition ended, deadline by) override;
    /// Reports attempts without a result (none is `completed`), at most one of each job. Returns
    /// true for each that was written.
    awaitable<std::vector<bool>> report_all(
        const std::vector<ended_attempt>& attempts, deadline by);

private:
    awaitable<bool> complete(lease held, const completed& success, deadline by);
};

/// The queue of a dispatcher: concurrent reports without a result share a statement and a commit.
/// Thread: the loop's. `tasks` and `pool` outlive it.
class reporting_queue final : public queue_store {
public:
    reporting_queue(boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool);

    awaitable<bool> report(lease held, transition ended, deadline by) override;

private:
    db::shared_statement<ended_attempt, bool> reports_;
};

}  // namespace reelsd::jobs
