#pragma once

#include "job_store_fixture.hpp"
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/retention/retention_store.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::retention {

inline constexpr db::query add_ended_query{"test.add_ended", R"sql(
    INSERT INTO job (account_id, url, status, created_at, started_at, finished_at, result, code,
                     author, summary, analyzed_at)
    SELECT $1, 'https://www.instagram.com/reel/DYa0IXPgnP5/', 'done', moment, moment, moment,
           ('{"visual":' || E'\n' || '{"description":"x"}}')::json, 'DYa0IXPgnP5', 'ann',
           'About', moment
      FROM (SELECT now() - make_interval(secs => $2) AS moment) AS ended, generate_series(1, $3)
    RETURNING id)sql"};
inline constexpr db::query add_calls_query{"test.add_calls", R"sql(
    INSERT INTO model_call (account_id, job_id, number, provider, model, cost_usd, called_at)
    SELECT $1, $2, number, 'gemini', 'flash', 0.25, now() - make_interval(days => $3)
      FROM generate_series(1, $4) AS number)sql"};
inline constexpr db::query hang_on_query{"test.hang_on", R"sql(
    WITH document AS (
        INSERT INTO search_document (account_id, job_id, passages) VALUES ($1, $2, 'x')),
    picture AS (
        INSERT INTO reel_thumbnail (account_id, job_id, jpeg) VALUES ($1, $2, '\xffd8ffd9'))
    INSERT INTO webhook_delivery (account_id, job_id, url, state, ended_at, status_code)
    VALUES ($1, $2, 'https://receiver.test/', 'delivered', now(), 200))sql"};
inline constexpr db::query left_of_query{"test.left_of", R"sql(
    SELECT (SELECT count(*) FROM search_document WHERE account_id = $1)
         + (SELECT count(*) FROM reel_thumbnail WHERE account_id = $1)
         + (SELECT count(*) FROM webhook_delivery WHERE account_id = $1)
         + (SELECT count(*) FROM webhook_default WHERE account_id = $1)
         + (SELECT count(*) FROM webhook_secret WHERE account_id = $1)
         + (SELECT count(*) FROM submission_key WHERE account_id = $1)
         + (SELECT count(*) FROM linked_chat WHERE account_id = $1)
         + (SELECT count(*) FROM chat_code WHERE account_id = $1)
         + (SELECT count(*) FROM chat_message WHERE account_id = $1)
         + (SELECT count(*) FROM invitation WHERE account_id = $1)
         + (SELECT count(*) FROM web_session WHERE account_id = $1)
         + (SELECT count(*) FROM job WHERE account_id = $1)
         + (SELECT count(*) FROM model_call WHERE account_id = $1)
         + (SELECT count(*) FROM api_token WHERE account_id = $1)
         + (SELECT count(*) FROM deleted_job WHERE account_id = $1) AS rows)sql"};
inline constexpr db::query end_turns_query{"test.end_turns", R"sql(
    UPDATE maintenance_turn SET held_until = now())sql"};

inline constexpr double day = 86'400;
inline constexpr seconds_f kept_a_day{day};

/// Accounts with expired data, and the steps that remove it.
class retention_test : public jobs::job_store_test {
protected:
    std::vector<job_id> ended(account_id owner, double seconds_ago, int number = 1) {
        const auto made = run(pool().run(soon(), add_ended_query, owner, seconds_ago, number));
        return made.map([](const db::row& row) { return row.as<job_id>("id"); });
    }
    std::int64_t number_in(const db::query& what, std::string_view column) {
        const auto found = run(pool().run(soon(), what));
        return found.one().as<std::int64_t>(column);
    }
    void execute(const db::query& what) { run(pool().run(soon(), what)); }
    std::optional<expiry_step> expire(
        kind what, int most, std::optional<position> after = {}, std::string who = "one") {
        return expire_at(now(), what, most, after, std::move(who));
    }
    /// A step of a caller whose clock shows `caller_time`.
    std::optional<expiry_step> expire_at(
        time_point caller_time, kind what, int most, std::optional<position> after = {},
        std::string who = "one") {
        const expiry_bounds bounds{.kept = kept_a_day, .now = caller_time};
        return run(retention_.expire(what, std::move(who), bounds, after, most, soon()));
    }
    static time_point now() {
        return std::chrono::time_point_cast<time_point::duration>(std::chrono::system_clock::now());
    }
    bool is_there(account_id owner, job_id id) {
        return run(store_.find(owner, id, soon())).has_value();
    }
    std::int64_t left_of(account_id owner) {
        const auto counted = run(pool().run(soon(), left_of_query, owner));
        return counted.one().as<std::int64_t>("rows");
    }
    /// Steps of this many rows, until the account is gone.
    int erased(account_id leaver, int most) {
        for (int steps = 1; steps < 1000; ++steps) {
            const auto step = run(retention_.erase("one", leaver, most, soon()));
            EXPECT_TRUE(step && step->account == leaver);
            if (step->is_gone) return steps;
        }
        ADD_FAILURE() << "it never ends";
        return 0;
    }

    retention_store retention_{pool()};
};

}  // namespace reelsd::retention
