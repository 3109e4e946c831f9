#include <reelsd/base/invariant.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/vector_store.hpp>

namespace reelsd::jobs {
namespace {

// Three ranges of the index, so that a look past ten thousand finished reels costs nothing. Nobody
// puts a reel off for an hour: who seems to have, has by a clock that was set back since.
constexpr db::query claim_query{"vectors.claim", R"sql(
    WITH missing AS (
        SELECT account_id, job_id
          FROM (SELECT account_id, job_id, embed_after FROM search_document WHERE embedder IS NULL
                 UNION ALL
                SELECT account_id, job_id, embed_after FROM search_document WHERE embedder < $1
                 UNION ALL
                SELECT account_id, job_id, embed_after FROM search_document WHERE embedder > $1)
               AS unembedded
         WHERE embed_after <= now() OR embed_after > now() + interval '1 hour'
         ORDER BY job_id DESC LIMIT $2),
    taken AS (
        SELECT document.account_id, document.job_id
          FROM search_document AS document JOIN missing USING (account_id, job_id)
         WHERE document.embed_after <= now()
            OR document.embed_after > now() + interval '1 hour'
           FOR UPDATE OF document SKIP LOCKED)
    UPDATE search_document AS document
       SET embed_after = now() + make_interval(secs => $3)
      FROM taken JOIN job ON job.id = taken.job_id
     WHERE document.account_id = taken.account_id AND document.job_id = taken.job_id
       AND job.status = 'done'
    RETURNING document.account_id, document.job_id, job.result)sql"};

constexpr db::query store_query{"vectors.store", R"sql(
    UPDATE search_document SET embedder = $3, vector = $4, embed_after = '-infinity'
     WHERE account_id = $1 AND job_id = $2)sql"};

constexpr db::query put_off_query{"vectors.put_off", R"sql(
    UPDATE search_document SET embed_after = now() + make_interval(secs => $2)
     WHERE job_id = ANY($1::bigint[]))sql"};

constexpr db::query load_query{"vectors.load", R"sql(
    SELECT job_id, vector FROM search_document
     WHERE account_id = $1 AND embedder = $2
     ORDER BY job_id DESC LIMIT $3)sql"};

}  // namespace

boost::asio::awaitable<std::vector<unembedded_reel>> vector_store::claim(
    std::string embedder, int reels_max, seconds_f lease, deadline by) {
    invariant(reels_max > 0);
    const auto claimed = co_await pool_->run(by, claim_query, embedder, reels_max, lease.count());
    co_return claimed.map([](const db::row& row) {
        return unembedded_reel{
            .account = row.as<account_id>("account_id"),
            .job = row.as<job_id>("job_id"),
            .result = row.as<std::string>("result")};
    });
}

boost::asio::awaitable<void> vector_store::store(
    account_id account, job_id job, std::string embedder, std::vector<std::byte> vector,
    deadline by) {
    co_await pool_->run(by, store_query, account, job, embedder, vector);
}

boost::asio::awaitable<void> vector_store::put_off(
    std::vector<job_id> jobs, seconds_f wait, deadline by) {
    co_await pool_->run(by, put_off_query, jobs, wait.count());
}

boost::asio::awaitable<std::vector<stored_vector>> vector_store::load(
    account_id account, std::string embedder, int vectors_max, deadline by) {
    const auto found = co_await pool_->run(by, load_query, account, embedder, vectors_max);
    co_return found.map([](const db::row& row) {
        return stored_vector{
            .job = row.as<job_id>("job_id"), .vector = row.as<std::vector<std::byte>>("vector")};
    });
}

}  // namespace reelsd::jobs
