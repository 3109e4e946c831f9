#pragma once

#include "sampling.hpp"

#include <array>
#include <cstddef>

namespace reelsd::media::picture {

inline constexpr int signature_columns = 64;
inline constexpr int signature_rows = 12;
/// A line's picture: grey values in a small grid, column by column.
using signature = std::array<float, std::size_t{signature_columns} * signature_rows>;

[[nodiscard]] signature signature_of(const view& frame, const rotated_box& area);

/// Pearson's correlation, -1 to 1; about 0 when either is uniform.
[[nodiscard]] double correlation(const signature& a, const signature& b);

/// The same, or of the part about a letter wide that differs most: another digit changes little of
/// the whole. Parts without contrast do not count.
[[nodiscard]] double least_correlation(const signature& a, const signature& b);

}  // namespace reelsd::media::picture
