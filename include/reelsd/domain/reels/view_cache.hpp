#pragma once

#include <reelsd/base/ids.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace reelsd::reels {

/// A reel as clients see it, and the version of its row that this was made from.
struct reel_view {
    std::shared_ptr<const std::string> text;  ///< JSON. Never null.
    account_id owner;
    std::string version;  ///< The row's `xmin`: each change gives it another.
};

/// What clients see of reels that were read lately, up to a number of bytes. When there is no more
/// room, those go that nobody has read since they were last considered (second chance). It promises
/// nothing of what the database has now: who takes a view from here asks the database whether its
/// version still stands. Thread: the loop's.
class view_cache {
public:
    /// 0 bytes: keeps nothing.
    explicit view_cache(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    [[nodiscard]] std::optional<reel_view> find(job_id reel);
    /// Takes the place of an earlier one. One that alone is too large is not kept.
    void keep(job_id reel, reel_view view);
    void forget(job_id reel);

    /// An estimate of what is held, never over the bound.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    using turns = std::list<std::int64_t>;
    struct entry {
        reel_view view;
        turns::iterator turn;
        bool was_read = false;
    };
    using entries = std::unordered_map<std::int64_t, entry>;

    [[nodiscard]] static std::size_t bytes_of(const reel_view& view) noexcept;
    void drop(entries::iterator one);
    void make_room(std::size_t bytes);

    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    entries by_id_;
    turns turns_;  ///< Who is considered next comes first.
};

}  // namespace reelsd::reels
