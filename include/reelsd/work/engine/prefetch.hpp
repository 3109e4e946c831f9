#pragma once

#include <reelsd/base/clock.hpp>

#include <cstddef>

namespace reelsd::work {

/// Decides how many jobs are claimed beyond those that idle workers begin at once.
///
/// A claim lasts about as long as the disk takes to keep it. Workers whose attempts are shorter
/// would wait for claims most of the time; so as many jobs are held ready as such short attempts
/// have ended while the last claim was under way, and more while workers still wait. Longer
/// attempts call for none: their workers lose little by a wait, and what waits here is kept from
/// other daemons.
///
/// Pure but for its memory. Thread: one.
class prefetch {
public:
    /// Jobs that one claim brings, and that are held ready: more would hold row locks for long.
    static constexpr std::size_t jobs_max = 64;

    /// An attempt has ended after so long.
    void note_attempt(monotonic_clock::duration took) noexcept;
    /// A claim is sent.
    void note_claim() noexcept { short_attempts_ = 0; }
    /// The last claim was answered after so long. `starved`: workers that had nothing to do by
    /// then, though there were jobs enough.
    void note_claim_answer(monotonic_clock::duration took, std::size_t starved) noexcept;
    /// A job has waited for a worker for too long.
    void note_late() noexcept { most_ = 0; }

    /// Jobs that are to be ready when workers need them, at most `jobs_max`.
    [[nodiscard]] std::size_t most() const noexcept { return most_; }

    /// How many to claim for `idle` workers, while `waiting` jobs are held ready. Those to be held
    /// ready are claimed together with others, or when half of them have been begun: one after the
    /// other they would cost a claim each. What still waits then is begun before the claim is
    /// answered.
    [[nodiscard]] std::size_t to_claim(std::size_t idle, std::size_t waiting) const noexcept;

private:
    std::size_t most_ = 0;
    std::size_t short_attempts_ = 0;  ///< Since the last claim was sent.
    monotonic_clock::duration last_claim_{};
};

}  // namespace reelsd::work
