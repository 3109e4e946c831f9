#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace reelsd::work {

/// Decides from which turn on a claim reads the queue.
///
/// While an old snapshot is open (a dump takes hours), PostgreSQL keeps the index entries of all
/// jobs that were claimed since, and a claim that reads from the lowest turn walks over them. Most
/// claims therefore start near the jobs that were claimed last. A full claim reads from the lowest
/// turn, about once a second: released jobs keep their turn, which may be any lower one.
///
/// Pure but for its memory. Thread: one.
class claim_cursor {
public:
    /// The next claim is a full one.
    void read_from_start() noexcept { is_full_due_ = true; }

    /// Where the claim that is sent now starts; 0 for a full one.
    [[nodiscard]] std::int64_t start() noexcept {
        return std::exchange(is_full_due_, false) ? 0 : from_;
    }

    /// A claim that started at `from` brought jobs up to `last_turn`, 0 when it brought none.
    /// `may_have_left_some`: it brought as many as it asked for.
    void note_claim(std::int64_t from, std::int64_t last_turn, bool may_have_left_some) noexcept {
        highest_ = std::max(highest_, last_turn);
        if (from != 0) return;
        // A job that is being submitted may get a turn below the last claimed one, so the turns of
        // the time before this claim are the bound, not those of this moment.
        const auto before = std::exchange(highest_before_, std::exchange(highest_, 0));
        from_ = may_have_left_some ? last_turn : before;
    }

private:
    bool is_full_due_ = true;
    std::int64_t from_ = 0;
    std::int64_t highest_ = 0;         ///< Claimed since the last full claim, which is included.
    std::int64_t highest_before_ = 0;  ///< Claimed between the two full claims before.
};

}  // namespace reelsd::work
