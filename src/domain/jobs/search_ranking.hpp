#pragma once

#include <reelsd/base/ids.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace reelsd::jobs {

/// A reel that has a word or a concept, and to what degree.
struct posting {
    job_id job;
    float weight;
};

/// The reels of an account that have one word or concept: all of them, or the newest
/// `postings_max`.
using posting_list = std::vector<posting>;
/// A term in as many reels discriminates badly, and is used only if there is no rarer one in the
/// reels that are searched.
inline constexpr std::size_t postings_max = 1000;

/// A word or concept of a search.
struct asked_term {
    std::shared_ptr<const posting_list> postings;  ///< Not null.
    double weight = 1;                             ///< Of the term in the search.
    /// The number of postings of all reels, if `postings` has only those of `only`.
    std::optional<std::size_t> postings_of_all = {};
};

/// A search: its terms, and what limits it.
struct ranking_request {
    std::vector<asked_term> words = {};
    std::vector<asked_term> concepts = {};
    /// Reels with the nearest dense vectors, in this order; empty without such vectors.
    std::vector<job_id> near = {};
    /// Only these reels, ascending; nullopt: all.
    std::optional<std::vector<job_id>> only = {};
    double reels = 0;  ///< Number of the account's reels.
};

struct ranked_reel {
    job_id job;
    double score;  ///< 0-1.
};

/// The reels that match, best first, of equal ones the newest: at most 100 by words, 100 by
/// concepts and those of `near`.
[[nodiscard]] std::vector<ranked_reel> rank_reels(const ranking_request& request);

}  // namespace reelsd::jobs
