#pragma once

#include <reelsd/db/store.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::jobs {

/// Which of the caller's reels a search considers.
struct search_filter {
    std::optional<std::string> tag = {};            ///< Only those with it, in its stored form.
    std::optional<std::string> author = {};         ///< Only this author's, in any letter case.
    std::optional<time_point> created_from = {};    ///< Only those created then or later.
    std::optional<time_point> created_before = {};  ///< Only those created earlier.
    std::optional<job_id> reel = {};                ///< Only this reel.

    friend bool operator==(const search_filter&, const search_filter&) = default;
};

/// A search, as words and as the embedder's vector.
struct search_request {
    std::string text;  ///< Valid UTF-8 without NUL characters. Has no operators.
    std::vector<std::int32_t> concepts = {};
    std::vector<double> concept_weights = {};  ///< As many as concepts.
    int hits_max = 10;                         ///< 1 or more.
    /// Reels with the nearest dense vectors, in this order; empty without such vectors.
    std::vector<job_id> near = {};
    search_filter filter = {};
    bool details = false;  ///< Whether `search_hit::details` are read.
};

/// A reel that matches a search.
struct search_hit {
    job_id id;
    std::string url;
    time_point created_at;
    reel_brief brief;
    std::optional<std::string> details = {};  ///< As in `job`; only on request.
    double score = 0;                         ///< 0-1; comparable within one search.
    std::string passages;                     ///< As stored with the reel.
    int frames = 0;  ///< Pictures of its first key moments; 0 if one of them has none.
};

/// Finds reels by words and by meaning: fuses two or three rankings by rank. Copies share a cache
/// of postings and reels, which each search brings up to date (docs/adr/0051).
class reel_search : public db::store {
public:
    /// `cache_bytes_max`: the default has the postings of 2,000 terms that a thousand reels have
    /// each, and 6,000 reels.
    explicit reel_search(db::pool& pool, std::size_t cache_bytes_max = 64U << 20U);

    /// The caller's own done reels, best first.
    awaitable<std::vector<search_hit>> find(account_id caller, search_request request, deadline by);

    /// Whether the caller's reel contains all words of the text (as in search_request), in any
    /// regular form. False for a text without words.
    awaitable<bool> has_all_words(account_id caller, job_id reel, std::string text, deadline by);

    /// Adds the present form of the words of the next reel of an earlier release. Returns whether
    /// there may be more such reels, and no other daemon does this.
    awaitable<bool> add_earlier_word_forms(deadline by) const;

private:
    struct ranked_reels;

    awaitable<ranked_reels> rank(account_id caller, const search_request& request, deadline by);
    template <class Term>
    awaitable<void> read_narrowed(
        account_id caller, const std::vector<Term>& terms, const std::vector<job_id>& only,
        std::vector<struct asked_term>& asked, deadline by);

    std::shared_ptr<class search_cache> cache_;
};

}  // namespace reelsd::jobs
