#pragma once

#include <cmath>

namespace reelsd::media {

/// As documents have their numbers: three digits after the point. Of seconds that is finer than a
/// frame, and short.
[[nodiscard]] inline double rounded(double value) {
    return std::round(value * 1000.0) / 1000.0;
}

}  // namespace reelsd::media
