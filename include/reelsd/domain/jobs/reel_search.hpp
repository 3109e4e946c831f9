#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.
#include <reelsd/domain/jobs/job.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::jobs {

/// What is looked for: words, and the same as the embedder's vector.
struct search_request {
    std::string text;  ///< Valid UTF-8 without NUL characters. No operators: quotes and signs part.
    std::vector<std::int32_t> concepts = {};
    std::vector<double> concept_weights = {};  ///< As many as concepts.
    int hits_max = 10;                         ///< 1 or more.
    /// Reels whose dense vectors are near, the nearest first; empty without such vectors.
    std::vector<job_id> near = {};
};

/// A reel that answers a search.
struct search_hit {
    job_id id;
    std::string url;
    time_point created_at;
    reel_brief brief;
    double score = 0;      ///< 0-1; comparable within one answer.
    std::string passages;  ///< As they were written with the reel.
};

/// Finds reels by words and by meaning: two rankings or three, fused by their ranks. Throws
/// db::unavailable when no answer is had before `by`. A cheap value around the pool, which must
/// outlive it. On the loop's thread.
class reel_search {
public:
    explicit reel_search(db::pool& pool) : pool_{&pool} {}

    /// The caller's own done reels, the best first; empty when nothing is near.
    boost::asio::awaitable<std::vector<search_hit>> find(
        account_id caller, search_request wanted, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::jobs
