#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(
    search_hit, (), (id, url, created_at, brief, details, score, passages, frames))

namespace {

// Both rankings weight a posting by the rarity of its word or concept among the account's reels,
// and read the rarest first, up to 3,000 postings of words and 4,000 of concepts. This bounds the
// time of a search in any account. Later ones, and those in 1,000 reels or more, discriminate badly
// and are skipped, unless there are no others.
//
// Fusion: each ranking gives 8 / (7 + rank), so that the first counts 1. With the usual 60, being
// listed twice counts more than being listed first (measured: the right reel is first in 70 % with
// 8 and in 43 % with 60, of searches that share no word with it). The ranking by words is scaled by
// the share of the query that the reel has: one chance word in five must not outrank a reel of the
// same meaning. The score is the mean of the two or three rankings, from 0 to 1.
//
// Several analyses of a post are one hit: the one that matches best, of equal ones the newest.
constexpr db::query search_query{"jobs.search", R"sql(
    WITH corpus AS MATERIALIZED (
        SELECT count(*)::double precision AS reels
          FROM (SELECT FROM search_document WHERE account_id = $1 LIMIT 5000) AS document),
    asked_word AS MATERIALIZED (
        SELECT token.lexeme, seen, ln(1 + (reels + 0.5) / (seen + 0.5)) AS rarity,
               sum(seen) OVER (ORDER BY seen, token.lexeme) AS postings
          FROM corpus,
               (SELECT lexeme FROM unnest(to_tsvector('english', $2))
                 ORDER BY length(lexeme) DESC LIMIT 50) AS token,
               LATERAL (SELECT count(*) AS seen FROM (
                   SELECT FROM search_word
                    WHERE account_id = $1 AND search_word.lexeme = token.lexeme
                    LIMIT 1000) AS posting) AS posted),
    by_words AS (
        SELECT posting.job_id, sum(posting.weight * asked_word.rarity) AS score
          FROM asked_word JOIN search_word AS posting
            ON posting.account_id = $1 AND posting.lexeme = asked_word.lexeme
         WHERE (asked_word.postings = seen OR (seen < 1000 AND asked_word.postings <= 3000))
           AND ($7::text IS NULL OR posting.job_id = ANY (ARRAY(
               SELECT job_id FROM reel_tag WHERE account_id = $1 AND tag = $7)))
         GROUP BY posting.job_id ORDER BY score DESC, posting.job_id DESC LIMIT 100),
    asked_concept AS MATERIALIZED (
        SELECT part.concept, part.weight, seen, ln(1 + reels / greatest(seen, 1)) AS rarity,
               sum(seen) OVER (ORDER BY seen, part.concept) AS postings
          FROM corpus,
               unnest($3::integer[], $4::real[]) AS part (concept, weight),
               LATERAL (SELECT count(*) AS seen FROM (
                   SELECT FROM search_concept
                    WHERE account_id = $1 AND search_concept.concept = part.concept
                    LIMIT 1000) AS posting) AS posted),
    by_concepts AS (
        SELECT posting.job_id,
               sum(posting.weight * asked_concept.weight * asked_concept.rarity) AS score
          FROM asked_concept JOIN search_concept AS posting
            ON posting.account_id = $1 AND posting.concept = asked_concept.concept
         WHERE (asked_concept.postings = seen
                OR (seen < 1000 AND asked_concept.postings <= 4000))
           AND ($7::text IS NULL OR posting.job_id = ANY (ARRAY(
               SELECT job_id FROM reel_tag WHERE account_id = $1 AND tag = $7)))
         GROUP BY posting.job_id
        HAVING sum(posting.weight * asked_concept.weight) > 0.03
         ORDER BY score DESC, posting.job_id DESC LIMIT 100),
    by_vectors AS (
        SELECT near.job_id, near.place
          FROM unnest($6::bigint[]) WITH ORDINALITY AS near (job_id, place)
          JOIN search_document AS document
            ON document.account_id = $1 AND document.job_id = near.job_id
         WHERE $7::text IS NULL OR near.job_id = ANY (ARRAY(
               SELECT job_id FROM reel_tag WHERE account_id = $1 AND tag = $7))),
    fused AS (
        SELECT job_id, sum(share) / (CASE WHEN cardinality($6::bigint[]) > 0 THEN 3 ELSE 2 END)
                   AS score
          FROM (SELECT job_id,
                       least(1, score / (1.6 * (SELECT sum(rarity) FROM asked_word)))
                           * 8 / (7 + rank() OVER (ORDER BY score DESC)) AS share
                  FROM by_words
                 UNION ALL
                SELECT job_id, 8.0 / (7 + rank() OVER (ORDER BY score DESC)) FROM by_concepts
                 UNION ALL
                SELECT job_id, 8.0 / (7 + place) FROM by_vectors)
               AS shares
         GROUP BY job_id),
    best_of_post AS (
        -- LIMIT: as a join, the planner would scan the whole table for at most 300 rows.
        SELECT DISTINCT ON (post) analysis.id AS job_id, fused.score
          FROM fused,
               LATERAL (SELECT id, coalesce(post_of(job), 'job ' || id) AS post
                          FROM job WHERE id = fused.job_id LIMIT 1) AS analysis
         ORDER BY post, fused.score DESC, analysis.id DESC),
    hit AS (
        SELECT job_id, score FROM best_of_post ORDER BY score DESC, job_id DESC LIMIT $5)
    SELECT job.id, job.url, job.code, job.author, job.summary, job.created_at,
           CASE WHEN $8 THEN list_details_of(job) END AS details,
           hit.score::double precision AS score, document.passages,
           (SELECT CASE WHEN count(*) = max(number) + 1 THEN count(*) ELSE 0 END
              FROM reel_frame WHERE job_id = hit.job_id)::integer AS frames
      FROM hit
      JOIN job ON job.id = hit.job_id
      JOIN search_document AS document
        ON document.account_id = $1 AND document.job_id = hit.job_id
     ORDER BY hit.score DESC, hit.job_id DESC)sql"};

}  // namespace

awaitable<std::vector<search_hit>> reel_search::find(
    account_id caller, search_request request, deadline by) {
    invariant(request.hits_max > 0);
    invariant(request.concepts.size() == request.concept_weights.size());
    return read_all<search_hit>(
        by,
        search_query,
        caller,
        request.text,
        request.concepts,
        request.concept_weights,
        request.hits_max,
        request.near,
        request.tag,
        request.details);
}

}  // namespace reelsd::jobs
