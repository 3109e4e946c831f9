#pragma once

#include <chrono>

namespace reelsd::retention {

/// How many rows a step removes, and how long the others have the database to themselves after it:
/// both follow from how long steps take, so that a busy or slow database is asked for less. Pure.
class step_size {
public:
    using duration = std::chrono::steady_clock::duration;

    [[nodiscard]] int rows() const noexcept { return rows_; }
    /// After a step that took so long, answered or not. Only one that was full, which had as many
    /// rows as it was asked for, shows that the next may have more: an idle step is always short.
    void took(duration time, bool was_full = true) noexcept;
    /// Before a new round: the database may have become another one since the last.
    void begin_anew() noexcept { rows_ = rows_first; }
    /// Until the next step: three parts in four of the time are for others.
    [[nodiscard]] duration pause() const noexcept;

    static constexpr int rows_min = 1;
    static constexpr int rows_first = 8;
    /// What a step may write at most: a reel hangs on some 500 rows.
    static constexpr int rows_max = 128;

private:
    /// No lock is held for longer, and no request behind it waits longer.
    static constexpr auto time_wanted = std::chrono::milliseconds{40};
    static constexpr auto pause_min = std::chrono::milliseconds{20};
    static constexpr auto pause_max = std::chrono::seconds{10};

    int rows_ = rows_first;
    duration last_{};
};

}  // namespace reelsd::retention
