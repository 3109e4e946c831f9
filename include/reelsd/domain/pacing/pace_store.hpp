#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::pacing {

/// One way into the platform, as all daemons share it.
struct paced_resolver {
    std::string host;      ///< Of the platform: "www.instagram.com".
    std::string resolver;  ///< As in the setting `resolvers`.
};

/// How often a resolver may be tried.
struct pace {
    /// Between the beginnings of two tries, spread at random by whoever asks; 0: no pace.
    seconds_f interval{8.0};
    int tries_per_hour = 40;   ///< At least 1; counts while there is an interval.
    seconds_f try_time{60.0};  ///< How long one try may take.
    /// After the platform has asked to be left alone; doubled each time; 0: never.
    seconds_f cooldown_first{900.0};
    seconds_f cooldown_max{12.0 * 3600.0};
};

struct permit {
    /// `in_line`: jobs that came earlier wait for a permit.
    enum class status : std::uint8_t { now, later, cooling_down, in_line };

    status given = status::now;
    seconds_f wait{0.0};  ///< At least, before asking again; 0 when `now`.
};

/// How a try ended.
enum class outcome : std::uint8_t {
    answered,
    rate_limited,  ///< Perhaps of this code only: begins a cool-down when another code confirms it.
    changed,
    failed,
    throttled,  ///< Whatever is asked for: begins a cool-down.
};

/// What operators should learn of a try.
struct consequence {
    std::optional<seconds_f> cooldown = {};  ///< That has just begun.
    /// A resolver that used to work has had nothing but answers of unknown shape since, and nobody
    /// was told within the hour.
    bool warn = false;
    std::int32_t unknown_answers = 0;  ///< Since it last worked.
};

/// How a resolver stands.
struct resolver_state {
    std::string resolver;
    seconds_f cooldown_left{0.0};
    std::int32_t unknown_answers = 0;  ///< Since it last worked.
    std::optional<time_point> answered_at = {};
    bool is_busy = false;  ///< A try is under way.

    [[nodiscard]] bool has_never_answered() const noexcept { return !answered_at && !is_busy; }
};

/// Whether a resolver was tried and none has ever answered. `all` are those of one host. Pure.
[[nodiscard]] bool has_never_answered(const std::vector<resolver_state>& all) noexcept;

/// The table of resolvers' paces. Each operation is one statement, hence atomic; all throw
/// db::unavailable when no answer is had before `by`, and db::refused when the server will not.
/// A cheap value around the pool, which must outlive it. On the loop's thread.
class pace_store {
public:
    explicit pace_store(db::pool& pool) : pool_{&pool} {}

    /// Leave to try once, now; a note() must follow then.
    boost::asio::awaitable<permit> ask(paced_resolver who, pace wanted, deadline by);

    /// The same for the first try of a job in work: it may not overtake jobs that wait for a
    /// permit, nor earlier jobs of its own account.
    boost::asio::awaitable<permit> ask_permit(
        job_id job, std::int32_t claim, paced_resolver who, pace wanted, deadline by);

    /// `code` is what was looked up.
    boost::asio::awaitable<consequence> note(
        paced_resolver who, std::string code, outcome ended, pace wanted, deadline by);

    /// All resolvers of `host` that were ever tried, by name.
    boost::asio::awaitable<std::vector<resolver_state>> list(std::string host, deadline by);

private:
    db::pool* pool_;
};

/// The sessions that the platform has refused, by the fingerprints of their files. `who` is the
/// resolver that uses the session: it cools down for years while its session is refused, so that no
/// job waits in line for it. Each operation is one statement; errors as pace_store's. A cheap value
/// around the pool, which must outlive it. On the loop's thread.
class refused_session_store {
public:
    explicit refused_session_store(db::pool& pool) : pool_{&pool} {}

    /// Why the session was refused; empty when it was not. Then also ends the cool-down that an
    /// earlier session's refusal began.
    boost::asio::awaitable<std::optional<std::string>> find(
        paced_resolver who, std::string fingerprint, deadline by);

    /// False when the session was refused before.
    boost::asio::awaitable<bool> add(
        paced_resolver who, std::string fingerprint, std::string reason, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::pacing
