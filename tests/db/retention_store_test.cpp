// Goal: expired data is removed in small steps, by one daemon at a time, and no data that is still
// needed.
#include "retention_store_fixture.hpp"
#include <reelsd/domain/usage/call_ledger_store.hpp>

#include <gtest/gtest.h>

#include <future>

namespace reelsd::retention {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr db::query add_lost_call_query{"test.add_lost_call", R"sql(
    INSERT INTO model_call (account_id, job_id, number, claim, provider, model, settled_at,
                            called_at)
    VALUES ($1, $2, 9, 1, 'gemini', 'flash', NULL, now() - interval '90 days'))sql"};
constexpr db::query add_delivery_query{"test.add_delivery", R"sql(
    INSERT INTO webhook_delivery (account_id, job_id, url) VALUES ($1, $2, 'https://r.test/'))sql"};
constexpr db::query add_key_query{"test.add_key", R"sql(
    INSERT INTO submission_key (account_id, key, position, request_hash, job_id, created_at)
    VALUES ($1, 'key-' || $2::bigint, 0, 'x', $2, now() - make_interval(hours => $3)))sql"};
constexpr db::query set_clock_back_query{"test.set_clock_back", R"sql(
    UPDATE maintenance_turn SET held_until = now() + interval '3 hours')sql"};

constexpr db::query lock_query{"test.lock", "SELECT pg_advisory_lock(7)"};
constexpr db::query unlock_query{"test.unlock", "SELECT pg_advisory_unlock(7)"};
/// Waits with a lock on the job's row until another session releases the advisory lock.
constexpr db::query lock_row_query{"test.lock_row", R"sql(
    SELECT pg_advisory_xact_lock_shared(7)
      FROM (SELECT id FROM job WHERE id = $1 FOR UPDATE) AS held)sql"};
/// Likewise, with the row that deletions of an account's ended reels change.
constexpr db::query lock_account_row_query{"test.lock_account_row", R"sql(
    SELECT pg_advisory_xact_lock_shared(7)
      FROM (SELECT account_id FROM ended_reels_version
             WHERE account_id = (SELECT account_id FROM job WHERE id = $1)
               FOR UPDATE) AS held)sql"};
constexpr db::query waiting_query{"test.waiting", R"sql(
    SELECT count(*) AS many FROM pg_locks
     WHERE locktype = 'advisory' AND NOT granted AND objid = 7
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))sql"};

class RetentionStore : public retention_test {
protected:
    [[nodiscard]] db::pool_options one_connection() const {
        db::pool_options options;
        options.connection_string = connection_string();
        options.connections = 1;
        return options;
    }

    /// Runs `action` while another transaction has locked a row of the job.
    template <class Action>
    void while_row_is_locked(const db::query& lock_row, job_id job, Action action) {
        // Two more connections: one holds the advisory lock while the other holds the row.
        db::pool blocker{loop().context().get_executor(), one_connection(), log::logger::silent()};
        db::pool holder{loop().context().get_executor(), one_connection(), log::logger::silent()};
        blocker.start();
        holder.start();
        run(blocker.run(soon(), lock_query));
        auto lock =
            asio::co_spawn(loop().context(), holder.run(soon(), lock_row, job), asio::use_future);
        const auto patience = deadline::after(30s);
        bool is_locked = false;
        while (!is_locked && !patience.passed() && lock.wait_for(0s) != std::future_status::ready) {
            is_locked = number_in(waiting_query, "many") > 0;
        }
        EXPECT_TRUE(is_locked) << "the row is not locked";
        action();
        run(blocker.run(soon(), unlock_query));
        loop().wait_for(lock);
    }
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

TEST_F(RetentionStore, RemovesTheDependentsOfAJob) {
    const auto job = ended(ann_, 2 * day).front();
    run(pool().run(soon(), hang_on_query, ann_, job));
    EXPECT_EQ(left_of(ann_), 4);
    EXPECT_EQ(expire(kind::results, 10)->removed, 1);
    EXPECT_EQ(left_of(ann_), 1) << "the record of the deletion";
}

TEST_F(RetentionStore, KeepsResultsThatAKeyOrAWebhookNeeds) {
    const auto notified_later = ended(ann_, 2 * day).front();
    const auto repeatable = ended(ann_, 2 * day).front();
    const auto forgotten = ended(ann_, 2 * day).front();
    run(pool().run(soon(), add_delivery_query, ann_, notified_later));
    run(pool().run(soon(), add_key_query, ann_, repeatable, 23));
    run(pool().run(soon(), add_key_query, ann_, forgotten, 25));

    const auto step = expire(kind::results, 10);
    EXPECT_EQ(step->looked, 3);
    EXPECT_EQ(step->removed, 1);
    EXPECT_TRUE(is_there(ann_, notified_later));
    EXPECT_TRUE(is_there(ann_, repeatable));
    EXPECT_FALSE(is_there(ann_, forgotten));
}

TEST_F(RetentionStore, AWebhookKeepsAResultForAtMostTwoDays) {
    const auto waits = ended(ann_, 2.9 * day).front();
    const auto asked_again_for_ever = ended(ann_, 3.1 * day).front();
    run(pool().run(soon(), add_delivery_query, ann_, waits));
    run(pool().run(soon(), add_delivery_query, ann_, asked_again_for_ever));
    EXPECT_EQ(expire(kind::results, 10)->removed, 1);
    EXPECT_TRUE(is_there(ann_, waits));
    EXPECT_FALSE(is_there(ann_, asked_again_for_ever));
}

TEST_F(RetentionStore, NothingExpiresWhileTheClocksDiffer) {
    const auto job = ended(ann_, 2 * day).front();
    run(pool().run(soon(), add_calls_query, ann_, job_id{1'000'000}, 90, 2));
    for (const auto what : {kind::results, kind::usage}) {
        for (const auto& [caller_time, gap] :
             {std::pair{now() - 25h, 25 * 3600.0}, std::pair{now() + 25h, -25 * 3600.0}}) {
            const auto refused = expire_at(caller_time, what, 10, {}, "whose clock is wrong");
            ASSERT_TRUE(refused && refused->refused_gap);
            EXPECT_NEAR(refused->refused_gap->count(), gap, 120);
            EXPECT_EQ(refused->looked, 0);
            EXPECT_EQ(refused->removed, 0);
        }
    }
    EXPECT_TRUE(is_there(ann_, job));
    // A refused step does not take the turn.
    EXPECT_EQ(expire_at(now() - 23h, kind::results, 10)->removed, 1);
    EXPECT_EQ(expire_at(now() + 23h, kind::usage, 10)->removed, 2);
    ASSERT_TRUE(run(retention_.begin_erasure(ann_, std::nullopt, soon())));
    EXPECT_TRUE(run(retention_.erase("one", ann_, 10, soon()))) << "erasure ignores clocks";
}

TEST_F(RetentionStore, ASilentDaemonLosesItsTurn) {
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

TEST_F(RetentionStore, SkipsJobsThatAnotherTransactionHolds) {
    const auto jobs = ended(ann_, 2 * day, 2);
    while_row_is_locked(lock_row_query, jobs[0], [&] {
        const auto step = expire(kind::results, 10);
        EXPECT_EQ(step->looked, 2);
        EXPECT_EQ(step->removed, 1);
        EXPECT_TRUE(is_there(ann_, jobs[0]));
    });
    EXPECT_EQ(expire(kind::results, 10)->removed, 1);
}

// An open transaction that has deleted one of an account's reels must not block the expiry of all.
TEST_F(RetentionStore, SkipsAccountsThatAnotherTransactionDeletesFrom) {
    const auto anns = ended(ann_, 3 * day, 2);
    const auto bobs = ended(bob_, 2 * day, 2);
    while_row_is_locked(lock_account_row_query, anns[0], [&] {
        const auto step = expire(kind::results, 10);
        EXPECT_EQ(step->looked, 4);
        EXPECT_EQ(step->removed, 2);
        EXPECT_TRUE(is_there(ann_, anns[0]));
        EXPECT_FALSE(is_there(bob_, bobs[0]));
    });
    EXPECT_EQ(expire(kind::results, 10)->removed, 2);
}

TEST_F(RetentionStore, KeepsCallsOfThisMonthAndOfRunningJobs) {
    const auto busy = submitted(ann_);
    run(pool().run(soon(), add_calls_query, ann_, busy, 90, 2));
    run(pool().run(soon(), add_calls_query, ann_, job_id{1'000'000}, 90, 3));
    run(pool().run(soon(), add_calls_query, ann_, job_id{1'000'001}, 0, 1));

    const auto step = expire(kind::usage, 100);
    EXPECT_EQ(step->looked, 5);
    EXPECT_EQ(step->removed, 3);
    EXPECT_EQ(run(retention_.count_data(ann_, soon())).calls, 3);
}

TEST_F(RetentionStore, TotalsOfModelsNeverDecrease) {
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

TEST_F(RetentionStore, ReportsOverdueData) {
    EXPECT_FALSE(run(retention_.look_at_backlog(kept_a_day, kept_a_day, soon())).results_overdue);
    ended(ann_, 2 * day);
    const auto now = run(retention_.look_at_backlog(kept_a_day, kept_a_day, soon()));
    EXPECT_NEAR(now.results_overdue.value_or(seconds_f{0}).count(), day, 120);
    EXPECT_FALSE(
        run(retention_.look_at_backlog(seconds_f{0}, seconds_f{0}, soon())).results_overdue);
}

}  // namespace
}  // namespace reelsd::retention
