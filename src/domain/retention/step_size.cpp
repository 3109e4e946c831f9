#include <reelsd/domain/retention/step_size.hpp>

#include <algorithm>

namespace reelsd::retention {

void step_size::took(duration time, bool was_full) noexcept {
    last_ = time;
    if (time > time_wanted) {
        rows_ = std::max(rows_min, rows_ / 2);
    } else if (was_full && 2 * time < time_wanted) {
        rows_ = std::min(rows_max, rows_ + std::max(1, rows_ / 4));
    }
}

step_size::duration step_size::pause() const noexcept {
    return std::clamp<duration>(3 * last_, pause_min, pause_max);
}

}  // namespace reelsd::retention
