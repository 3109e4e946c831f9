#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/searches/saved_search_store.hpp>

#include <fmt/format.h>

namespace reelsd::searches {

BOOST_DESCRIBE_STRUCT(saved_search, (), (id, name, query, author, min_score, created_at))
BOOST_DESCRIBE_STRUCT(pending_check, (), (reel, account))

namespace {

constexpr db::query list_query{"searches.list", R"sql(
    SELECT id, name, query, author, min_score, created_at
      FROM saved_search WHERE account_id = $1 ORDER BY id)sql"};

constexpr db::query add_query{"searches.add", R"sql(
    SELECT outcome, search_id, saved_at FROM add_saved_search($1, $2, $3, $4, $5, $6))sql"};

constexpr db::query remove_query{"searches.remove", R"sql(
    DELETE FROM saved_search WHERE id = $2 AND account_id = $1)sql"};

constexpr db::query claim_query{"searches.claim_checks", R"sql(
    WITH due AS (
        SELECT job_id FROM search_check WHERE due_at <= now()
         ORDER BY due_at, job_id LIMIT $1 FOR UPDATE SKIP LOCKED)
    UPDATE search_check AS claimed SET due_at = now() + make_interval(secs => $2)
      FROM due WHERE claimed.job_id = due.job_id
    RETURNING claimed.job_id AS reel, claimed.account_id AS account)sql"};

constexpr db::query finish_query{"searches.finish_check", R"sql(
    SELECT finish_search_check($1, $2, $3, $4) AS matches)sql"};

}  // namespace

awaitable<std::vector<saved_search>> saved_search_store::list(account_id owner, deadline by) {
    return read_all<saved_search>(by, list_query, owner);
}

awaitable<input<saved_search>> saved_search_store::add(
    account_id owner, saved_search added, deadline by) {
    const auto decided = co_await run(
        by, add_query, owner, searches_max, added.name, added.query, added.author, added.min_score);
    const auto row = decided.one();
    const auto outcome = row.as<std::string>("outcome");
    if (outcome == "too_many") {
        co_return request_error{
            error_reason::limit_saved_searches,
            fmt::format("limit of {} saved searches reached", searches_max)};
    }
    if (outcome == "name_in_use")
        co_return request_error{error_reason::name_in_use, "another saved search has this name"};
    added.id = row.as<search_id>("search_id");
    added.created_at = row.as<time_point>("saved_at");
    co_return added;
}

awaitable<bool> saved_search_store::remove(account_id owner, search_id id, deadline by) {
    return changed(by, remove_query, owner, id);
}

awaitable<std::vector<pending_check>> saved_search_store::claim(
    int checks_max, seconds_f lease, deadline by) {
    invariant(checks_max > 0);
    return read_all<pending_check>(by, claim_query, checks_max, lease);
}

awaitable<std::int32_t> saved_search_store::finish(
    job_id reel, std::vector<search_match> matches, deadline by) {
    return read_one<std::int32_t>(
        by,
        finish_query,
        reel,
        db::column(matches, &search_match::search),
        db::column(matches, &search_match::score),
        db::column(matches, &search_match::message));
}

}  // namespace reelsd::searches
