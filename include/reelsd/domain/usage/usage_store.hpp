#pragma once

#include <reelsd/db/store.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::usage {

/// An exact decimal as PostgreSQL writes it ("0.16522"), which is also how JSON writes a number.
/// Not a floating-point value, because sums of costs must be exact.
using decimal = std::string;

/// Days in UTC, inclusive; empty: unbounded on that side.
struct period {
    std::optional<std::chrono::year_month_day> from;
    std::optional<std::chrono::year_month_day> to;
};

/// Summed usage of model calls.
struct sums {
    std::int64_t calls = 0;
    std::int64_t prompt_tokens = 0;
    std::int64_t output_tokens = 0;   ///< Includes the thinking ones.
    decimal audio_seconds = "0";      ///< Sound that was transcribed.
    std::int64_t unpriced_calls = 0;  ///< Calls of unknown cost.
    /// Sum of the known costs; empty if it is 0 and other calls have an unknown cost.
    std::optional<decimal> cost_usd = "0";

    [[nodiscard]] std::int64_t total_tokens() const noexcept {
        return prompt_tokens + output_tokens;
    }
};

struct model_sums {
    std::string model;
    std::string purpose;  ///< As in purpose_sums.
    sums used;
};

struct purpose_sums {
    std::string purpose;  ///< "analysis", "transcription", "ask" or "embedding".
    sums used;
};

struct day_sums {
    std::string date;  ///< "2026-05-22", UTC.
    /// The reels that were analysed on this day, by any analyzer; copied results do not count.
    std::int64_t reels = 0;
    sums used = {};
};

struct daily_model_sums {
    std::string date;  ///< As in day_sums.
    std::string provider;
    std::string model;
    std::string purpose;  ///< As in purpose_sums.
    sums used;
};

struct report {
    sums total;
    std::vector<model_sums> by_model;      ///< By model and purpose; most expensive first.
    std::vector<purpose_sums> by_purpose;  ///< Likewise.
    std::vector<day_sums> by_day;          ///< Ascending, without days that have no call or reel.
};

struct call {
    /// Number of the analysis, from 1, over all attempts; 0: a model of this machine, without cost;
    /// empty: another purpose.
    std::optional<std::int64_t> number = {};
    std::string purpose;  ///< As in purpose_sums.
    std::string provider;
    std::string model;
    time_point called_at;
    std::int64_t prompt_tokens = 0;  ///< Includes the cached ones.
    std::int64_t cached_prompt_tokens = 0;
    std::int64_t output_tokens = 0;  ///< Includes the thinking ones.
    std::int64_t thinking_tokens = 0;
    decimal audio_seconds = "0";
    std::optional<decimal> cost_usd = {};  ///< Empty: unknown, or not yet known.
    bool is_under_way = false;             ///< Not answered yet.
};

/// Usage of one reel. Calls in progress are listed but not summed.
struct reel_report {
    std::vector<call> calls;                ///< By time.
    std::int64_t unpriced_calls = 0;        ///< As in sums.
    std::optional<decimal> cost_usd = "0";  ///< As in sums.
};

/// Budget and spending of an account, by months and days of UTC.
struct budget_report {
    std::optional<decimal> monthly_budget_usd = {};  ///< Empty: no limit.
    std::string month;                               ///< The current one: "2026-11".
    decimal spent_this_month_usd = "0";              ///< Sum of calls with a known cost.
    decimal spent_today_usd = "0";                   ///< Sum of calls with a known cost.
    decimal estimated_this_month_usd = "0";          ///< Estimate for calls of unknown cost.
    std::int64_t unpriced_calls_this_month = 0;      ///< Calls of unknown cost.
};

/// Reads the ledger of model calls.
class usage_store : public db::store {
public:
    using db::store::store;

    awaitable<report> read(account_id caller, period during, deadline by);

    /// By day, provider and model, ascending, without days that have no call.
    awaitable<std::vector<daily_model_sums>> read_days(
        account_id caller, period during, deadline by);

    /// Usage of the caller's own reel; empty for an unknown or another account's id.
    awaitable<std::optional<reel_report>> read_reel(account_id caller, job_id reel, deadline by);

    awaitable<budget_report> read_budget(account_id caller, deadline by);
};

}  // namespace reelsd::usage
