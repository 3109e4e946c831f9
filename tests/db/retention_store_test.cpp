// Goal: what has expired goes in small steps, one daemon at a time, and nothing goes that is still
// needed; an account that leaves is powerless at once, and gone when its last step has been made.
#include "job_store_fixture.hpp"
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/accounts/session_store.hpp>
#include <reelsd/domain/exports/account_export.hpp>
#include <reelsd/domain/retention/retention_store.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <sstream>

namespace reelsd::retention {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr db::query add_ended_query{"test.add_ended", R"sql(
    INSERT INTO job (account_id, url, status, created_at, started_at, finished_at, result, code,
                     author, summary, analyzed_at)
    SELECT $1, 'https://www.instagram.com/reel/DYa0IXPgnP5/', 'done', moment, moment, moment,
           ('{"visual":' || E'\n' || '{"description":"x"}}')::json, 'DYa0IXPgnP5', 'ann',
           'About', moment
      FROM (SELECT now() - make_interval(secs => $2) AS moment) AS ended, generate_series(1, $3)
    RETURNING id)sql"};
constexpr db::query add_calls_query{"test.add_calls", R"sql(
    INSERT INTO model_call (account_id, job_id, number, provider, model, cost_usd, called_at)
    SELECT $1, $2, number, 'gemini', 'flash', 0.25, now() - make_interval(days => $3)
      FROM generate_series(1, $4) AS number)sql"};
constexpr db::query add_lost_call_query{"test.add_lost_call", R"sql(
    INSERT INTO model_call (account_id, job_id, number, claim, provider, model, settled_at,
                            called_at)
    VALUES ($1, $2, 9, 1, 'gemini', 'flash', NULL, now() - interval '90 days'))sql"};
constexpr db::query hang_on_query{"test.hang_on", R"sql(
    WITH document AS (
        INSERT INTO search_document (account_id, job_id, passages) VALUES ($1, $2, 'x')),
    picture AS (
        INSERT INTO reel_thumbnail (account_id, job_id, jpeg) VALUES ($1, $2, '\xffd8ffd9'))
    INSERT INTO webhook_delivery (account_id, job_id, url, state, ended_at, status_code)
    VALUES ($1, $2, 'https://receiver.test/', 'delivered', now(), 200))sql"};
constexpr db::query left_of_query{"test.left_of", R"sql(
    SELECT (SELECT count(*) FROM search_document WHERE account_id = $1)
         + (SELECT count(*) FROM reel_thumbnail WHERE account_id = $1)
         + (SELECT count(*) FROM webhook_delivery WHERE account_id = $1)
         + (SELECT count(*) FROM job WHERE account_id = $1)
         + (SELECT count(*) FROM model_call WHERE account_id = $1)
         + (SELECT count(*) FROM api_token WHERE account_id = $1)
         + (SELECT count(*) FROM deleted_job WHERE account_id = $1) AS rows)sql"};
constexpr db::query add_delivery_query{"test.add_delivery", R"sql(
    INSERT INTO webhook_delivery (account_id, job_id, url) VALUES ($1, $2, 'https://r.test/'))sql"};
constexpr db::query add_key_query{"test.add_key", R"sql(
    INSERT INTO idempotency_key (account_id, key, job_id, created_at)
    VALUES ($1, 'key-' || $2::bigint, $2, now() - make_interval(hours => $3)))sql"};
constexpr db::query end_turns_query{"test.end_turns", R"sql(
    UPDATE upkeep_turn SET held_until = now())sql"};
constexpr db::query set_clock_back_query{"test.set_clock_back", R"sql(
    UPDATE upkeep_turn SET held_until = now() + interval '3 hours')sql"};
constexpr db::query make_administrator_query{"test.make_administrator", R"sql(
    UPDATE account SET is_admin = true, password_hash = 'hash of ' || id WHERE id = $1)sql"};

constexpr db::query lock_query{"test.lock", "SELECT pg_advisory_lock(7)"};
constexpr db::query unlock_query{"test.unlock", "SELECT pg_advisory_unlock(7)"};
/// Stands at the job's row until the lock is free.
constexpr db::query stand_query{"test.stand", R"sql(
    SELECT pg_advisory_xact_lock_shared(7)
      FROM (SELECT id FROM job WHERE id = $1 FOR UPDATE) AS held)sql"};
constexpr db::query standing_query{"test.standing", R"sql(
    SELECT count(*) AS many FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)sql"};

constexpr double day = 86'400;
constexpr seconds_f kept_a_day{day};

class RetentionStore : public jobs::job_store_test {
protected:
    std::vector<job_id> ended(account_id owner, double seconds_ago, int number = 1) {
        const auto made = run(pool().run(soon(), add_ended_query, owner, seconds_ago, number));
        return made.map([](const db::row& row) { return row.as<job_id>("id"); });
    }
    [[nodiscard]] db::pool_options one_connection() const {
        db::pool_options options;
        options.connection_string = connection_string();
        options.connections = 1;
        return options;
    }
    std::int64_t number_in(const db::query& what, std::string_view column) {
        const auto found = run(pool().run(soon(), what));
        return found.one().as<std::int64_t>(column);
    }
    void execute(const db::query& what) { run(pool().run(soon(), what)); }
    std::optional<expiry_step> expire(
        kind what, int most, std::optional<position> after = {}, std::string who = "one") {
        return run(retention_.expire(what, std::move(who), kept_a_day, after, most, soon()));
    }
    bool is_there(account_id owner, job_id id) {
        return run(store_.find(owner, id, soon())).has_value();
    }
    std::int64_t left_of(account_id owner) {
        const auto counted = run(pool().run(soon(), left_of_query, owner));
        return counted.one().as<std::int64_t>("rows");
    }
    /// Steps of so many rows, until the account is gone.
    int erased(account_id leaver, int most) {
        for (int steps = 1; steps < 1000; ++steps) {
            const auto step = run(retention_.erase("one", most, soon()));
            EXPECT_TRUE(step && step->account == leaver);
            if (step->is_gone) return steps;
        }
        ADD_FAILURE() << "it never ends";
        return 0;
    }

    retention_store retention_{pool()};
};

TEST_F(RetentionStore, RemovesTheOldestFirstUpToABound) {
    const auto older = ended(ann_, 3 * day, 2);
    const auto old = ended(bob_, 2 * day, 2);
    const auto young = ended(ann_, day / 2).front();
    const auto waiting = submitted(ann_);

    const auto first = expire(kind::results, 3);
    EXPECT_EQ(first->looked, 3);
    EXPECT_EQ(first->removed, 3);
    EXPECT_FALSE(is_there(ann_, older[0]));
    EXPECT_FALSE(is_there(ann_, older[1]));
    EXPECT_NE(is_there(bob_, old[0]), is_there(bob_, old[1]));

    const auto second = expire(kind::results, 3, first->next);
    EXPECT_EQ(second->looked, 1);
    EXPECT_EQ(second->removed, 1);
    EXPECT_EQ(expire(kind::results, 3, second->next)->looked, 0);
    EXPECT_TRUE(is_there(ann_, young));
    EXPECT_TRUE(is_there(ann_, waiting));
}

TEST_F(RetentionStore, WhatHangsOnAJobGoesWithIt) {
    const auto job = ended(ann_, 2 * day).front();
    run(pool().run(soon(), hang_on_query, ann_, job));
    EXPECT_EQ(left_of(ann_), 4);
    EXPECT_EQ(expire(kind::results, 10)->removed, 1);
    EXPECT_EQ(left_of(ann_), 1) << "the note that it was deleted";
}

TEST_F(RetentionStore, KeepsWhatAKeyOrAWebhookStillNeeds) {
    const auto told_later = ended(ann_, 2 * day).front();
    const auto repeatable = ended(ann_, 2 * day).front();
    const auto forgotten = ended(ann_, 2 * day).front();
    run(pool().run(soon(), add_delivery_query, ann_, told_later));
    run(pool().run(soon(), add_key_query, ann_, repeatable, 23));
    run(pool().run(soon(), add_key_query, ann_, forgotten, 25));

    const auto step = expire(kind::results, 10);
    EXPECT_EQ(step->looked, 3);
    EXPECT_EQ(step->removed, 1);
    EXPECT_TRUE(is_there(ann_, told_later));
    EXPECT_TRUE(is_there(ann_, repeatable));
    EXPECT_FALSE(is_there(ann_, forgotten));
}

TEST_F(RetentionStore, OneDaemonAtATimeAndAnotherWhenItIsSilent) {
    ended(ann_, 2 * day, 3);
    EXPECT_TRUE(expire(kind::results, 1, {}, "one"));
    EXPECT_FALSE(expire(kind::results, 1, {}, "other"));
    EXPECT_TRUE(expire(kind::results, 1, {}, "one"));
    execute(end_turns_query);
    EXPECT_TRUE(expire(kind::results, 1, {}, "other"));
    EXPECT_FALSE(expire(kind::results, 1, {}, "one"));
    execute(set_clock_back_query);
    EXPECT_TRUE(expire(kind::results, 1, {}, "one"));
}

TEST_F(RetentionStore, PassesOverWhatSomebodyElseIsAt) {
    const auto jobs = ended(ann_, 2 * day, 2);
    // Two connections of their own: one keeps the gate shut at which the other stands with the row.
    db::pool gate{loop().context().get_executor(), one_connection(), log::logger::silent()};
    db::pool holder{loop().context().get_executor(), one_connection(), log::logger::silent()};
    gate.start();
    holder.start();
    run(gate.run(soon(), lock_query));
    auto stands = asio::co_spawn(
        loop().context(), holder.run(soon(), stand_query, jobs[0]), asio::use_future);
    while (number_in(standing_query, "many") == 0) {
    }
    const auto step = expire(kind::results, 10);
    EXPECT_EQ(step->looked, 2);
    EXPECT_EQ(step->removed, 1);
    EXPECT_TRUE(is_there(ann_, jobs[0]));
    run(gate.run(soon(), unlock_query));
    loop().wait_for(stands);
    EXPECT_EQ(expire(kind::results, 10)->removed, 1);
}

TEST_F(RetentionStore, CallsGoButForThisMonthAndJobsInWork) {
    const auto busy = submitted(ann_);
    run(pool().run(soon(), add_calls_query, ann_, busy, 90, 2));
    run(pool().run(soon(), add_calls_query, ann_, job_id{1'000'000}, 90, 3));
    run(pool().run(soon(), add_calls_query, ann_, job_id{1'000'001}, 0, 1));

    const auto step = expire(kind::usage, 100);
    EXPECT_EQ(step->looked, 5);
    EXPECT_EQ(step->removed, 3);
    EXPECT_EQ(run(retention_.look_at(ann_, soon())).calls, 3);
}

TEST_F(RetentionStore, TotalsOfModelsNeverFall) {
    run(pool().run(soon(), add_calls_query, ann_, job_id{1'000'000}, 90, 3));
    run(pool().run(soon(), add_lost_call_query, ann_, job_id{1'000'000}));
    usage::call_ledger_store ledger{pool()};
    const auto before = run(ledger.totals(soon())).at(0);
    EXPECT_EQ(expire(kind::usage, 100)->removed, 4);
    const auto after = run(ledger.totals(soon())).at(0);
    EXPECT_EQ(after.calls, before.calls);
    EXPECT_EQ(after.unpriced_calls, before.unpriced_calls);
    EXPECT_EQ(after.cost_usd, before.cost_usd);
}

TEST_F(RetentionStore, TellsWhatIsOverdue) {
    EXPECT_FALSE(run(retention_.look_at_backlog(kept_a_day, kept_a_day, soon())).results_overdue);
    ended(ann_, 2 * day);
    const auto now = run(retention_.look_at_backlog(kept_a_day, kept_a_day, soon()));
    EXPECT_NEAR(now.results_overdue.value_or(seconds_f{0}).count(), day, 120);
    EXPECT_FALSE(
        run(retention_.look_at_backlog(seconds_f{0}, seconds_f{0}, soon())).results_overdue);
}

TEST_F(RetentionStore, ALeaverIsPowerlessAtOnceAndGoneInTheEnd) {
    accounts::account_store accounts{pool()};
    ASSERT_TRUE(run(accounts.create_token(ann_, "laptop", soon())));
    ended(ann_, 1, 5);
    const auto busy = submitted(ann_);
    run(pool().run(soon(), add_calls_query, ann_, busy, 1, 25));
    const auto of_bob = ended(bob_, 1).front();

    ASSERT_TRUE(run(retention_.begin_erasure(ann_, std::nullopt, soon())));
    EXPECT_THAT(run(accounts.tokens(ann_, soon())), IsEmpty());
    const auto leaver = run(accounts.list(ann_, soon())).at(0);
    EXPECT_TRUE(leaver.leaving_at && leaver.disabled_at);
    EXPECT_FALSE(run(accounts.change(ann_, {.disabled = false}, soon())))
        << "nobody brings it back";
    EXPECT_FALSE(run(accounts.create("ann@example.com", accounts::role::member, soon())));

    const auto first = run(retention_.erase("one", 2, soon()));
    EXPECT_EQ(first->removed_jobs, 1);
    EXPECT_FALSE(is_there(ann_, busy)) << "what is in work is stopped first";
    EXPECT_FALSE(run(retention_.erase("other", 2, soon()))) << "it is not its turn";
    execute(end_turns_query);  // The first one has died.
    EXPECT_TRUE(run(retention_.erase("other", 2, soon())));
    execute(end_turns_query);
    EXPECT_GT(erased(ann_, 2), 3);
    EXPECT_EQ(left_of(ann_), 0);
    EXPECT_TRUE(is_there(bob_, of_bob));
    EXPECT_TRUE(run(accounts.create("ann@example.com", accounts::role::member, soon())));
    EXPECT_FALSE(run(retention_.erase("one", 2, soon()))->account) << "nobody is leaving any more";
}

TEST_F(RetentionStore, TheLastAdministratorStays) {
    run(pool().run(soon(), make_administrator_query, ann_));
    const auto refused = run(retention_.begin_erasure(ann_, std::nullopt, soon()));
    EXPECT_EQ(refused.error().code(), errc::conflict);
    run(pool().run(soon(), make_administrator_query, bob_));
    EXPECT_TRUE(run(retention_.begin_erasure(ann_, std::nullopt, soon())));
    EXPECT_EQ(
        run(retention_.begin_erasure(bob_, std::nullopt, soon())).error().code(), errc::conflict);
    EXPECT_EQ(
        run(retention_.begin_erasure(account_id{77}, std::nullopt, soon())).error().code(),
        errc::not_found);
}

TEST_F(RetentionStore, AnOwnersWishNeedsThePasswordOfNow) {
    run(pool().run(soon(), make_administrator_query, ann_));
    run(pool().run(soon(), make_administrator_query, bob_));
    const auto known = "hash of " + std::to_string(ann_.value);
    EXPECT_EQ(
        run(retention_.begin_erasure(ann_, "an older hash", soon())).error().code(),
        errc::conflict);
    EXPECT_TRUE(run(retention_.begin_erasure(ann_, known, soon())));
}

class AccountExport : public RetentionStore {
protected:
    struct line_counts {
        std::map<std::string, int> of_type;
        std::vector<nlohmann::json> lines;
    };
    line_counts exported(
        account_id owner, const std::function<void()>& between_pages = [] {}) {
        line_counts all;
        exports::account_export pages{pool(), owner};
        while (const auto page = run(pages.next(soon()))) {
            std::istringstream text{*page};
            for (std::string line; std::getline(text, line);) {
                all.lines.push_back(nlohmann::json::parse(line));
                ++all.of_type[all.lines.back().at("type")];
            }
            between_pages();
        }
        return all;
    }
};

TEST_F(AccountExport, HasEverythingOfTheAccountAndNothingOfOthers) {
    accounts::account_store accounts{pool()};
    ASSERT_TRUE(run(accounts.create_token(ann_, "laptop", soon())));
    const auto jobs = ended(ann_, 60, 21);  // Three pages.
    ended(bob_, 60, 3);
    run(pool().run(soon(), hang_on_query, ann_, jobs[0]));
    run(pool().run(soon(), add_calls_query, ann_, jobs[0], 1, 250));  // Two pages.

    const auto all = exported(ann_);
    const std::map<std::string, int> expected{
        {"account", 1},
        {"token", 1},
        {"reel", 21},
        {"delivery", 1},
        {"model_call", 250},
        {"end", 1}};
    EXPECT_EQ(all.of_type, expected);
    EXPECT_EQ(all.lines.front().at("email"), "ann@example.com");
    EXPECT_EQ(all.lines.back().at("lines"), all.lines.size() - 1);
    const auto& reel = all.lines.at(2);
    EXPECT_EQ(reel.at("id"), jobs[0].value);
    EXPECT_EQ(reel.at("result").at("visual").at("description"), "x");
    EXPECT_EQ(reel.at("thumbnail_jpeg"), "/9j/2Q==");
    EXPECT_TRUE(all.lines.at(3).at("thumbnail_jpeg").is_null());
    for (const auto& line : all.lines) EXPECT_FALSE(line.contains("hash")) << line;
}

TEST_F(AccountExport, LeavesOutWhatIsDeletedOrMadeMeanwhile) {
    const auto jobs = ended(ann_, 60, 21);
    bool is_first = true;
    const auto all = exported(ann_, [&] {
        if (!is_first) return;
        is_first = false;
        run(store_.remove(ann_, jobs.back(), soon()));
        static_cast<void>(submitted(ann_));
    });
    EXPECT_EQ(all.of_type.at("reel"), 20);
    EXPECT_EQ(all.of_type.at("end"), 1);
}

TEST_F(AccountExport, OfAnAccountThatIsNotThereIsItsEnd) {
    const auto all = exported(account_id{77});
    EXPECT_EQ(all.lines.size(), 1U);
    EXPECT_EQ(all.lines.front().at("lines"), 0);
}

}  // namespace
}  // namespace reelsd::retention
