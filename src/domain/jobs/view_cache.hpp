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

/// A reel as clients see it, and the versions of the rows it was made from.
struct reel_view {
    std::string text;  ///< JSON.
    account_id owner;
    /// The row's `xmin`, which each change replaces, and the id of its kept video.
    std::string version;
    /// The `xmin` of the owner's row of `ended_reels_version` when this was last found current.
    /// While it is the same, none of the owner's ended reels has changed.
    std::string ended_reels_version;
};

/// Cache of the JSON of reels that were read recently, up to a number of bytes. When it is full, it
/// evicts views that were not read since they were last considered (second chance), and only for a
/// reel that is read a second time within a while: otherwise reads of more reels than fit would
/// evict everything. A view may be outdated: revalidate it with the database. Thread: the loop's.
class view_cache {
public:
    /// 0 bytes: caches nothing.
    explicit view_cache(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    /// Null if it is not cached.
    [[nodiscard]] std::shared_ptr<const reel_view> find(job_id reel);
    /// Replaces an earlier view. Caches nothing if the view alone is too large, or if it needs an
    /// eviction and was not read recently. `view` is not null.
    void put(job_id reel, std::shared_ptr<reel_view> view);
    /// Marks the view of this version as current at this `ended_reels_version`.
    void confirm(job_id reel, std::string_view version, std::string ended_reels_version);
    void forget(job_id reel);

    /// Call with the server's identity from each answer. Drops all views when it changes, because
    /// another server, or a restored backup, may reuse versions. Later calls free the memory, a
    /// part each.
    void note_server(std::string_view identity);
    /// Changes each time that happens: views found before must not be used.
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

    /// An estimate, never over the bound.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t bytes_max() const noexcept { return bytes_max_; }

private:
    using turns = std::list<std::int64_t>;
    struct entry {
        std::shared_ptr<reel_view> view;
        turns::iterator turn;
        bool was_read = false;
    };
    /// Flat, because each node of another map would be a cache miss.
    using entries = boost::unordered_flat_map<std::int64_t, entry>;
    /// One table of 170,000 reels would block the loop for 5 ms when it grows, and for 22 ms when
    /// it is freed; a part takes less than 1 ms.
    static constexpr std::size_t parts = 64;

    /// Number of reads that "recently" spans. Ids of reels that were not cached, each in the place
    /// of an earlier one; 32 KiB.
    static constexpr std::size_t noted_max = 4096;

    [[nodiscard]] static std::size_t bytes_of(const reel_view& view) noexcept;
    /// Returns whether the reel was noted, and notes it.
    [[nodiscard]] bool was_read_recently(job_id reel);
    [[nodiscard]] entries& part_of(std::int64_t reel) noexcept;
    void drop(entries& part, entries::iterator evicted);
    void make_room(std::size_t bytes);

    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::string server_;
    std::uint64_t generation_ = 0;
    std::array<entries, parts> by_id_;
    std::vector<entries> dropped_;  ///< To be freed.
    turns turns_;                   ///< Ids, the next to consider for eviction first.
    std::vector<std::int64_t> noted_;
};

}  // namespace reelsd::jobs
