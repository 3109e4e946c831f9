#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace reelsd::work {

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
    /// The next claim is a full one.
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
