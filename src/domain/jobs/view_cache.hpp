#pragma once

#include <reelsd/base/ids.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::jobs {

/// A reel as clients see it, and the versions of what this was made from.
struct reel_view {
    std::string text;  ///< JSON.
    account_id owner;
    std::string version;  ///< The row's `xmin`: each change gives it another.
    /// The `xmin` of the owner's row of `ended_reels_version` when this was read, or last found to
    /// stand: as long as it is the same, none of the owner's ended reels has changed.
    std::string ended_reels_version;
};

/// What clients see of reels that were read lately, up to a number of bytes. When there is no more
/// room, those go that nobody has read since they were last considered (second chance), and only
/// for one that is read a second time within a while: where far more reels are read than fit, those
/// that come and go would push all else out of the processor's caches. It promises nothing of what
/// the database has now: who takes a view from here asks the database whether it still stands.
/// Thread: the loop's.
class view_cache {
public:
    /// 0 bytes: keeps nothing.
    explicit view_cache(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    /// Null if it is not kept.
    [[nodiscard]] std::shared_ptr<const reel_view> find(job_id reel);
    /// Takes the place of an earlier one. One that alone is too large is not kept, nor one for
    /// which others would have to go, if it is not known to have been read before. `view` is there.
    void keep(job_id reel, std::shared_ptr<reel_view> view);
    /// The view of this version, if it is still that one, stands at this `ended_reels_version` too.
    void confirm(job_id reel, std::string_view version, std::string ended_reels_version);
    void forget(job_id reel);

    /// What the database's server says of itself with each answer: another one, or the same from an
    /// earlier backup, may know versions again that meant something else. Then nothing is kept any
    /// more; the next of these calls free the memory, each a part.
    void note_server(std::string_view identity);
    /// Another number each time that happens: what was found before must not be used any more.
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

    /// An estimate of what is held, never over the bound.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t bytes_max() const noexcept { return bytes_max_; }

private:
    using turns = std::list<std::int64_t>;
    struct entry {
        std::shared_ptr<reel_view> view;
        turns::iterator turn;
        bool was_read = false;
    };
    /// Flat: of many reels, one that is looked for is in no processor's cache, and each step from
    /// node to node would be waited for.
    using entries = boost::unordered_flat_map<std::int64_t, entry>;
    /// In parts: one table of 170,000 reels would hold the loop for 5 ms when it grows, and for 22
    /// when all of them go; a part takes less than one.
    static constexpr std::size_t parts = 64;

    /// Reels that found no room, by their ids: each takes the place of an earlier one. As many
    /// reads as that ago is "lately". 32 KiB, from the first one on.
    static constexpr std::size_t noted_max = 4096;

    [[nodiscard]] static std::size_t bytes_of(const reel_view& view) noexcept;
    /// Whether it was here lately; it was, from now on.
    [[nodiscard]] bool was_here_lately(job_id reel);
    [[nodiscard]] entries& part_of(std::int64_t reel) noexcept;
    void drop(entries& part, entries::iterator one);
    void make_room(std::size_t bytes);

    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::string server_;
    std::uint64_t generation_ = 0;
    std::array<entries, parts> by_id_;
    std::vector<entries> dropped_;  ///< Freed one after the other.
    turns turns_;                   ///< Who is considered next comes first.
    std::vector<std::int64_t> noted_;
};

}  // namespace reelsd::jobs
