#pragma once

#include <reelsd/base/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace reelsd::work {

/// Decides how many jobs are claimed beyond those that idle workers begin at once.
///
/// A claim takes about as long as a disk flush. Workers with shorter attempts would wait for claims
/// most of the time. Therefore as many jobs are held ready as short attempts ended during the last
/// claim, and more while workers still wait. Longer attempts need none: their workers lose little
/// by a wait, and jobs that wait here are not available to other daemons.
///
/// Does no I/O. Not thread-safe.
class prefetch {
public:
    /// Upper bound on jobs per claim and on jobs held ready; more would hold row locks for long.
    static constexpr std::size_t jobs_max = 64;

    void note_attempt(monotonic_clock::duration took) noexcept {
        if (took <= std::min<monotonic_clock::duration>(last_claim_, short_max)) ++short_attempts_;
    }
    void note_claim() noexcept { short_attempts_ = 0; }
    /// Records the duration of the last claim. `starved`: number of workers that were idle by then
    /// although there were enough jobs.
    void note_claim_answer(monotonic_clock::duration took, std::size_t starved) noexcept {
        last_claim_ = took;
        // At most doubled, so that a few short attempts among long ones cause no large prefetch.
        const auto missing = std::min(starved, short_attempts_);
        // Reduced gradually, too: with no job held ready, no attempt ends while a claim is sent.
        most_ = std::min(jobs_max, std::max(short_attempts_ + missing, most_ / 2));
    }
    /// Records that a job has waited for a worker for too long.
    void note_late() noexcept { most_ = 0; }

    /// Target number of jobs to hold ready, at most `jobs_max`.
    [[nodiscard]] std::size_t most() const noexcept { return most_; }

    /// Returns how many jobs to claim for `idle` workers while `waiting` jobs are held ready. Jobs
    /// to hold ready are claimed together with others, or once half of them have begun, because
    /// single claims would cost one statement each. The other half begins before the answer.
    [[nodiscard]] std::size_t to_claim(std::size_t idle, std::size_t waiting) const noexcept {
        if (idle == 0 && 2 * waiting > most_) return 0;
        return idle + most_;
    }

private:
    /// Longer attempts never count as short, however long an overloaded server takes for a claim.
    static constexpr std::chrono::milliseconds short_max{50};

    std::size_t most_ = 0;
    std::size_t short_attempts_ = 0;  ///< Since the last claim was sent.
    monotonic_clock::duration last_claim_{};
};

/// Chooses the turn from which a claim reads the queue.
///
/// While an old snapshot is open (a dump takes hours), PostgreSQL keeps the index entries of all
/// jobs that were claimed since. A claim that reads from the lowest turn must scan them. Most
/// claims therefore start near the last claimed jobs. About once a second, a full claim reads from
/// the lowest turn, because a released job keeps its turn, which may be lower.
///
/// Does no I/O. Not thread-safe.
class claim_cursor {
public:
    void read_from_start() noexcept { is_full_due_ = true; }

    /// Returns the first turn for the claim that is sent now; 0 for a full claim.
    [[nodiscard]] std::int64_t start() noexcept {
        return std::exchange(is_full_due_, false) ? 0 : from_;
    }

    /// Records a claim that started at `from` and returned jobs up to `last_turn` (0 for none).
    /// `may_have_left_some`: it returned as many jobs as requested.
    void note_claim(std::int64_t from, std::int64_t last_turn, bool may_have_left_some) noexcept {
        highest_ = std::max(highest_, last_turn);
        if (from != 0) return;
        // A submission in progress may have a turn below the last claimed one. The bound is
        // therefore the highest turn before this claim, not the current one.
        const auto before = std::exchange(highest_before_, std::exchange(highest_, 0));
        from_ = may_have_left_some ? last_turn : before;
    }

private:
    bool is_full_due_ = true;
    std::int64_t from_ = 0;
    std::int64_t highest_ = 0;  ///< Highest turn claimed since the last full claim, inclusive.
    std::int64_t highest_before_ = 0;  ///< Highest turn claimed between the two full claims before.
};

}  // namespace reelsd::work
