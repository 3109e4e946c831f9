#pragma once

#include <reelsd/db/store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::pacing {

/// A resolver of a platform. All daemons share its rate limit.
struct paced_resolver {
    std::string host;      ///< Of the platform: "www.instagram.com".
    std::string resolver;  ///< As in the `resolvers` setting.
};

/// Rate limit of a resolver.
struct pace {
    /// Between the beginnings of two tries, spread at random by the caller; 0: no limit.
    seconds_f interval{8.0};
    int tries_per_hour = 40;   ///< At least 1; ignored without an interval.
    seconds_f try_time{60.0};  ///< Upper bound on one try.
    /// After the platform has rate-limited the resolver; doubled each time; 0: no cool-down.
    seconds_f cooldown_first{900.0};
    seconds_f cooldown_max{12.0 * 3600.0};
};

struct permit {
    /// `in_line`: earlier jobs wait for a permit.
    enum class status : std::uint8_t { now, later, cooling_down, in_line };
    BOOST_DESCRIBE_NESTED_ENUM(status, now, later, cooling_down, in_line)

    status given = status::now;
    seconds_f wait{0.0};  ///< Minimum time before the next request; 0 when `now`.
};

/// How a try ended.
enum class outcome : std::uint8_t {
    answered,
    rate_limited,  ///< Possibly only this code: begins a cool-down when another code confirms it.
    changed,
    failed,
    throttled,  ///< All requests: begins a cool-down.
};

BOOST_DESCRIBE_ENUM(outcome, answered, rate_limited, changed, failed, throttled)

/// Effects of a try that operators are notified of.
struct consequence {
    std::optional<seconds_f> cooldown = {};  ///< Length of the cool-down that begins.
    /// A resolver that worked before has since had only responses of unknown format, and the last
    /// warning is more than an hour old.
    bool warn = false;
    std::int32_t unknown_answers = 0;  ///< Since it last worked.
};

struct resolver_state {
    std::string resolver;
    seconds_f cooldown_left{0.0};
    std::int32_t unknown_answers = 0;  ///< Since it last worked.
    std::optional<time_point> answered_at = {};
    bool is_busy = false;  ///< A try is in progress.

    [[nodiscard]] bool has_never_answered() const noexcept { return !answered_at && !is_busy; }
};

/// Whether a resolver was tried and none has ever answered. `all` are those of one host. Pure.
[[nodiscard]] bool has_never_answered(const std::vector<resolver_state>& all) noexcept;

/// Rate limits of resolvers, shared by all daemons. Each operation is one statement and atomic.
class pace_store : public db::store {
public:
    using db::store::store;

    /// Requests a permit for one try. If it is given, note() must follow.
    awaitable<permit> ask(paced_resolver who, pace limits, deadline by);

    /// As ask(), for the first try of a running job, which may not overtake jobs that wait for a
    /// permit, nor earlier jobs of its account.
    awaitable<permit> ask_permit(
        job_id job, std::int32_t claim, paced_resolver who, pace limits, deadline by);

    /// Records the end of a try. `code` is the code of the post.
    awaitable<consequence> note(
        paced_resolver who, std::string code, outcome ended, pace limits, deadline by);

    /// Returns all resolvers of `host` that were ever tried, by name.
    awaitable<std::vector<resolver_state>> list(std::string host, deadline by);
};

/// Sessions that the platform has refused, by the fingerprints of their files. `who` is the
/// resolver that uses the session. It cools down for years while its session is refused, so that no
/// job waits for it. As pace_store otherwise.
class refused_session_store : public db::store {
public:
    using db::store::store;

    /// Returns why the session was refused; empty when it was not. In that case, ends the cool-down
    /// that the refusal of an earlier session began.
    awaitable<std::optional<std::string>> find(
        paced_resolver who, std::string fingerprint, deadline by);

    /// False when the session was refused before.
    awaitable<bool> add(
        paced_resolver who, std::string fingerprint, std::string reason, deadline by);
};

}  // namespace reelsd::pacing
