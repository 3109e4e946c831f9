#include <reelsd/work/engine/prefetch.hpp>

#include <algorithm>
#include <chrono>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;

/// Longer attempts never count as short, however long an overloaded server takes for a claim.
constexpr auto short_max = 50ms;

}  // namespace

void prefetch::note_attempt(monotonic_clock::duration took) noexcept {
    if (took <= std::min<monotonic_clock::duration>(last_claim_, short_max)) ++short_attempts_;
}

void prefetch::note_claim_answer(monotonic_clock::duration took, std::size_t starved) noexcept {
    last_claim_ = took;
    // At most doubled, so that a few short attempts among long ones do not cause a large prefetch.
    const auto missing = std::min(starved, short_attempts_);
    // Also reduced gradually: with no job held ready, no attempt ends while a claim is sent.
    most_ = std::min(jobs_max, std::max(short_attempts_ + missing, most_ / 2));
}

std::size_t prefetch::to_claim(std::size_t idle, std::size_t waiting) const noexcept {
    if (idle == 0 && 2 * waiting > most_) return 0;
    return idle + most_;
}

}  // namespace reelsd::work
