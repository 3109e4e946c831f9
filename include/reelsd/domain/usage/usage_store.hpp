#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::usage {

/// An exact decimal as PostgreSQL writes it ("0.16522"), which is also how JSON writes a number.
/// Never a floating-point value: costs are added up, and a cent must stay a cent.
using decimal = std::string;

/// Days in UTC, both included; nothing: without end on that side.
struct period {
    std::optional<std::chrono::year_month_day> from;
    std::optional<std::chrono::year_month_day> to;
};

/// What model calls have used, added up.
struct sums {
    std::int64_t calls = 0;
    std::int64_t prompt_tokens = 0;
    std::int64_t output_tokens = 0;   ///< With the thinking ones.
    std::int64_t unpriced_calls = 0;  ///< Calls whose cost is not known.
    /// Of the calls whose cost is known; nothing when there are others and these cost nothing.
    std::optional<decimal> cost_usd = "0";

    [[nodiscard]] std::int64_t total_tokens() const noexcept {
        return prompt_tokens + output_tokens;
    }
};

struct model_sums {
    std::string model;
    sums used;
};

struct day_sums {
    std::string date;  ///< "2026-05-22", UTC.
    sums used;
};

/// One model on one day.
struct daily_model_sums {
    std::string date;  ///< As in day_sums.
    std::string provider;
    std::string model;
    sums used;
};

struct report {
    sums total;
    std::vector<model_sums> by_model;  ///< The dearest first.
    std::vector<day_sums> by_day;      ///< Ascending; days without a call are left out.
};

/// One call of a model for a reel.
struct call {
    /// Of the reel's analyses, from 1 on over all attempts; 0: this machine's own, which costs
    /// nothing; none: an embedding.
    std::optional<std::int64_t> number = {};
    std::string purpose;  ///< "analysis" or "embedding".
    std::string provider;
    std::string model;
    time_point called_at;
    std::int64_t prompt_tokens = 0;  ///< With the cached ones.
    std::int64_t cached_prompt_tokens = 0;
    std::int64_t output_tokens = 0;  ///< With the thinking ones.
    std::int64_t thinking_tokens = 0;
    std::optional<decimal> cost_usd = {};  ///< Nothing: not known, or not yet.
    bool is_under_way = false;             ///< Its answer is still expected.
};

/// What one reel has used. Calls under way are listed and not counted.
struct reel_report {
    std::vector<call> calls;                ///< In the order in which they were made.
    std::int64_t unpriced_calls = 0;        ///< As in sums.
    std::optional<decimal> cost_usd = "0";  ///< As in sums.
};

/// What an account may spend and has spent, in months and days of UTC.
struct budget_report {
    std::optional<decimal> monthly_budget_usd = {};  ///< Nothing: no limit.
    std::string month;                               ///< "2026-11", the present one.
    decimal spent_this_month_usd = "0";              ///< Of the calls whose cost is known.
    decimal spent_today_usd = "0";                   ///< As before.
    decimal estimated_this_month_usd = "0";          ///< What calls of unknown cost count as.
    std::int64_t unpriced_calls_this_month = 0;      ///< Calls whose cost is not known.
};

/// Reads the ledger of model calls. Throws like jobs::job_store. A cheap value around the pool.
class usage_store {
public:
    explicit usage_store(db::pool& pool) : pool_{&pool} {}

    boost::asio::awaitable<report> read(account_id caller, period during, deadline by);

    /// By day, provider and model, ascending in this order; days without a call are left out.
    boost::asio::awaitable<std::vector<daily_model_sums>> read_days(
        account_id caller, period during, deadline by);

    /// Of the caller's own reel; nothing for an unknown or another account's id.
    boost::asio::awaitable<std::optional<reel_report>> read_reel(
        account_id caller, job_id reel, deadline by);

    boost::asio::awaitable<budget_report> read_budget(account_id caller, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::usage
