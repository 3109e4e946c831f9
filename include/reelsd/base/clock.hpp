#pragma once

#include <chrono>
#include <string>

namespace reelsd {

/// Wall-clock time, for what is stored and shown. Microseconds, because PostgreSQL keeps no more.
using time_point = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

/// Fractional seconds, as settings and JSON give them.
using seconds_f = std::chrono::duration<double>;

/// "2026-05-22T10:00:00Z": RFC 3339 in UTC, whole seconds (rounded down).
[[nodiscard]] std::string to_rfc3339(time_point when);

/// The moment by which something must be over. Monotonic: clock steps do not move it.
class deadline {
public:
    using clock = std::chrono::steady_clock;

    /// `from_now` at least zero; a negative duration is taken as zero.
    [[nodiscard]] static deadline after(clock::duration from_now) noexcept;
    [[nodiscard]] static deadline at(clock::time_point when) noexcept { return deadline{when}; }

    [[nodiscard]] clock::time_point when() const noexcept { return when_; }
    [[nodiscard]] bool passed() const noexcept { return clock::now() >= when_; }
    /// What is left, at least zero.
    [[nodiscard]] clock::duration remaining() const noexcept;
    /// The earlier of this and `from_now`: a step's own limit within its caller's.
    [[nodiscard]] deadline at_most(clock::duration from_now) const noexcept;

private:
    explicit deadline(clock::time_point when) noexcept : when_{when} {}

    clock::time_point when_;
};

}  // namespace reelsd
