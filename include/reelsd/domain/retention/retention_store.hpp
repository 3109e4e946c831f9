#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/db/store.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::retention {

/// Data that expires.
enum class kind : std::uint8_t {
    results,  ///< Ended jobs and their dependents.
    usage,    ///< Model calls.
};

BOOST_DESCRIBE_ENUM(kind, results, usage)
using reelsd::name_of;

/// Position of a round through expired data: by time, then by id.
struct position {
    time_point at;
    std::int64_t id = 0;
};

/// Decides what has expired.
struct expiry_bounds {
    seconds_f kept{};
    /// By the caller's clock. The database's clock decides, but refuses the step when the two
    /// differ by more than a day.
    time_point now;
};

struct expiry_step {
    std::int64_t looked = 0;       ///< Expired rows; fewer than requested end the round.
    std::int64_t removed = 0;      ///< Others are still needed, until the next round.
    std::optional<position> next;  ///< Where the round continues; empty without rows.
    /// Lead of the database's clock over the caller's, for which the step was refused.
    std::optional<seconds_f> refused_gap;
};

struct erasure_step {
    std::optional<account_id> account;  ///< Empty: it is not being erased, or is gone.
    std::int64_t removed_jobs = 0;
    std::int64_t removed_calls = 0;  ///< Up to ten times as many as jobs.
    bool is_gone = false;            ///< This step removed the account itself.

    /// Whether the step was as large as it may be.
    [[nodiscard]] bool is_full(int most) const noexcept {
        return removed_jobs >= most || removed_calls >= std::int64_t{10} * most;
    }
};

struct data_counts {
    std::int64_t jobs = 0;
    std::int64_t calls = 0;
    std::int64_t tokens = 0;
};

/// Remaining work of all daemons.
struct backlog {
    /// How long ago the oldest expired; empty: none has, or it is kept forever.
    std::optional<seconds_f> results_overdue = {};
    std::optional<seconds_f> usage_overdue = {};
    std::int64_t leaving_accounts = 0;
};

/// Removes expired data and accounts pending deletion in small steps, each one atomic statement.
class retention_store : public db::store {
public:
    using db::store::store;

    /// Removes up to `most` expired rows after `after` (empty: from the oldest). `who` names the
    /// daemon. Empty: another daemon has the turn.
    awaitable<std::optional<expiry_step>> expire(
        kind what, std::string who, expiry_bounds bounds, std::optional<position> after, int most,
        deadline by);

    /// Disables the account for erase(), immediately and finally. Idempotent. `verified_hash`: of
    /// the password, when the owner requests it. Errors: not_found; conflict when no administrator
    /// who can sign in would be left, or the password has changed since it was verified.
    awaitable<result<void>> begin_erasure(
        account_id account, std::optional<std::string> verified_hash, deadline by);

    /// Returns the next account pending deletion, cyclically by id; empty if there are only those
    /// in `passed_over`.
    awaitable<std::optional<account_id>> next_leaving(
        account_id after, std::vector<account_id> passed_over, deadline by);
    /// Removes up to ten times `most` running jobs of accounts pending deletion and returns their
    /// number; empty: another daemon has the turn.
    awaitable<std::optional<std::int64_t>> stop_accounts_pending_deletion(
        std::string who, int most, deadline by);
    /// Removes up to `most` jobs of this account, if it is pending deletion. Empty: another daemon
    /// has the turn.
    awaitable<std::optional<erasure_step>> erase(
        std::string who, account_id account, int most, deadline by);
    /// Like erase(), but regardless of the turn.
    awaitable<erasure_step> erase_account(account_id account, int most, deadline by);

    awaitable<data_counts> count_data(account_id account, deadline by);
    /// 0: kept forever.
    awaitable<backlog> look_at_backlog(seconds_f results_kept, seconds_f usage_kept, deadline by);
};

/// A daemon that is silent for this long loses its turn.
inline constexpr std::chrono::seconds turn_time_max{30};

/// Adapts the rows of a step and the pause after it to the time that steps take, so that a busy or
/// slow database gets less work. Pure.
class step_size {
public:
    using duration = std::chrono::steady_clock::duration;

    [[nodiscard]] int rows() const noexcept { return rows_; }
    /// Call after each step, also a failed one. Only a full step (with all requested rows) lets the
    /// next be larger, because an idle step is always short.
    void took(duration time, bool was_full = true) noexcept;
    /// Call before a new round, because the load may have changed since the last.
    void reset() noexcept { rows_ = rows_first; }
    /// Pause before the next step: three quarters of the time are for others.
    [[nodiscard]] duration pause() const noexcept;

    static constexpr int rows_min = 1;
    static constexpr int rows_first = 8;
    /// Bounds the writes of a step: a reel has about 500 dependent rows.
    static constexpr int rows_max = 128;

private:
    /// Bounds the time of locks, and of requests behind them.
    static constexpr auto target_time = std::chrono::milliseconds{40};
    static constexpr auto pause_min = std::chrono::milliseconds{20};
    static constexpr auto pause_max = std::chrono::seconds{10};

    int rows_ = rows_first;
    duration last_{};
};

}  // namespace reelsd::retention
