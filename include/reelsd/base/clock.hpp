#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

namespace reelsd {

/// Wall-clock time, for what is stored and shown. Microseconds, because PostgreSQL keeps no more.
using time_point = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

[[nodiscard]] inline time_point wall_clock_now() noexcept {
    return std::chrono::time_point_cast<time_point::duration>(std::chrono::system_clock::now());
}

/// The current day in UTC.
[[nodiscard]] inline std::chrono::year_month_day today() noexcept {
    return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

/// Fractional seconds, as settings and JSON give them.
using seconds_f = std::chrono::duration<double>;

/// "2026-05-22T10:00:00Z": RFC 3339 in UTC, whole seconds (rounded down).
[[nodiscard]] std::string to_rfc3339(time_point when);

/// "Fri, 20 Nov 2026 08:00:00 GMT" as time since 1970; empty for other text. The range of
/// time_point ends in 2262, and a server may name a later year.
[[nodiscard]] std::optional<seconds_f> parse_http_date(const std::string& text);

/// A monotonic clock: std::chrono::steady_clock, whose time points it shares, or the clock of a
/// simulation. On an event loop, wait with `async::monotonic_timer`.
class monotonic_clock {
public:
    using duration = std::chrono::steady_clock::duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::steady_clock::time_point;
    static constexpr bool is_steady = true;

    [[nodiscard]] static time_point now() noexcept {
        const auto* const simulated = simulated_now.load(std::memory_order_relaxed);
        return simulated == nullptr ? std::chrono::steady_clock::now() : *simulated;
    }

    /// For simulations only: the clock returns `*now`, which only the calling thread changes. Null
    /// restores the real clock. While it is simulated, no other thread may call now().
    static void simulate(const time_point* now) noexcept { simulated_now = now; }
    [[nodiscard]] static bool is_simulated() noexcept {
        return simulated_now.load(std::memory_order_relaxed) != nullptr;
    }

private:
    static inline constinit std::atomic<const time_point*> simulated_now{nullptr};
};

/// A point in time by which an operation must end. Clock steps do not move it.
class deadline {
public:
    using clock = monotonic_clock;

    /// A negative `from_now` counts as zero.
    [[nodiscard]] static deadline after(clock::duration from_now) noexcept;
    [[nodiscard]] static deadline at(clock::time_point when) noexcept { return deadline{when}; }

    [[nodiscard]] clock::time_point when() const noexcept { return when_; }
    [[nodiscard]] bool passed() const noexcept { return clock::now() >= when_; }
    /// At least zero.
    [[nodiscard]] clock::duration remaining() const noexcept;
    /// The earlier of this and `from_now`: a step's own limit within its caller's.
    [[nodiscard]] deadline at_most(clock::duration from_now) const noexcept;

private:
    explicit deadline(clock::time_point when) noexcept : when_{when} {}

    clock::time_point when_;
};

/// Blocks the calling thread for `duration`, or until `stop` is requested if that is earlier.
/// Returns whether it slept to the end. A duration that is not positive does not block.
bool stoppable_sleep(seconds_f duration, const std::stop_token& stop);
/// Likewise, but does not sleep and returns false if `by` would pass first.
[[nodiscard]] bool sleep_within(seconds_f duration, deadline by, const std::stop_token& stop);

}  // namespace reelsd
