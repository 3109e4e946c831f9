#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// Dense vectors as they are compared and stored.
namespace reelsd::model {

using dense_vector = std::vector<float>;

inline constexpr std::size_t dimensions_max = 3072;

/// Makes it of length 1: only the largest sizes of some models come so. False, and nothing changed,
/// when it has no direction (empty, all zero, or not all numbers).
[[nodiscard]] bool normalise(dense_vector& vector);

/// One byte a component, behind the factor that they were divided by (a little-endian float): a
/// quarter of the room, and similarities are off by less than 0.01. `vector` has 1 to
/// dimensions_max components.
[[nodiscard]] std::vector<std::byte> quantised(const dense_vector& vector);

/// The cosine of a unit vector and a stored one; nothing when their sizes differ.
[[nodiscard]] std::optional<double> similarity(
    const dense_vector& unit, std::span<const std::byte> stored);

}  // namespace reelsd::model
