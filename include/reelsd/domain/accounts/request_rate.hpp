#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace reelsd::async {
class task_group;
}
namespace reelsd::db {
class pool;
}

namespace reelsd::accounts {

/// Rate limit of requests that one daemon receives, such as messages of chats: a token bucket for
/// each account, in memory. The caller supplies the time.
class request_rate {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// Counts one request of `account` at `now`. Returns zero if it is accepted, otherwise the
    /// seconds (at least 1) until the next may be. A refused request does not count. `per_minute`
    /// is at least 1.
    [[nodiscard]] int take(account_id account, int per_minute, time_point now);

    [[nodiscard]] std::size_t size() const noexcept { return buckets_.size(); }

private:
    struct bucket {
        double tokens;
        time_point filled;
    };

    void forget_full(time_point now);

    std::unordered_map<std::int64_t, bucket> buckets_;
    time_point next_sweep_{};
};

/// Rate limit of requests over all daemons: a token bucket for each account, in the database. A
/// daemon reserves up to a hundredth of a minute's requests for a few seconds, because a read must
/// not cost a write. While the database cannot count, the daemon counts alone. Copies share their
/// state. Thread: the loop's.
class shared_request_rate {
public:
    /// `tasks` and `pool` outlive every coroutine of take().
    shared_request_rate(
        boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool);
    ~shared_request_rate();
    shared_request_rate(const shared_request_rate&);
    shared_request_rate& operator=(const shared_request_rate&) = delete;

    /// Counts one request of `account`. Returns zero if it is accepted, else the seconds (at least
    /// 1) until the next may be. A refused request does not count. `per_minute` is at least 1.
    [[nodiscard]] awaitable<int> take(account_id account, int per_minute, deadline by);

private:
    struct state;
    std::shared_ptr<state> state_;
};

}  // namespace reelsd::accounts
