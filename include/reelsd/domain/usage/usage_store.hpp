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

struct report {
    sums total;
    std::vector<model_sums> by_model;  ///< The dearest first.
    std::vector<day_sums> by_day;      ///< Ascending; days without a call are left out.
};

/// Reads the ledger of model calls. Throws like jobs::job_store. A cheap value around the pool.
class usage_store {
public:
    explicit usage_store(db::pool& pool) : pool_{&pool} {}

    boost::asio::awaitable<report> read(account_id caller, period during, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::usage
