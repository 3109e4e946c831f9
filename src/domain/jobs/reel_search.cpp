#include "search_ranking.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>

#include <boost/endian/conversion.hpp>

#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace reelsd::jobs {
namespace {

struct search_start {
    std::vector<std::string> lexemes = {};
    std::string database;  ///< Another one has other transactions.
    /// The oldest transaction that was running: later searches see all reels of older ones.
    std::string oldest_writer;
    /// Reels of the account that were indexed since `oldest_writer` of the cached postings, without
    /// those since the present one. Here and below: packed ids, ascending.
    std::optional<std::vector<std::byte>> recent = {};
    /// Of all of the account's ended reels (docs/adr/0022). Empty: they must not be cached.
    std::optional<std::string> ended_reels_version = {};
};
BOOST_DESCRIBE_STRUCT(
    search_start, (), (lexemes, database, oldest_writer, recent, ended_reels_version))

/// The postings of a word or concept.
template <class Term>
struct term_postings {
    Term term{};
    std::optional<std::vector<std::byte>> postings = {};

    BOOST_DESCRIBE_CLASS(term_postings, (), (term, postings), (), ())
};

/// What a hit shows of a reel.
struct found_reel {
    job_id id;
    std::string url;
    time_point created_at;
    reel_brief brief;
    std::optional<std::string> details = {};
    std::string passages;
    int frames = 0;
    std::string post;  ///< Equal for several analyses of one post.
    std::optional<std::string> ended_reels_version = {};
};
BOOST_DESCRIBE_STRUCT(
    found_reel, (),
    (id, url, created_at, brief, details, passages, frames, post, ended_reels_version))

/// By id. Null for a reel that has been deleted.
using found_reels = std::unordered_map<std::int64_t, std::shared_ptr<const found_reel>>;

}  // namespace

/// What searches of an account have read: postings as of one moment, and reels as of one version of
/// the ended reels.
struct account_cache {
    std::string database;
    std::string oldest_writer;
    std::vector<job_id> recent = {};  ///< What a search at that moment found, ascending.
    std::optional<double> reels = {};
    std::unordered_map<std::string, std::shared_ptr<const posting_list>> words = {};
    std::unordered_map<std::int32_t, std::shared_ptr<const posting_list>> concepts = {};
    std::optional<std::string> ended_reels_version = {};
    found_reels found = {};
    std::size_t bytes = 0;        ///< Of the postings.
    std::size_t found_bytes = 0;  ///< Of the reels.
    std::uint64_t used = 0;       ///< Number of the latest search that used this.
};

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
           (SELECT xmin::text FROM ended_reels_version
             WHERE account_id = $1) AS ended_reels_version
      FROM pg_current_snapshot() AS snapshot)sql"};

constexpr db::query filter_query{"jobs.filter_searched", R"sql(
    SELECT string_agg(int8send(id), '' ORDER BY id) AS ids
      FROM job
     WHERE account_id = $1 AND status = 'done'
       AND ($2::text IS NULL OR id IN (
           SELECT job_id FROM reel_tag WHERE account_id = $1 AND tag = $2))
       AND ($3::text IS NULL OR lower(author) = lower($3))
       AND created_at >= coalesce($4::timestamptz, '-infinity')
       AND created_at < coalesce($5::timestamptz, 'infinity')
       AND ($6::bigint IS NULL OR id = $6))sql"};

constexpr db::query has_words_query{"jobs.has_searched_words", R"sql(
    SELECT coalesce(bool_and(EXISTS (
               SELECT FROM search_word
                WHERE account_id = $1 AND job_id = $2 AND lexeme = asked.lexeme)), false) AS has_all
      FROM unnest(to_tsvector('english', $3)) AS asked)sql"};

constexpr db::query word_forms_query{
    "jobs.add_earlier_word_forms", "SELECT add_earlier_word_forms()"};

// LIMIT: more reels make hardly any difference to the rarity of a word.
constexpr db::query count_query{"jobs.count_searched", R"sql(
    SELECT count(*)::double precision
      FROM (SELECT FROM search_document WHERE account_id = $1 LIMIT 5000) AS document)sql"};

// LIMIT: postings_max. 12 bytes a posting. $3: only these reels; null: all.
constexpr db::query words_query{"jobs.read_word_postings", R"sql(
    SELECT asked.term, newest.postings
      FROM unnest($2::text[]) AS asked (term),
           LATERAL (SELECT string_agg(int8send(job_id) || float4send(weight), '') AS postings
                      FROM (SELECT job_id, weight FROM search_word
                             WHERE account_id = $1 AND lexeme = asked.term
                               AND ($3::bigint[] IS NULL OR job_id = ANY ($3))
                             ORDER BY job_id DESC LIMIT 1000) AS posting) AS newest)sql"};
constexpr db::query concepts_query{"jobs.read_concept_postings", R"sql(
    SELECT asked.term, newest.postings
      FROM unnest($2::integer[]) AS asked (term),
           LATERAL (SELECT string_agg(int8send(job_id) || float4send(weight), '') AS postings
                      FROM (SELECT job_id, weight FROM search_concept
                             WHERE account_id = $1 AND concept = asked.term
                               AND ($3::bigint[] IS NULL OR job_id = ANY ($3))
                             ORDER BY job_id DESC LIMIT 1000) AS posting) AS newest)sql"};

// A ranked reel may have been deleted.
constexpr db::query reels_query{"jobs.read_found_reels", R"sql(
    SELECT job.id, job.url, job.code, job.author, job.summary, job.created_at,
           CASE WHEN $3 THEN list_details_of(job) END AS details, document.passages,
           (SELECT CASE WHEN count(*) = max(number) + 1 THEN count(*) ELSE 0 END
              FROM reel_frame WHERE job_id = job.id)::integer AS frames,
           coalesce(post_of(job), 'job ' || job.id) AS post,
           (SELECT xmin::text FROM ended_reels_version WHERE account_id = $1) AS ended_reels_version
      FROM unnest($2::bigint[]) AS ranked (job_id),
           -- LIMIT: as joins, the planner would scan whole tables for a few rows.
           LATERAL (SELECT * FROM job
                     WHERE id = ranked.job_id AND account_id = $1 AND status = 'done'
                     LIMIT 1) AS job,
           LATERAL (SELECT passages FROM search_document
                     WHERE account_id = $1 AND job_id = ranked.job_id
                     LIMIT 1) AS document)sql"};

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

/// The terms of `asked` whose postings are not complete.
template <class Term>
std::vector<Term> cut_terms(const std::vector<Term>& asked, std::span<const asked_term> terms) {
    std::vector<Term> cut;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (terms[i].postings->size() >= postings_max) cut.push_back(asked[i]);
    }
    return cut;
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

/// Those of `ranked` that the cache has.
found_reels cached_reels(const account_cache& cached, std::span<const ranked_reel> ranked) {
    found_reels reels;
    for (const auto& [job, score] : ranked) {
        const auto known = cached.found.find(job.value);
        if (known != cached.found.end()) reels.insert(*known);
    }
    return reels;
}

std::vector<job_id> missing_reels(std::span<const ranked_reel> ranked, const found_reels& reels) {
    std::vector<job_id> missing;
    for (const auto& [job, score] : ranked) {
        if (!reels.contains(job.value)) missing.push_back(job);
    }
    return missing;
}

/// Adds what was read, and null for `asked` reels that were not found.
void add_reels(std::vector<found_reel> read, std::span<const job_id> asked, found_reels& reels) {
    for (const auto job : asked) reels[job.value] = nullptr;
    for (auto& reel : read) {
        const auto id = reel.id.value;
        reels[id] = std::make_shared<const found_reel>(std::move(reel));
    }
}

/// Caches reels that were read, if they are of the version that is cached.
void keep_reels(const found_reels& reels, std::span<const job_id> read, account_cache& cached) {
    constexpr std::size_t reel_bytes = 400;  // Its share of the table, and of the allocator.
    const auto is_current = [&](job_id job) {
        const auto& reel = reels.at(job.value);
        return reel && reel->ended_reels_version == cached.ended_reels_version;
    };
    if (!cached.ended_reels_version || !std::ranges::any_of(read, is_current)) return;
    for (const auto job : read) {
        const auto& reel = reels.at(job.value);
        if (!cached.found.insert_or_assign(job.value, reel).second) continue;
        cached.found_bytes += reel_bytes;
        if (!reel) continue;
        for (const auto* const text :
             {&reel->url, &reel->brief.author, &reel->brief.summary, &reel->passages}) {
            cached.found_bytes += text->size();
        }
    }
}

/// The hits of a search, filled best first.
class hit_list {
public:
    explicit hit_list(std::size_t hits_max) : hits_max_{hits_max} {}

    [[nodiscard]] std::size_t missing() const { return hits_max_ - hits_.size(); }

    /// Several analyses of a post are one hit: the first. Ignores a reel that is null.
    void add(const found_reel* reel, double score) {
        if (reel == nullptr || missing() == 0 || !posts_.insert(reel->post).second) return;
        hits_.push_back(
            {.id = reel->id,
             .url = reel->url,
             .created_at = reel->created_at,
             .brief = reel->brief,
             .details = reel->details,
             .score = score,
             .passages = reel->passages,
             .frames = reel->frames});
    }

    std::vector<search_hit> take() && { return std::move(hits_); }

private:
    std::size_t hits_max_;
    std::unordered_set<std::string> posts_;
    std::vector<search_hit> hits_;
};

}  // namespace

/// Postings and reels of recent searches, up to a number of bytes. Evicts whole accounts, those
/// first that have not searched for the longest time.
class search_cache {
public:
    explicit search_cache(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    /// Null if nothing is cached.
    [[nodiscard]] std::shared_ptr<account_cache> find(account_id account) const {
        const auto cached = accounts_.find(account.value);
        return cached == accounts_.end() ? nullptr : cached->second;
    }

    /// The postings to search: those found before `start` was read, or empty ones if they lack a
    /// reel, or if there are too many recent reels to tell.
    std::shared_ptr<account_cache> current(
        account_id account, std::shared_ptr<account_cache> found, const search_start& start) {
        auto recent = ids_from(start.recent);
        const bool is_current = found && found->database == start.database &&
                                recent.size() < recent_max &&
                                std::ranges::includes(found->recent, recent);
        if (!is_current) {
            found = std::make_shared<account_cache>();
            found->database = start.database;
            accounts_.insert_or_assign(account.value, found);
        }
        if (found->ended_reels_version != start.ended_reels_version) {
            found->ended_reels_version = start.ended_reels_version;
            found->found.clear();
            found->found_bytes = 0;
        }
        found->oldest_writer = start.oldest_writer;
        found->recent = std::move(recent);
        found->used = ++searches_;
        return found;
    }

    void make_room() {
        std::size_t bytes = 0;
        for (const auto& [account, cached] : accounts_)
            bytes += cached->bytes + cached->found_bytes;
        while (bytes > bytes_max_) {
            const auto oldest = std::ranges::min_element(
                accounts_, {}, [](const auto& cached) { return cached.second->used; });
            bytes -= oldest->second->bytes + oldest->second->found_bytes;
            accounts_.erase(oldest);
        }
    }

private:
    std::size_t bytes_max_;
    std::uint64_t searches_ = 0;
    std::unordered_map<std::int64_t, std::shared_ptr<account_cache>> accounts_;
};

reel_search::reel_search(db::pool& pool, std::size_t cache_bytes_max)
    : store{pool}, cache_{std::make_shared<search_cache>(cache_bytes_max)} {}

/// The reels that match a search, best first, and what the cache has of their account.
struct reel_search::ranked_reels {
    std::vector<ranked_reel> reels;
    std::shared_ptr<account_cache> cached;
};

awaitable<reel_search::ranked_reels> reel_search::rank(
    account_id caller, const search_request& request, deadline by) {
    auto found = cache_->find(caller);
    const auto since = found ? std::optional{found->oldest_writer} : std::nullopt;
    const auto start =
        co_await read_one<search_start>(by, start_query, caller, request.text, since);
    const auto cached = cache_->current(caller, std::move(found), start);

    const auto words = missing_of(start.lexemes, cached->words);
    const auto concepts = missing_of(request.concepts, cached->concepts);
    if (!words.empty()) {
        cached->bytes += add_postings(
            co_await read_all<term_postings<std::string>>(
                by, words_query, caller, words, std::nullopt),
            cached->words);
    }
    if (!concepts.empty()) {
        cached->bytes += add_postings(
            co_await read_all<term_postings<std::int32_t>>(
                by, concepts_query, caller, concepts, std::nullopt),
            cached->concepts);
    }
    if (!cached->reels) cached->reels = co_await read_one<double>(by, count_query, caller);

    ranking_request asked{.near = request.near, .reels = *cached->reels};
    for (const auto& lexeme : start.lexemes) asked.words.push_back({cached->words.at(lexeme)});
    for (std::size_t i = 0; i < request.concepts.size(); ++i) {
        asked.concepts.push_back(
            {cached->concepts.at(request.concepts[i]), request.concept_weights[i]});
    }
    if (const auto& filter = request.filter; filter != search_filter{}) {
        asked.only = ids_from(co_await read_one<std::optional<std::vector<std::byte>>>(
            by,
            filter_query,
            caller,
            filter.tag,
            filter.author,
            filter.created_from,
            filter.created_before,
            filter.reel));
        const auto& only = *asked.only;
        co_await read_narrowed(caller, start.lexemes, only, asked.words, by);
        co_await read_narrowed(caller, request.concepts, only, asked.concepts, by);
    }
    co_return ranked_reels{.reels = rank_reels(asked), .cached = cached};
}

/// The newest postings of a frequent term may lack the filter's reels: reads those again.
template <class Term>
awaitable<void> reel_search::read_narrowed(
    account_id caller, const std::vector<Term>& terms, const std::vector<job_id>& only,
    std::vector<asked_term>& asked, deadline by) {
    const auto cut = cut_terms(terms, asked);
    if (cut.empty()) co_return;
    const auto& query = std::is_same_v<Term, std::string> ? words_query : concepts_query;
    const auto read = co_await read_all<term_postings<Term>>(by, query, caller, cut, only);
    for (const auto& [term, packed] : read) {
        const auto at = std::ranges::find(terms, term) - terms.begin();
        auto& narrowed = asked[static_cast<std::size_t>(at)];
        narrowed.postings_of_all = narrowed.postings->size();
        narrowed.postings = postings_from(packed);
    }
}

awaitable<std::vector<search_hit>> reel_search::find(
    account_id caller, search_request request, deadline by) {
    invariant(request.hits_max > 0);
    invariant(request.concepts.size() == request.concept_weights.size());
    const auto ranked = co_await rank(caller, request, by);

    hit_list hits{static_cast<std::size_t>(request.hits_max)};
    // Few reels have been deleted, and few posts have several analyses.
    constexpr std::size_t spare = 2;
    std::size_t count = hits.missing() + spare;
    for (std::span left{ranked.reels}; hits.missing() > 0 && !left.empty(); count *= 2) {
        const auto next = left.first(std::min(count, left.size()));
        left = left.subspan(next.size());
        // Details are not cached: tags change them, but not the version of the reels.
        auto reels = request.details ? found_reels{} : cached_reels(*ranked.cached, next);
        const auto missing = missing_reels(next, reels);
        if (!missing.empty()) {
            auto read =
                co_await read_all<found_reel>(by, reels_query, caller, missing, request.details);
            add_reels(std::move(read), missing, reels);
            if (!request.details) keep_reels(reels, missing, *ranked.cached);
        }
        for (const auto& [job, score] : next) hits.add(reels.at(job.value).get(), score);
    }
    cache_->make_room();
    co_return std::move(hits).take();
}

awaitable<bool> reel_search::has_all_words(
    account_id caller, job_id reel, std::string text, deadline by) {
    co_return co_await read_one<bool>(by, has_words_query, caller, reel, text);
}

awaitable<bool> reel_search::add_earlier_word_forms(deadline by) const {
    co_return co_await read_one<bool>(by, word_forms_query);
}

}  // namespace reelsd::jobs
