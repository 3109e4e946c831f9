#include <reelsd/domain/jobs/completion_board.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace reelsd::jobs {

completion_board::ticket::ticket(completion_board& board, job_id job, others_ends found)
    : board_{board}, job_{job}, found_{found}, timer_{board.loop_} {
    board_.tickets_.emplace(job.value, this);
}

completion_board::ticket::~ticket() {
    const auto [first, last] = board_.tickets_.equal_range(job_.value);
    const auto own = std::find_if(first, last, [this](const auto& e) { return e.second == this; });
    board_.tickets_.erase(own);
}

boost::asio::awaitable<bool> completion_board::ticket::wait(deadline by) {
    if (!announced_) {
        timer_.expires_at(by.when());
        // Aborted by an announcement or by the waiter's own cancellation: both end the wait.
        co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    const bool was_announced = announced_;
    announced_ = false;
    co_return was_announced;
}

void completion_board::ticket::wake() {
    announced_ = true;
    timer_.cancel();
}

void completion_board::announce(job_id job) {
    const auto [first, last] = tickets_.equal_range(job.value);
    for (auto entry = first; entry != last; ++entry) entry->second->wake();
}

void completion_board::announce_all() {
    for (const auto& [job, waiter] : tickets_) waiter->wake();
}

std::vector<job_id> completion_board::awaited() const {
    std::vector<job_id> jobs;
    for (auto entry = tickets_.begin(); entry != tickets_.end();) {
        const auto last = tickets_.equal_range(entry->first).second;
        const bool is_asked_for = std::any_of(entry, last, [](const auto& one) {
            return one.second->found_ == ticket::others_ends::asked_for;
        });
        if (is_asked_for) jobs.push_back(job_id{entry->first});
        entry = last;
    }
    return jobs;
}

}  // namespace reelsd::jobs
