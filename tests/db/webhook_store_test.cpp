// Goal: the end of a job creates its delivery once, in the same transaction; daemons share the
// deliveries, and no account or receiver exceeds its share.
#include "job_store_fixture.hpp"
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>

#include <gmock/gmock.h>

#include <map>

namespace reelsd::webhooks {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* hook = "https://receiver.test/hook?key=1";

constexpr db::query expire_leases_query{"test.expire_leases", R"sql(
    UPDATE job SET lease_until = now() - interval '1 second' WHERE status = 'processing')sql"};
constexpr db::query make_due_query{"test.make_due", R"sql(
    UPDATE webhook_delivery SET due_at = now())sql"};
constexpr db::query disable_bob_query{"test.disable_bob", R"sql(
    UPDATE account SET disabled_at = now() WHERE email = 'bob@example.com')sql"};
constexpr db::query enable_bob_query{"test.enable_bob", R"sql(
    UPDATE account SET disabled_at = NULL WHERE email = 'bob@example.com')sql"};
constexpr db::query pass_a_day_query{"test.pass_a_day", R"sql(
    UPDATE webhook_delivery
       SET due_at = due_at - interval '25 hours', give_up_at = give_up_at - interval '25 hours',
           changed_at = changed_at - interval '25 hours'
     WHERE state = 'pending' AND lease_until IS NULL)sql"};
constexpr db::query end_old_secrets_query{"test.end_old_secrets", R"sql(
    UPDATE webhook_secret SET expires_at = now() WHERE expires_at IS NOT NULL)sql"};
constexpr db::query age_deliveries_query{"test.age_deliveries", R"sql(
    UPDATE webhook_delivery SET ended_at = now() - interval '8 days' WHERE state <> 'pending')sql"};
constexpr db::query set_clock_back_query{"test.set_clock_back", R"sql(
    UPDATE webhook_delivery
       SET due_at = due_at + interval '3 hours', give_up_at = give_up_at + interval '3 hours',
           changed_at = now() + interval '3 hours')sql"};

class WebhookStore : public jobs::job_store_test {
protected:
    [[nodiscard]] job_id submitted_to(account_id by, std::string url) {
        const jobs::submission request{.url = jobs::link, .webhook_url = std::move(url)};
        return run(store_.submit(by, request, generous_, soon())).job;
    }
    void fail_all() {
        for (const auto& held : claimed(100)) {
            const jobs::failed ended{
                .code = jobs::job_error_code::unavailable, .text = "Video is not available"};
            EXPECT_TRUE(run(queue_.report(lease_of(held), ended, soon())));
        }
    }
    /// A delivery that is due.
    job_id ended_job(account_id by, std::string url = hook) {
        const auto id = submitted_to(by, std::move(url));
        fail_all();
        return id;
    }
    [[nodiscard]] std::vector<claimed_delivery> claim(
        delivery_claim request = {.deliveries_max = 100}) {
        return run(deliveries_.claim(std::move(request), soon()));
    }
    [[nodiscard]] claimed_delivery claim_one() {
        auto all = claim();
        EXPECT_THAT(all, SizeIs(1));
        return all.at(0);
    }
    bool report(const claimed_delivery& of, delivery_step step) {
        return run(deliveries_.report(of.id, of.claim, std::move(step), soon()));
    }
    [[nodiscard]] std::vector<delivery> log_of(account_id owner) {
        return run(deliveries_.list(owner, {.deliveries_max = 100}, soon())).deliveries;
    }
    void execute(const db::query& what) { run(pool().run(soon(), what)); }

    delivery_store deliveries_{pool()};
    webhook_store settings_{pool()};
};

TEST_F(WebhookStore, EachEndOfAJobCreatesOneDelivery) {
    const auto failed = submitted_to(ann_, hook);
    fail_all();
    const auto done = submitted_to(ann_, hook);
    const auto held = claimed(1).at(0);
    EXPECT_THAT(log_of(ann_), SizeIs(1)) << "no delivery while the job is in progress";
    EXPECT_TRUE(run(queue_.report(
        jobs::job_store_test::lease_of(held), jobs::completed{.result = "{}"}, soon())));
    const auto exhausted = submitted_to(ann_, hook);
    for (int times = 0; times < 3; ++times) {
        ASSERT_THAT(claimed(1), SizeIs(1));
        execute(expire_leases_query);
        rescued({});
    }
    std::map<std::int64_t, delivery_state> seen;
    for (const auto& one : log_of(ann_)) seen.emplace(one.job.value().value, one.state);
    EXPECT_EQ(seen.size(), 3U);
    for (const auto job : {failed, done, exhausted}) {
        EXPECT_EQ(seen.at(job.value), delivery_state::pending);
    }
    // A late report of a worker has no effect here either.
    EXPECT_FALSE(run(queue_.report(
        jobs::job_store_test::lease_of(held), jobs::completed{.result = "{}"}, soon())));
    EXPECT_THAT(log_of(ann_), SizeIs(3));
}

TEST_F(WebhookStore, TheDefaultBelongsToTheAccount) {
    run(settings_.set_url(ann_, "https://ann.test/", soon()));
    static_cast<void>(submitted(ann_));
    static_cast<void>(submitted(bob_));
    static_cast<void>(submitted_to(ann_, hook));
    fail_all();
    std::vector<std::string> messages;
    for (const auto& one : log_of(ann_)) messages.push_back(one.url);
    EXPECT_THAT(messages, ::testing::UnorderedElementsAre("https://ann.test/", hook));
    EXPECT_THAT(log_of(bob_), IsEmpty());
}

TEST_F(WebhookStore, TestsAreLoggedAmongTheDeliveriesForSevenDays) {
    static_cast<void>(submitted_to(ann_, hook));
    fail_all();
    const time_point tried_at{std::chrono::sys_days{std::chrono::May / 22 / 2026}};
    delivery_test test{
        .message_id = "msg_test_a", .url = "https://ann.test/", .tried_at = tried_at};
    test.status_code = 204;
    test.record = {.took = seconds_f{0.25}, .answer = "thanks"};
    run(deliveries_.log_test(ann_, test, soon()));
    test.status_code = 500;
    test.cause = "answered 500";
    run(deliveries_.log_test(ann_, test, soon()));
    static_cast<void>(submitted_to(ann_, hook));
    fail_all();
    const auto log = log_of(ann_);
    ASSERT_THAT(log, SizeIs(4));
    EXPECT_TRUE(log.at(0).job && !log.at(1).job && !log.at(2).job && log.at(3).job);
    EXPECT_EQ(log.at(1).state, delivery_state::failed);
    EXPECT_EQ(log.at(1).cause, "answered 500");
    EXPECT_EQ(log.at(2).state, delivery_state::delivered);
    EXPECT_EQ(log.at(2).status_code, 204);
    EXPECT_EQ(log.at(2).tried_at, tried_at);
    EXPECT_EQ(log.at(2).took, seconds_f{0.25});
    EXPECT_EQ(log.at(2).answer, "thanks");
    EXPECT_THAT(log_of(bob_), IsEmpty());
    EXPECT_FALSE(run(deliveries_.redeliver(ann_, log.at(1).id, soon())));
    const auto failed = run(deliveries_.list(ann_, {.state = delivery_state::failed}, soon()));
    EXPECT_THAT(failed.deliveries, SizeIs(1));
    const auto waiting = run(deliveries_.list(ann_, {.state = delivery_state::pending}, soon()));
    EXPECT_THAT(waiting.deliveries, SizeIs(2));
    execute(db::query{"test.age_tests", R"sql(
        UPDATE webhook_test SET ended_at = now() - interval '8 days')sql"});
    EXPECT_EQ(run(deliveries_.tidy(100, soon())), 2);
    EXPECT_THAT(log_of(ann_), SizeIs(2));
}

TEST_F(WebhookStore, TheDefaultReceivesTheChosenEvents) {
    const auto events = [this] { return run(settings_.find(ann_, soon())).events; };
    EXPECT_THAT(events(), ElementsAre("done", "error", "search.matched"));
    const std::vector<std::string> only_done{"done"};
    run(settings_.set_url(ann_, "https://ann.test/", soon(), only_done));
    EXPECT_THAT(events(), ElementsAre("done"));
    static_cast<void>(submitted(ann_));
    static_cast<void>(submitted_to(ann_, hook));
    fail_all();
    ASSERT_THAT(log_of(ann_), SizeIs(1)) << "a job's own address receives its end";
    EXPECT_EQ(log_of(ann_).front().url, hook);

    run(settings_.set_url(ann_, "https://new.test/", soon()));
    EXPECT_THAT(events(), ElementsAre("done")) << "the choice stays";
    const std::vector<std::string> failures{"error"};
    run(settings_.set_url(ann_, "https://new.test/", soon(), failures));
    static_cast<void>(submitted(ann_));
    fail_all();
    EXPECT_THAT(log_of(ann_), SizeIs(2));
}

TEST_F(WebhookStore, AClaimHasAllDataOfATry) {
    const auto secret = run(settings_.secret_of(ann_, soon()));
    const auto job = ended_job(ann_);
    const auto held = claim_one();
    EXPECT_EQ(held.job.id, job);
    EXPECT_EQ(held.job.status, jobs::job_status::error);
    EXPECT_EQ(held.job.url, jobs::link);
    EXPECT_EQ(held.account, ann_);
    EXPECT_EQ(held.url, hook);
    EXPECT_THAT(held.secrets, ElementsAre(secret));
    EXPECT_EQ(held.tries, 1);
    EXPECT_GT(held.time_left, 23h);
    EXPECT_THAT(claim(), IsEmpty()) << "it is leased";
    EXPECT_FALSE(log_of(ann_).at(0).next_try_at);
}

TEST_F(WebhookStore, AnExpiredLeaseAllowsANewTryAndNoLateReport) {
    static_cast<void>(ended_job(ann_));
    const auto first = run(deliveries_.claim({.deliveries_max = 1, .lease = 0s}, soon())).at(0);
    const auto second = claim_one();
    EXPECT_EQ(second.message_id, first.message_id);
    EXPECT_EQ(second.tries, 2);
    EXPECT_FALSE(report(first, delivered{200}));
    EXPECT_EQ(log_of(ann_).at(0).state, delivery_state::pending);
    EXPECT_TRUE(report(second, delivered{204}));
    const auto log = log_of(ann_).at(0);
    EXPECT_EQ(log.state, delivery_state::delivered);
    EXPECT_EQ(log.status_code, 204);
    EXPECT_TRUE(log.ended_at);
    EXPECT_FALSE(report(second, given_up{{}, "no answer"}));
}

TEST_F(WebhookStore, StoresEachOutcomeOfATry) {
    static_cast<void>(ended_job(ann_));
    EXPECT_TRUE(report(claim_one(), snoozed{3600s, 503, "answered 503"}));
    auto log = log_of(ann_).at(0);
    EXPECT_EQ(log.state, delivery_state::pending);
    EXPECT_EQ(log.cause, "answered 503");
    EXPECT_GT(log.next_try_at.value(), log.tried_at.value() + 3500s);
    EXPECT_THAT(claim(), IsEmpty());
    execute(make_due_query);
    EXPECT_TRUE(report(claim_one(), released{}));
    EXPECT_EQ(log_of(ann_).at(0).tries, 1);
    EXPECT_TRUE(report(claim_one(), given_up{std::nullopt, "no answer"}));
    log = log_of(ann_).at(0);
    EXPECT_EQ(log.state, delivery_state::failed);
    EXPECT_EQ(log.status_code, std::nullopt);
    EXPECT_EQ(log.tries, 2);
    EXPECT_THAT(claim(), IsEmpty());
}

TEST_F(WebhookStore, RedeliveryStartsANewRound) {
    static_cast<void>(ended_job(ann_));
    const auto first = claim_one();
    const auto busy = run(deliveries_.redeliver(ann_, first.id, soon()));
    ASSERT_TRUE(busy);
    EXPECT_THAT(claim(), IsEmpty()) << "it is being tried";
    EXPECT_TRUE(report(first, given_up{500, "answered 500"}));
    EXPECT_FALSE(run(deliveries_.redeliver(bob_, first.id, soon())));
    const auto again = run(deliveries_.redeliver(ann_, first.id, soon()));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->state, delivery_state::pending);
    const auto second = claim_one();
    EXPECT_EQ(second.message_id, first.message_id);
    EXPECT_EQ(second.tries, 2);
    EXPECT_EQ(second.round_tries, 1);
    EXPECT_GT(second.time_left, 23h);
}

TEST_F(WebhookStore, NoAccountOrReceiverExceedsItsShare) {
    for (int times = 0; times < 6; ++times) {
        static_cast<void>(submitted_to(ann_, "https://slow.test/?" + std::to_string(times)));
        static_cast<void>(submitted_to(ann_, "https://fast.test/" + std::to_string(times)));
    }
    static_cast<void>(submitted_to(bob_, "https://slow.test/"));
    fail_all();
    delivery_claim request{.deliveries_max = 100, .shares = {.of_account = 4, .of_receiver = 2}};
    std::map<std::string, int> by_receiver;
    std::map<std::int64_t, int> by_account;
    for (auto some = claim(request); !some.empty(); some = claim(request)) {
        for (const auto& delivery : some) {
            request.in_flight.push_back({delivery.account, receiver_of(delivery.url.value())});
            ++by_receiver[request.in_flight.back().receiver];
            ++by_account[delivery.account.value];
        }
    }
    EXPECT_EQ(by_account[ann_.value], 4);
    EXPECT_EQ(by_receiver["https://slow.test/"], 2);
    // Tries of another daemon do not count, because each has its own threads.
    EXPECT_FALSE(claim({.deliveries_max = 1}).empty());
}

TEST_F(WebhookStore, ADeletedJobHasNoDelivery) {
    const auto gone = ended_job(ann_);
    EXPECT_TRUE(run(store_.remove(ann_, gone, soon())));
    EXPECT_THAT(log_of(ann_), IsEmpty());
    EXPECT_THAT(claim(), IsEmpty());
}

TEST_F(WebhookStore, DeliveriesOfADisabledAccountWaitUntilItIsEnabled) {
    static_cast<void>(ended_job(bob_));
    static_cast<void>(ended_job(bob_));
    const auto anns = ended_job(ann_);
    execute(disable_bob_query);
    EXPECT_EQ(claim_one().job.id, anns) << "others are served";
    for (const auto& delivery : log_of(bob_)) {
        EXPECT_EQ(delivery.state, delivery_state::pending);
        EXPECT_EQ(delivery.cause, "the account is disabled");
        EXPECT_EQ(delivery.tries, 0);
        EXPECT_GT(delivery.next_try_at, delivery.created_at);
    }
    EXPECT_THAT(claim(), IsEmpty());

    execute(pass_a_day_query);
    EXPECT_THAT(claim(), IsEmpty()) << "it is still disabled";
    execute(enable_bob_query);
    const auto resumed = claim();
    ASSERT_THAT(resumed, SizeIs(2));
    EXPECT_EQ(resumed.front().url, hook);
    EXPECT_EQ(resumed.front().tries, 1);
    EXPECT_GT(resumed.front().time_left, seconds_f{23 * 3600.0}) << "the pause does not count";
}

TEST_F(WebhookStore, UsesTheCurrentDefault) {
    run(settings_.set_url(ann_, "https://old.test/", soon()));
    static_cast<void>(submitted(ann_));
    fail_all();
    run(settings_.set_url(ann_, "https://new.test/", soon()));
    const auto held = claim_one();
    EXPECT_EQ(held.url, "https://new.test/");
    EXPECT_EQ(log_of(ann_).at(0).url, "https://new.test/");
    EXPECT_TRUE(report(held, released{}));
    run(settings_.set_url(ann_, std::nullopt, soon()));
    EXPECT_EQ(claim_one().url, std::nullopt);
}

TEST_F(WebhookStore, SecretsRotate) {
    const auto first = run(settings_.find(ann_, soon()));
    EXPECT_EQ(first.previous_secret_expires_at, std::nullopt);
    run(settings_.rotate_secret(ann_, soon()));
    const auto second = run(settings_.find(ann_, soon()));
    EXPECT_NE(second.secret, first.secret);
    EXPECT_TRUE(second.previous_secret_expires_at);
    static_cast<void>(ended_job(ann_));
    const auto held = claim_one();
    EXPECT_THAT(held.secrets, ElementsAre(second.secret, first.secret));
    EXPECT_TRUE(report(held, released{}));
    for (int times = 0; times < 5; ++times) run(settings_.rotate_secret(ann_, soon()));
    EXPECT_THAT(claim_one().secrets, SizeIs(4));
    execute(end_old_secrets_query);
    run(deliveries_.tidy(10, soon()));
    EXPECT_EQ(run(settings_.find(ann_, soon())).previous_secret_expires_at, std::nullopt);
    // An account may rotate a secret that it has never read.
    run(settings_.rotate_secret(bob_, soon()));
    EXPECT_EQ(run(settings_.find(bob_, soon())).previous_secret_expires_at, std::nullopt);
}

TEST_F(WebhookStore, RemovesOldDeliveriesInSteps) {
    for (int times = 0; times < 3; ++times) {
        static_cast<void>(ended_job(ann_));
        EXPECT_TRUE(report(claim_one(), delivered{200}));
    }
    static_cast<void>(ended_job(ann_));  // Pending ones are never forgotten.
    execute(age_deliveries_query);
    EXPECT_EQ(run(deliveries_.tidy(2, soon())), 2);
    EXPECT_EQ(run(deliveries_.tidy(2, soon())), 1);
    EXPECT_EQ(run(deliveries_.tidy(2, soon())), 0);
    EXPECT_THAT(log_of(ann_), SizeIs(1));
}

TEST_F(WebhookStore, MetricsCountPendingDeliveries) {
    static_cast<void>(submitted_to(ann_, hook));
    static_cast<void>(submitted_to(ann_, hook));
    fail_all();
    const auto held = run(deliveries_.claim({.deliveries_max = 1}, soon())).at(0);
    EXPECT_TRUE(report(held, snoozed{3600s, {}, "no answer"}));
    const auto metrics = run(deliveries_.metrics(soon()));
    EXPECT_EQ(metrics.pending, 2);
    EXPECT_EQ(metrics.due, 1);
}

TEST_F(WebhookStore, AClockSetBackDoesNotDelayDeliveriesForLong) {
    static_cast<void>(ended_job(ann_));
    EXPECT_TRUE(report(claim_one(), snoozed{5s, 500, "answered 500"}));
    // The state after the clock was set back by three hours.
    execute(set_clock_back_query);
    run(deliveries_.tidy(10, soon()));
    const auto log = log_of(ann_).at(0);
    EXPECT_LT(log.next_try_at.value(), log.tried_at.value() + 60s);
}

/// Two accounts share the table, the older deliveries first: statistics give each a large part of
/// all rows, so a plan that walks the primary key looks cheap. One connection, so that all
/// statements and their statistics belong to one session.
class WebhookDeliveryReads : public WebhookStore {
protected:
    void SetUp() override {
        static constexpr db::query fill{"test.fill_with_deliveries", R"sql(
            WITH ended AS (
                INSERT INTO job (account_id, url, status, finished_at, error_code, error)
                SELECT $1, 'https://www.instagram.com/reel/x/', 'error', now(), 'unavailable', 'x'
                  FROM generate_series(1, 12000)
                RETURNING account_id, id)
            INSERT INTO webhook_delivery (account_id, job_id, url, state, status_code, ended_at)
            SELECT account_id, id, 'https://receiver.test/', 'delivered', 200, now()
              FROM ended)sql"};
        static constexpr db::query analyze{"test.analyze", "ANALYZE webhook_delivery"};
        WebhookStore::SetUp();
        single_.start();
        deliveries_ = delivery_store{single_};
        for (const auto owner : {ann_, bob_}) run(single_.run(soon(), fill, owner));
        run(single_.run(soon(), analyze));
    }

    /// Rows and index entries, up to now.
    std::int64_t reads() {
        static constexpr db::query flush{"test.flush_reads", "SELECT pg_stat_force_next_flush()"};
        static constexpr db::query counted{"test.delivery_reads", R"sql(
            SELECT seq_tup_read + idx_tup_fetch +
                   (SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes
                     WHERE relname = 'webhook_delivery') AS reads
              FROM pg_stat_user_tables WHERE relname = 'webhook_delivery')sql"};
        run(single_.run(soon(), flush));
        const auto found = run(single_.run(soon(), counted));
        return found.one().as<std::int64_t>("reads");
    }

private:
    [[nodiscard]] db::pool_options options() const {
        db::pool_options options;
        options.connection_string = connection_string();
        options.connections = 1;
        options.statement_timeout = test::patience;
        return options;
    }

    db::pool single_{loop().context().get_executor(), options(), log::logger::silent()};
};

TEST_F(WebhookDeliveryReads, AreLimitedToThePage) {
    // Entries and rows of a page of 20 and of the row that shows whether there is a next one.
    constexpr std::int64_t page_reads_max = 2 * 21 + 20;
    for (const auto owner : {ann_, bob_}) {
        // Even with the plan that PostgreSQL keeps after some executions.
        for (int count = 0; count < 8; ++count) {
            const auto before = reads();
            const auto page = run(deliveries_.list(owner, {}, soon()));
            EXPECT_THAT(page.deliveries, SizeIs(20));
            EXPECT_LE(reads() - before, page_reads_max) << owner.value;
        }
    }
}

}  // namespace
}  // namespace reelsd::webhooks
