#include <reelsd/base/invariant.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>

namespace reelsd::jobs {
namespace {

// Both rankings weigh a posting by how rare its word or concept is among the account's own reels.
//
// Fusion: each ranking gives 8 / (8 + rank - 1), so that the first counts 1; 8 rather than the
// usual 60, which makes being listed twice count more than being listed first (measured: recall at
// 1 on reels found by meaning alone 0.70 and 0.43). The ranking by words counts by how much of the
// query the reel has: one chance word in five must not outrank a reel that means the same. Half the
// sum lies between 0 and 1.
//
// MATERIALIZED: each posting is read once, though counted and summed.
constexpr db::query search_query{"jobs.search", R"sql(
    WITH corpus AS MATERIALIZED (
        SELECT count(*)::double precision AS reels FROM search_document WHERE account_id = $1),
    asked_word AS MATERIALIZED (
        SELECT lexeme FROM unnest(to_tsvector('english', $2)) ORDER BY length(lexeme) DESC LIMIT 50),
    word_posting AS MATERIALIZED (
        SELECT posting.lexeme, posting.job_id, posting.weight
          FROM asked_word JOIN search_word AS posting
            ON posting.account_id = $1 AND posting.lexeme = asked_word.lexeme),
    word_rarity AS MATERIALIZED (
        SELECT asked_word.lexeme, ln(1 + (reels - seen + 0.5) / (seen + 0.5)) AS rarity
          FROM asked_word CROSS JOIN corpus CROSS JOIN LATERAL (
              SELECT count(*) AS seen FROM word_posting
               WHERE word_posting.lexeme = asked_word.lexeme) AS posted),
    by_words AS (
        SELECT job_id, sum(weight * rarity) AS score
          FROM word_posting JOIN word_rarity USING (lexeme)
         GROUP BY job_id ORDER BY score DESC, job_id DESC LIMIT 100),
    asked_concept AS MATERIALIZED (
        SELECT concept, weight FROM unnest($3::integer[], $4::real[]) AS part (concept, weight)),
    concept_posting AS MATERIALIZED (
        SELECT concept, posting.job_id, asked_concept.weight * posting.weight AS product
          FROM asked_concept JOIN search_concept AS posting USING (concept)
         WHERE posting.account_id = $1),
    concept_rarity AS MATERIALIZED (
        SELECT concept, ln(1 + reels / count(*)) AS rarity
          FROM concept_posting CROSS JOIN corpus GROUP BY concept, reels),
    by_concepts AS (
        SELECT job_id, sum(product * rarity) AS score
          FROM concept_posting JOIN concept_rarity USING (concept)
         GROUP BY job_id HAVING sum(product) > 0.04
         ORDER BY score DESC, job_id DESC LIMIT 100),
    fused AS (
        SELECT job_id, sum(share) / 2 AS score
          FROM (SELECT job_id,
                       least(1, score / (1.6 * (SELECT sum(rarity) FROM word_rarity)))
                           * 8 / (7 + rank() OVER (ORDER BY score DESC)) AS share
                  FROM by_words
                 UNION ALL
                SELECT job_id, 8.0 / (7 + rank() OVER (ORDER BY score DESC)) FROM by_concepts) AS shares
         GROUP BY job_id ORDER BY score DESC, job_id DESC LIMIT $5)
    SELECT job.id, job.url, job.code, job.author, job.summary, job.created_at,
           fused.score::double precision AS score, document.passages
      FROM fused
      JOIN job ON job.id = fused.job_id
      JOIN search_document AS document
        ON document.account_id = $1 AND document.job_id = fused.job_id
     ORDER BY fused.score DESC, fused.job_id DESC)sql"};

search_hit hit_from(const db::row& row) {
    return {
        .id = row.as<job_id>("id"),
        .url = row.as<std::string>("url"),
        .created_at = row.as<time_point>("created_at"),
        .brief =
            {.code = row.as<std::string>("code"),
             .author = row.as<std::string>("author"),
             .summary = row.as<std::string>("summary")},
        .score = row.as<double>("score"),
        .passages = row.as<std::string>("passages")};
}

}  // namespace

boost::asio::awaitable<std::vector<search_hit>> reel_search::find(
    account_id caller, search_request wanted, deadline by) {
    invariant(wanted.hits_max > 0);
    invariant(wanted.concepts.size() == wanted.concept_weights.size());
    const auto found = co_await pool_->run(
        by,
        search_query,
        caller,
        wanted.text,
        wanted.concepts,
        wanted.concept_weights,
        wanted.hits_max);
    co_return found.map(&hit_from);
}

}  // namespace reelsd::jobs
