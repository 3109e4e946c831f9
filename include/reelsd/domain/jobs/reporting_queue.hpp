#pragma once

#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace reelsd::async {
class task_group;
}

namespace reelsd::jobs {

/// The queue as a dispatcher uses it: reports of the same moment that carry no result share a
/// statement and a commit. On the loop's thread; `tasks` and `pool` outlive it.
class reporting_queue final : public queue_store {
public:
    reporting_queue(boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool);

    boost::asio::awaitable<bool> report(lease held, transition ended, deadline by) override;

private:
    db::shared_statement<ended_attempt, bool> reports_;
};

}  // namespace reelsd::jobs
