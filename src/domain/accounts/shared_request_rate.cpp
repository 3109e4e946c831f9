#include <reelsd/db/errors.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/accounts/request_rate.hpp>
#include <reelsd/domain/accounts/shared_request_rate.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reelsd::accounts {
namespace {

using namespace std::chrono_literals;

/// Part of a minute's requests that is taken in advance. What other daemons hold unused can refuse
/// a request too early, by at most this part for each daemon.
constexpr int advance_divisor = 100;
/// Requests taken in advance are lost after this time, so that no burst of old ones is possible.
constexpr auto advance_valid = 10s;
/// Between two searches for expired ones, which cost memory.
constexpr auto sweep_interval = 1min;

constexpr db::query take_requests_query{"account.take_requests", R"sql(
    SELECT account_id, granted, retry_after FROM take_requests($1, $2, $3))sql"};

struct request {
    account_id account;
    int per_minute;
};

/// Requests that this daemon may still accept.
struct advance {
    int count = 0;
    deadline::clock::time_point valid_until;
};

}  // namespace

struct shared_request_rate::state {
    db::pool& pool;
    std::unordered_map<std::int64_t, advance> advances;
    deadline::clock::time_point next_sweep;
    request_rate alone;  ///< Counts while the database cannot.
    /// The answer is that of take().
    db::shared_statement<request, int> statement;

    state(const boost::asio::any_io_executor& loop, async::task_group& tasks, db::pool& database)
        : pool{database},
          statement{loop, tasks, {}, [this](const std::vector<request>& requests, deadline by) {
                        return take_together(requests, by);
                    }} {}

    /// Whether a request was taken in advance.
    bool use_advance(account_id account) {
        const auto held = advances.find(account.value);
        if (held == advances.end()) return false;
        const bool is_valid = deadline::clock::now() < held->second.valid_until;
        if (!is_valid || --held->second.count == 0) advances.erase(held);
        return is_valid;
    }

    void add_advance(account_id account, int count) {
        const auto now = deadline::clock::now();
        if (now >= next_sweep) {
            std::erase_if(
                advances, [now](const auto& entry) { return now >= entry.second.valid_until; });
            next_sweep = now + sweep_interval;
        }
        if (count <= 0) return;
        auto& held = advances[account.value];
        held = {.count = held.count + count, .valid_until = now + advance_valid};
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
        for (const auto& [account, asked] : demands) {
            accounts.push_back(account);
            limits.push_back(asked.first);
            counts.push_back(asked.second + asked.first / advance_divisor);
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
        for (const auto& [account, left] : granted) add_advance(account_id{account}, left.first);
        co_return answers;
    }
};

shared_request_rate::shared_request_rate(
    boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool)
    : state_{std::make_shared<state>(loop, tasks, pool)} {}

shared_request_rate::~shared_request_rate() = default;
shared_request_rate::shared_request_rate(const shared_request_rate&) = default;

awaitable<int> shared_request_rate::take(account_id account, int per_minute, deadline by) {
    if (state_->use_advance(account)) co_return 0;
    try {
        co_return (co_await state_->statement.answer({account, per_minute}, by)).value();
    } catch (const db::failure&) {
        // A database that cannot write, for instance for lack of space, can still serve reads.
        co_return state_->alone.take(account, per_minute, std::chrono::steady_clock::now());
    }
}

}  // namespace reelsd::accounts
