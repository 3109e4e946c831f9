#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/invariant.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

namespace reelsd::simulation {

using duration = monotonic_clock::duration;
using instant = monotonic_clock::time_point;

[[nodiscard]] inline duration in_clock_units(seconds_f length) {
    return std::chrono::duration_cast<duration>(length);
}

/// Random numbers of a run. The same seed gives the same numbers on every machine, which the
/// standard library's distributions do not guarantee.
class dice {
public:
    explicit dice(std::uint64_t seed) : engine_{seed} {}

    /// In [0, 1).
    [[nodiscard]] double fraction() { return static_cast<double>(engine_() >> 11U) * 0x1.0p-53; }
    [[nodiscard]] bool chance(double probability) { return fraction() < probability; }
    [[nodiscard]] double between(double low, double high) {
        return low + (high - low) * fraction();
    }
    [[nodiscard]] duration between(duration low, duration high) {
        return low + std::chrono::duration_cast<duration>((high - low) * fraction());
    }
    /// 0 to `count` - 1; `count` at least 1.
    [[nodiscard]] std::size_t below(std::size_t count) {
        invariant(count > 0);
        return static_cast<std::size_t>(engine_() % count);
    }
    /// Mostly short, occasionally several times the mean; at most ten times.
    [[nodiscard]] duration around(duration mean) {
        const double times = std::fmin(-std::log(1.0 - fraction()), 10.0);
        return std::chrono::duration_cast<duration>(mean * times);
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace reelsd::simulation
