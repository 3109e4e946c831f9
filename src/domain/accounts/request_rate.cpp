#include <reelsd/db/errors.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/accounts/request_rate.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace reelsd::accounts {
namespace {

using namespace std::chrono_literals;

/// A bucket is full after a minute without requests, so forgetting it changes nothing.
constexpr auto full_after = 60s;
/// A daemon reserves the limit divided by this. Reservations that other daemons do not use can
/// cause a request to be refused early, by that much for each daemon.
constexpr int reserved_divisor = 100;
/// Reservations expire after this time, so that an idle daemon cannot accept a burst later.
constexpr auto reservation_valid = 10s;
/// Interval between removals of expired reservations.
constexpr auto sweep_interval = 1min;

constexpr db::query take_requests_query{"account.take_requests", R"sql(
    SELECT account_id, granted, retry_after FROM take_requests($1, $2, $3))sql"};

struct request {
    account_id account;
    int per_minute;
};

/// Requests that this daemon may still accept.
struct reservation {
    int count = 0;
    deadline::clock::time_point valid_until;
};

}  // namespace

int request_rate::take(account_id account, int per_minute, time_point now) {
    forget_full(now);
    const auto limit = static_cast<double>(per_minute);
    const double per_second = limit / 60.0;
    auto& state = buckets_.try_emplace(account.value, bucket{limit, now}).first->second;
    state.tokens =
        std::min(limit, state.tokens + seconds_f{now - state.filled}.count() * per_second);
    state.filled = now;
    if (state.tokens < 1.0) {
        return std::max(1, static_cast<int>(std::ceil((1.0 - state.tokens) / per_second)));
    }
    state.tokens -= 1.0;
    return 0;
}

void request_rate::forget_full(time_point now) {
    if (now < next_sweep_) return;
    next_sweep_ = now + full_after;
    std::erase_if(
        buckets_, [now](const auto& entry) { return now - entry.second.filled >= full_after; });
}

struct shared_request_rate::state {
    db::pool& pool;
    std::unordered_map<std::int64_t, reservation> reservations;
    deadline::clock::time_point next_sweep;
    request_rate alone;  ///< Counts while the database cannot.
    /// The answer is that of take().
    db::shared_statement<request, int> statement;

    state(const boost::asio::any_io_executor& loop, async::task_group& tasks, db::pool& database)
        : pool{database},
          statement{loop, tasks, {}, [this](const std::vector<request>& requests, deadline by) {
                        return take_together(requests, by);
                    }} {}

    /// Uses a reserved request; false if there is none.
    bool use_reservation(account_id account) {
        const auto held = reservations.find(account.value);
        if (held == reservations.end()) return false;
        const bool is_valid = deadline::clock::now() < held->second.valid_until;
        if (!is_valid || --held->second.count == 0) reservations.erase(held);
        return is_valid;
    }

    void reserve(account_id account, int count) {
        const auto now = deadline::clock::now();
        if (now >= next_sweep) {
            std::erase_if(
                reservations, [now](const auto& entry) { return now >= entry.second.valid_until; });
            next_sweep = now + sweep_interval;
        }
        if (count <= 0) return;
        auto& held = reservations[account.value];
        held = {.count = held.count + count, .valid_until = now + reservation_valid};
    }

    awaitable<std::vector<std::optional<int>>> take_together(
        const std::vector<request>& requests, deadline by) {
        std::map<std::int64_t, std::pair<int, int>> demands;  // By account: limit and number.
        for (const auto& each : requests) {
            auto& [per_minute, count] = demands[each.account.value];
            per_minute = each.per_minute;
            ++count;
        }
        std::vector<std::int64_t> accounts;
        std::vector<std::int32_t> limits;
        std::vector<std::int32_t> counts;
        for (const auto& [account, demand] : demands) {
            accounts.push_back(account);
            limits.push_back(demand.first);
            counts.push_back(demand.second + demand.first / reserved_divisor);
        }
        const auto rows = co_await pool.run(by, take_requests_query, accounts, limits, counts);
        std::map<std::int64_t, std::pair<int, int>> granted;  // Number, and seconds to wait.
        for (const db::row row : rows) {
            granted[row.as<std::int64_t>("account_id")] = {
                row.as<std::int32_t>("granted"), row.as<std::int32_t>("retry_after")};
        }
        std::vector<std::optional<int>> answers;
        for (const auto& each : requests) {
            auto& [count, retry_after] = granted[each.account.value];
            answers.emplace_back(count > 0 ? 0 : retry_after);
            if (count > 0) --count;
        }
        for (const auto& [account, left] : granted) reserve(account_id{account}, left.first);
        co_return answers;
    }
};

shared_request_rate::shared_request_rate(
    boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool)
    : state_{std::make_shared<state>(loop, tasks, pool)} {}

shared_request_rate::~shared_request_rate() = default;
shared_request_rate::shared_request_rate(const shared_request_rate&) = default;

awaitable<int> shared_request_rate::take(account_id account, int per_minute, deadline by) {
    if (state_->use_reservation(account)) co_return 0;
    try {
        co_return (co_await state_->statement.answer({account, per_minute}, by)).value();
    } catch (const db::failure&) {
        // A database that cannot write, for instance for lack of space, can still serve reads.
        co_return state_->alone.take(account, per_minute, std::chrono::steady_clock::now());
    }
}

}  // namespace reelsd::accounts
