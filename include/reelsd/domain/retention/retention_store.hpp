#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::retention {

/// What is kept for a time alone.
enum class kind : std::uint8_t {
    results,  ///< Jobs that have ended, with all that hangs on them.
    usage,    ///< Calls of models.
};

[[nodiscard]] std::string_view name_of(kind what) noexcept;

/// Where a round through what has expired has come to: by time, then by id.
struct position {
    time_point at;
    std::int64_t id = 0;
};

/// What tells whether something has expired.
struct expiry_bounds {
    seconds_f kept{};
    /// By the caller's clock. What is old is old by the database's; but no step is made while the
    /// two differ by more than a day.
    time_point now;
};

struct expiry_step {
    std::int64_t looked = 0;   ///< Rows that are too old; fewer than asked for: the round is over.
    std::int64_t removed = 0;  ///< Of these. The others are still needed: the next round comes.
    std::optional<position> next;  ///< Where the round goes on; nothing when there was no row.
    /// By how much the database's clock is ahead of the caller's: for that the step was refused.
    std::optional<seconds_f> refused_gap;
};

struct erasure_step {
    std::optional<account_id> account;  ///< Nothing: it does not leave, or is gone already.
    std::int64_t removed_jobs = 0;
    std::int64_t removed_calls = 0;  ///< Up to ten times as many as jobs.
    bool is_gone = false;            ///< With this step, the account itself.

    /// Whether it had as much to do as it was asked to do at most.
    [[nodiscard]] bool is_full(int most) const noexcept {
        return removed_jobs >= most || removed_calls >= std::int64_t{10} * most;
    }
};

/// What an account has, for those who erase it.
struct holdings {
    std::int64_t jobs = 0;
    std::int64_t calls = 0;
    std::int64_t tokens = 0;
};

/// How much is still to do, over all daemons.
struct backlog {
    /// For how long the oldest has been too old; nothing: none is, or it is kept for ever.
    std::optional<seconds_f> results_overdue;
    std::optional<seconds_f> usage_overdue;
    std::int64_t leaving_accounts = 0;
};

/// Removes what has expired and what leaving accounts have, a small step at a time; each step is
/// one statement, hence atomic. Throws like jobs::job_store. A cheap value around the pool.
class retention_store {
public:
    explicit retention_store(db::pool& pool) : pool_{&pool} {}

    /// Removes up to `most` of what is older than it is kept, behind `after` (nothing: from the
    /// oldest on). `who` names the daemon. Nothing: it is another daemon's turn.
    boost::asio::awaitable<std::optional<expiry_step>> expire(
        kind what, std::string who, expiry_bounds bounds, std::optional<position> after, int most,
        deadline by);

    /// Takes the account all its power, for good and at once; erase() then empties it. With
    /// `verified_hash`, it is the owner's own wish, and the password that he has shown to know.
    /// `not_found`; `conflict` when no administrator who can sign in would be left, and when the
    /// password has been changed meanwhile. Once more does no harm.
    boost::asio::awaitable<result<void>> begin_erasure(
        account_id leaver, std::optional<std::string> verified_hash, deadline by);

    /// An account that leaves, round and round by id; nothing: there is none but `passed_over`.
    boost::asio::awaitable<std::optional<account_id>> next_leaver(
        account_id after, std::vector<account_id> passed_over, deadline by);
    /// Removes up to ten times `most` jobs in work of whichever accounts leave, and says how many;
    /// nothing: it is another daemon's turn.
    boost::asio::awaitable<std::optional<std::int64_t>> stop_accounts_pending_deletion(
        std::string who, int most, deadline by);
    /// Removes up to `most` jobs of this account, if it leaves. Nothing: it is another daemon's
    /// turn.
    boost::asio::awaitable<std::optional<erasure_step>> erase(
        std::string who, account_id leaver, int most, deadline by);
    /// The same, whoever's turn it is.
    boost::asio::awaitable<erasure_step> erase_account(account_id leaver, int most, deadline by);

    /// Reads all of the account's index entries: for commands.
    boost::asio::awaitable<holdings> look_at(account_id account, deadline by);
    /// 0: it is kept for ever.
    boost::asio::awaitable<backlog> look_at_backlog(
        seconds_f results_kept, seconds_f usage_kept, deadline by);

private:
    db::pool* pool_;
};

/// A daemon that is silent for so long has lost its turn.
inline constexpr std::chrono::seconds turn_time_max{30};

/// How many rows a step removes, and how long the others have the database to themselves after it:
/// both follow from how long steps take, so that a busy or slow database is asked for less. Pure.
class step_size {
public:
    using duration = std::chrono::steady_clock::duration;

    [[nodiscard]] int rows() const noexcept { return rows_; }
    /// After a step that took so long, answered or not. Only one that was full, which had as many
    /// rows as it was asked for, shows that the next may have more: an idle step is always short.
    void took(duration time, bool was_full = true) noexcept;
    /// Before a new round: the database may have become another one since the last.
    void begin_anew() noexcept { rows_ = rows_first; }
    /// Until the next step: three parts in four of the time are for others.
    [[nodiscard]] duration pause() const noexcept;

    static constexpr int rows_min = 1;
    static constexpr int rows_first = 8;
    /// What a step may write at most: a reel hangs on some 500 rows.
    static constexpr int rows_max = 128;

private:
    /// No lock is held for longer, and no request behind it waits longer.
    static constexpr auto time_wanted = std::chrono::milliseconds{40};
    static constexpr auto pause_min = std::chrono::milliseconds{20};
    static constexpr auto pause_max = std::chrono::seconds{10};

    int rows_ = rows_first;
    duration last_{};
};

}  // namespace reelsd::retention
