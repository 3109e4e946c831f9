#include "search_ranking.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

namespace reelsd::jobs {
namespace {

/// The start of a search.
struct search_start {
    std::vector<std::string> lexemes = {};
    std::string database;  ///< Another one has other transactions.
    /// The oldest transaction that was running: later searches see all reels of older ones.
    std::string oldest_writer;
    /// Reels of the account that were indexed since `oldest_writer` of the cached postings, without
    /// those since the present one. Here and below: packed ids, ascending.
    std::optional<std::vector<std::byte>> recent = {};
    std::optional<std::vector<std::byte>> tagged = {};  ///< Reels with the tag.
};
BOOST_DESCRIBE_STRUCT(search_start, (), (lexemes, database, oldest_writer, recent, tagged))

/// The postings of a word or concept.
template <class Term>
struct term_postings {
    Term term{};
    std::optional<std::vector<std::byte>> postings = {};

    BOOST_DESCRIBE_CLASS(term_postings, (), (term, postings), (), ())
};

}  // namespace

/// The postings of an account that searches have asked for, as of one moment.
struct account_postings {
    std::string database;
    std::string oldest_writer;
    std::vector<job_id> recent = {};  ///< What a search at that moment found, ascending.
    std::optional<double> reels = {};
    std::unordered_map<std::string, std::shared_ptr<const posting_list>> words = {};
    std::unordered_map<std::int32_t, std::shared_ptr<const posting_list>> concepts = {};
    std::size_t bytes = 0;
    std::uint64_t used = 0;  ///< Number of the latest search that used this.
};

BOOST_DESCRIBE_STRUCT(
    search_hit, (), (id, url, created_at, brief, details, score, passages, frames))

namespace {

/// Reels that a search compares with those it knows. A transaction that stays open for long keeps
/// them recent.
constexpr std::size_t recent_max = 100;

// The longest words are the most specific ones. LIMIT 100: recent_max.
constexpr db::query start_query{"jobs.start_search", R"sql(
    SELECT ARRAY(SELECT lexeme FROM unnest(to_tsvector('english', $2))
                  ORDER BY length(lexeme) DESC LIMIT 50) AS lexemes,
           concat(pg_postmaster_start_time(), ' ', 'search_document'::regclass::oid) AS database,
           pg_snapshot_xmin(snapshot)::text AS oldest_writer,
           (SELECT string_agg(int8send(job_id), '' ORDER BY job_id)
              FROM (SELECT job_id FROM search_document
                     WHERE account_id = $1 AND stored_by < pg_snapshot_xmax(snapshot)
                       AND stored_by >= coalesce($3::text::xid8, pg_snapshot_xmin(snapshot))
                     LIMIT 100) AS document) AS recent,
           (SELECT string_agg(int8send(job_id), '' ORDER BY job_id) FROM reel_tag
             WHERE account_id = $1 AND tag = $4) AS tagged
      FROM pg_current_snapshot() AS snapshot)sql"};

// LIMIT: more reels make hardly any difference to the rarity of a word.
constexpr db::query count_query{"jobs.count_searched", R"sql(
    SELECT count(*)::double precision
      FROM (SELECT FROM search_document WHERE account_id = $1 LIMIT 5000) AS document)sql"};

// LIMIT: postings_max. 12 bytes a posting.
constexpr db::query words_query{"jobs.read_word_postings", R"sql(
    SELECT asked.term, newest.postings
      FROM unnest($2::text[]) AS asked (term),
           LATERAL (SELECT string_agg(int8send(job_id) || float4send(weight), '') AS postings
                      FROM (SELECT job_id, weight FROM search_word
                             WHERE account_id = $1 AND lexeme = asked.term
                             ORDER BY job_id DESC LIMIT 1000) AS posting) AS newest)sql"};
constexpr db::query concepts_query{"jobs.read_concept_postings", R"sql(
    SELECT asked.term, newest.postings
      FROM unnest($2::integer[]) AS asked (term),
           LATERAL (SELECT string_agg(int8send(job_id) || float4send(weight), '') AS postings
                      FROM (SELECT job_id, weight FROM search_concept
                             WHERE account_id = $1 AND concept = asked.term
                             ORDER BY job_id DESC LIMIT 1000) AS posting) AS newest)sql"};

// Several analyses of a post are one hit: the one that matches best, of equal ones the newest. A
// ranked reel may be deleted, or be analysed again.
constexpr db::query hits_query{"jobs.read_hits", R"sql(
    WITH best_of_post AS (
        -- LIMIT: as a join, the planner would scan the whole table for a few rows.
        SELECT DISTINCT ON (post) analysis.id AS job_id, ranked.score
          FROM (SELECT job_id, score
                  FROM unnest($2::bigint[], $3::double precision[]) AS best_first (job_id, score)
                 LIMIT $4) AS ranked,
               LATERAL (SELECT id, coalesce(post_of(job), 'job ' || id) AS post
                          FROM job WHERE id = ranked.job_id AND account_id = $1 AND status = 'done'
                         LIMIT 1) AS analysis
         ORDER BY post, ranked.score DESC, analysis.id DESC),
    hit AS (
        SELECT job_id, score FROM best_of_post ORDER BY score DESC, job_id DESC LIMIT $5)
    SELECT job.id, job.url, job.code, job.author, job.summary, job.created_at,
           CASE WHEN $6 THEN list_details_of(job) END AS details, hit.score, document.passages,
           (SELECT CASE WHEN count(*) = max(number) + 1 THEN count(*) ELSE 0 END
              FROM reel_frame WHERE job_id = hit.job_id)::integer AS frames
      FROM hit
      JOIN job ON job.id = hit.job_id
      JOIN search_document AS document
        ON document.account_id = $1 AND document.job_id = hit.job_id
     ORDER BY hit.score DESC, hit.job_id DESC)sql"};

constexpr std::size_t id_bytes = 8;
constexpr std::size_t posting_bytes = 12;

/// Calls `take` with each item of `size` bytes.
template <class Take>
void for_each_packed(
    const std::optional<std::vector<std::byte>>& packed, std::size_t size, Take take) {
    if (!packed) return;
    // libpq and decode() check lengths; the statement packs whole items.
    const auto* const bytes = reinterpret_cast<const unsigned char*>(packed->data());
    for (std::size_t at = 0; at + size <= packed->size(); at += size) take(bytes + at);
}

std::vector<job_id> ids_from(const std::optional<std::vector<std::byte>>& packed) {
    std::vector<job_id> ids;
    for_each_packed(packed, id_bytes, [&](const unsigned char* bytes) {
        ids.push_back({boost::endian::load_big_s64(bytes)});
    });
    return ids;
}

std::shared_ptr<const posting_list> postings_from(
    const std::optional<std::vector<std::byte>>& packed) {
    auto postings = std::make_shared<posting_list>();
    if (packed) postings->reserve(packed->size() / posting_bytes);
    for_each_packed(packed, posting_bytes, [&](const unsigned char* bytes) {
        postings->push_back(
            {{boost::endian::load_big_s64(bytes)},
             std::bit_cast<float>(boost::endian::load_big_u32(bytes + id_bytes))});
    });
    return postings;
}

/// Those of `asked` that `cached` lacks.
template <class Term, class Cached>
std::vector<Term> missing_of(const std::vector<Term>& asked, const Cached& cached) {
    std::vector<Term> missing;
    std::ranges::copy_if(asked, std::back_inserter(missing), [&](const Term& term) {
        return !cached.contains(term);
    });
    return missing;
}

/// Adds what was read. Returns the bytes that it takes.
template <class Term, class Cached>
std::size_t add_postings(std::vector<term_postings<Term>> read, Cached& cached) {
    constexpr std::size_t term_bytes = 150;  // Its share of the table, and of the allocator.
    std::size_t bytes = 0;
    for (auto& [term, packed] : read) {
        auto postings = postings_from(packed);
        bytes += term_bytes + postings->size() * sizeof(posting);
        cached.insert_or_assign(std::move(term), std::move(postings));
    }
    return bytes;
}

}  // namespace

/// Postings of recent searches, up to a number of bytes. Evicts whole accounts, those first that
/// have not searched for the longest time.
class posting_cache {
public:
    explicit posting_cache(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    /// Null if nothing is cached.
    [[nodiscard]] std::shared_ptr<account_postings> find(account_id account) const {
        const auto cached = accounts_.find(account.value);
        return cached == accounts_.end() ? nullptr : cached->second;
    }

    /// The postings to search: those found before `start` was read, or empty ones if they lack a
    /// reel, or if there are too many recent reels to tell.
    std::shared_ptr<account_postings> current(
        account_id account, std::shared_ptr<account_postings> found, const search_start& start) {
        auto recent = ids_from(start.recent);
        const bool is_current = found && found->database == start.database &&
                                recent.size() < recent_max &&
                                std::ranges::includes(found->recent, recent);
        if (!is_current) {
            found = std::make_shared<account_postings>();
            found->database = start.database;
            accounts_.insert_or_assign(account.value, found);
        }
        found->oldest_writer = start.oldest_writer;
        found->recent = std::move(recent);
        found->used = ++searches_;
        return found;
    }

    void make_room() {
        std::size_t bytes = 0;
        for (const auto& [account, cached] : accounts_) bytes += cached->bytes;
        while (bytes > bytes_max_) {
            const auto oldest = std::ranges::min_element(
                accounts_, {}, [](const auto& cached) { return cached.second->used; });
            bytes -= oldest->second->bytes;
            accounts_.erase(oldest);
        }
    }

private:
    std::size_t bytes_max_;
    std::uint64_t searches_ = 0;
    std::unordered_map<std::int64_t, std::shared_ptr<account_postings>> accounts_;
};

reel_search::reel_search(db::pool& pool, std::size_t postings_bytes_max)
    : store{pool}, cache_{std::make_shared<posting_cache>(postings_bytes_max)} {}

awaitable<std::vector<search_hit>> reel_search::find(
    account_id caller, search_request request, deadline by) {
    invariant(request.hits_max > 0);
    invariant(request.concepts.size() == request.concept_weights.size());
    auto found = cache_->find(caller);
    const auto since = found ? std::optional{found->oldest_writer} : std::nullopt;
    const auto start =
        co_await read_one<search_start>(by, start_query, caller, request.text, since, request.tag);
    const auto cached = cache_->current(caller, std::move(found), start);

    const auto words = missing_of(start.lexemes, cached->words);
    const auto concepts = missing_of(request.concepts, cached->concepts);
    if (!words.empty()) {
        cached->bytes += add_postings(
            co_await read_all<term_postings<std::string>>(by, words_query, caller, words),
            cached->words);
    }
    if (!concepts.empty()) {
        cached->bytes += add_postings(
            co_await read_all<term_postings<std::int32_t>>(by, concepts_query, caller, concepts),
            cached->concepts);
    }
    if (!cached->reels) cached->reels = co_await read_one<double>(by, count_query, caller);
    cache_->make_room();

    ranking_request asked{.near = std::move(request.near), .reels = *cached->reels};
    for (const auto& lexeme : start.lexemes) asked.words.push_back({cached->words.at(lexeme)});
    for (std::size_t i = 0; i < request.concepts.size(); ++i) {
        asked.concepts.push_back(
            {cached->concepts.at(request.concepts[i]), request.concept_weights[i]});
    }
    if (request.tag) asked.only = ids_from(start.tagged);
    const auto ranked = rank_reels(asked);
    if (ranked.empty()) co_return std::vector<search_hit>{};

    // Few posts have several analyses, so twice as many reels as hits nearly always suffice.
    auto tried = static_cast<std::int64_t>(request.hits_max) * 2;
    while (true) {
        auto hits = co_await read_all<search_hit>(
            by,
            hits_query,
            caller,
            db::column(ranked, &ranked_reel::job),
            db::column(ranked, &ranked_reel::score),
            tried,
            request.hits_max,
            request.details);
        const bool is_complete =
            std::ssize(hits) == request.hits_max || tried >= std::ssize(ranked);
        if (is_complete) co_return hits;
        tried = std::ssize(ranked);
    }
}

}  // namespace reelsd::jobs
