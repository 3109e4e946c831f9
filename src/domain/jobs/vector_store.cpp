#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/vector_store.hpp>

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(unembedded_reel, (), (job, claim, result))
BOOST_DESCRIBE_STRUCT(stored_vector, (), (job, vector))

namespace {

/// A reel that waits for longer was released before the clock was set back by at least an hour.
constexpr seconds_f clock_set_back_min = embedding_wait_max + std::chrono::hours{1};

// A name that was active before is not activated again, so that two daemons with different
// settings do not replace each other's vectors at each start.
constexpr db::query propose_query{"vectors.propose_embedder", R"sql(
    INSERT INTO embedder_generation (name)
    SELECT $1 WHERE NOT EXISTS (SELECT FROM embedder_generation WHERE name = $1)
    ON CONFLICT DO NOTHING)sql"};

constexpr db::query make_active_query{"vectors.put_embedder_in_force", R"sql(
    INSERT INTO embedder_generation (name) VALUES ($1)
    ON CONFLICT (name) DO UPDATE SET generation = DEFAULT, in_force_since = now())sql"};

// The window's size (backlog_window) is part of the text: of a parameter the planner would expect
// a tenth of the table. Each branch is one range of the index (embedder, job_id DESC); the first
// orders by a column of nulls because IS NULL is no equality to the planner. What follows goes by
// the rows' places: a join would read the whole table under a plan that was made while it was
// empty. A time more than $6 ahead was written before the clock was set back.
constexpr db::query claim_vectors_query{"vectors.claim", R"sql(
    WITH activation AS MATERIALIZED (
        SELECT name = $1 AS is_in_force FROM embedder_generation
         ORDER BY generation DESC LIMIT 1),
    looked_at AS MATERIALIZED (
        (SELECT ctid AS place, account_id, job_id, embed_after FROM search_document
          WHERE $2::text IS NULL AND embedder IS NULL AND job_id < $3
          ORDER BY embedder, job_id DESC LIMIT 24)
         UNION ALL
        (SELECT ctid AS place, account_id, job_id, embed_after FROM search_document
          WHERE embedder = $2 AND job_id < $3
          ORDER BY embedder, job_id DESC LIMIT 24)),
    due AS MATERIALIZED (
        SELECT place, account_id, job_id FROM looked_at
         WHERE (SELECT is_in_force FROM activation)
           AND (embed_after <= now() OR embed_after > now() + make_interval(secs => $6))
           AND account_id <> ALL ($5::bigint[])),
    taken AS MATERIALIZED (
        SELECT ctid AS place FROM search_document
         WHERE ctid = ANY (ARRAY(
               SELECT place FROM due
                WHERE account_id = (SELECT account_id FROM due ORDER BY job_id DESC LIMIT 1)))
           AND (embed_after <= now() OR embed_after > now() + make_interval(secs => $6))
           FOR UPDATE SKIP LOCKED),
    claimed AS (
        UPDATE search_document
           SET embed_after = now() + make_interval(secs => $4), embed_claim = embed_claim + 1
         WHERE ctid = ANY (ARRAY(SELECT place FROM taken))
        RETURNING account_id, job_id, embed_claim)
    SELECT coalesce((SELECT is_in_force FROM activation), false) AS is_in_force,
           (SELECT count(*) FROM looked_at) AS looked_at,
           (SELECT min(job_id) FROM looked_at) AS last_id,
           (SELECT count(*) FROM due) AS due,
           claimed.account_id, claimed.job_id AS job, claimed.embed_claim AS claim,
           (SELECT job.result FROM job
             WHERE job.account_id = claimed.account_id AND job.id = claimed.job_id) AS result
      FROM (SELECT) AS one LEFT JOIN claimed ON true
     ORDER BY claimed.job_id DESC)sql"};

// Two probes of the index, because a single one would read all vectors of `own`.
constexpr db::query next_other_query{"vectors.next_other_embedder", R"sql(
    SELECT embedder
      FROM ((SELECT embedder FROM search_document
              WHERE embedder > coalesce($1, '') AND embedder < $2 ORDER BY embedder LIMIT 1)
             UNION ALL
            (SELECT embedder FROM search_document
              WHERE embedder > greatest(coalesce($1, ''), $2) ORDER BY embedder LIMIT 1)) AS other
     ORDER BY embedder LIMIT 1)sql"};

constexpr db::query store_query{"vectors.store", R"sql(
    UPDATE search_document
       SET embedder = $4, vector = $5, embed_after = '-infinity', embed_claim = embed_claim + 1
     WHERE account_id = $1 AND job_id = $2 AND embed_claim = $3)sql"};

constexpr db::query release_query{"vectors.release", R"sql(
    UPDATE search_document AS document
       SET embed_after = now() + make_interval(secs => $4), embed_claim = document.embed_claim + 1
      FROM unnest($2::bigint[], $3::bigint[]) AS held (job_id, claim)
     WHERE document.account_id = $1 AND document.job_id = held.job_id
       AND document.embed_claim = held.claim)sql"};

// In this form, not by the index on embedders, which is led by no account: docs/adr/0025.
constexpr db::query load_query{"vectors.load", R"sql(
    SELECT job_id AS job, vector FROM search_document
     WHERE account_id = ANY (ARRAY[$1::bigint]) AND job_id < $3 AND embedder = $2
     ORDER BY account_id DESC, job_id DESC LIMIT $4)sql"};

}  // namespace

std::vector<stored_vector> vector_page::decode() const {
    return rows_.map(&db::row::to<stored_vector>);
}

awaitable<void> vector_store::propose(std::string embedder, deadline by) {
    return execute(by, propose_query, embedder);
}

awaitable<void> vector_store::make_active(std::string embedder, deadline by) {
    return execute(by, make_active_query, embedder);
}

awaitable<embedding_claim> vector_store::claim(embedding_claim_request request, deadline by) {
    const auto answer = co_await run(
        by,
        claim_vectors_query,
        request.embedder,
        request.at.embedder,
        request.at.before,
        request.lease,
        request.skipped_accounts,
        clock_set_back_min);
    const auto first = answer[0];
    embedding_claim claimed{.is_in_force = first.as<bool>("is_in_force"), .account = {}};
    if (!first.is_null("job")) {
        claimed.account = first.as<account_id>("account_id");
        claimed.reels = answer.map(&db::row::to<unembedded_reel>);
    }
    // While due reels of other accounts are left, the next claim searches the same window. If no
    // due reel could be claimed, another claim has locked them.
    const bool is_left =
        !claimed.reels.empty() &&
        first.as<std::int64_t>("due") > static_cast<std::int64_t>(claimed.reels.size());
    if (is_left) {
        claimed.next_before = request.at.before;
    } else if (first.as<std::int64_t>("looked_at") == backlog_window) {
        claimed.next_before = first.as<job_id>("last_id");
    }
    co_return claimed;
}

awaitable<std::optional<std::string>> vector_store::next_other_embedder(
    std::optional<std::string> after, std::string own, deadline by) {
    return read_optional<std::string>(by, next_other_query, after, own);
}

awaitable<bool> vector_store::store(
    account_id account, const unembedded_reel& reel, std::string embedder,
    std::vector<std::byte> vector, deadline by) {
    return changed(by, store_query, account, reel.job, reel.claim, embedder, vector);
}

awaitable<void> vector_store::release(
    account_id account, const std::vector<unembedded_reel>& reels, seconds_f wait, deadline by) {
    return execute(
        by,
        release_query,
        account,
        db::column(reels, &unembedded_reel::job),
        db::column(reels, &unembedded_reel::claim),
        wait);
}

awaitable<vector_page> vector_store::load(
    account_id account, std::string embedder, job_id before, int vectors_max, deadline by) {
    invariant(vectors_max > 0);
    auto found = co_await run(by, load_query, account, embedder, before, vectors_max);
    co_return vector_page{std::move(found)};
}

}  // namespace reelsd::jobs
