#pragma once

#include <cstdint>

/// Random numbers for jitter and for names that must not collide. Not for secrets: those come from
/// libsodium. Thread-safe.
namespace reelsd {

/// Uniform in [low, high).
[[nodiscard]] double random_between(double low, double high);

/// 64 bits of the operating system's random source.
[[nodiscard]] std::uint64_t random_bits();

}  // namespace reelsd
