// Goal: every paid call is counted exactly once, even if its daemon dies, and no other call is; at
// most three for a job over all its attempts.
#include "support/test_database.hpp"
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>
#include <reelsd/domain/usage/usage_store.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <gmock/gmock.h>

#include <future>

namespace reelsd::usage {
namespace {

using namespace std::chrono_literals;

constexpr call_usage answered{
    .prompt_tokens = 28950,
    .cached_prompt_tokens = 100,
    .output_tokens = 1850,
    .thinking_tokens = 640,
    .cost_picodollars = 28'650'000'000};

using test::database_test;
using ::testing::IsEmpty;

class CallLedgerStore : public test::database_test {
protected:
    void SetUp() override {
        database_test::SetUp();
        accounts::account_store accounts{pool()};
        ann_ = run(accounts.create("ann@example.com", accounts::role::member, soon())).value();
        job_ = claimed();
    }

    jobs::claimed_job claimed() {
        const jobs::submission request{.url = "https://www.instagram.com/reel/DYa0IXPgnP5/"};
        run(jobs_.submit(ann_, request, {}, soon()));
        return claim().value();
    }
    std::optional<jobs::claimed_job> claim() {
        const auto taken = run(queue_.claim({.worker = "w", .jobs_max = 1, .lease = 60s}, soon()));
        if (taken.empty()) return std::nullopt;
        return taken.front();
    }
    result<std::int64_t> begin(const jobs::claimed_job& held) {
        return run(ledger_.begin(
            {.job = held.id, .claim = held.claim, .provider = "gemini", .model = "flash"}, soon()));
    }
    void settle(std::int64_t call, const call_usage& used = answered) {
        run(ledger_.settle(call, used, soon()));
    }
    /// Rescues the job that is held, as another daemon.
    std::vector<job_id> rescue_expired() {
        static constexpr db::query expire_query{
            "test.expire", "UPDATE job SET lease_until = now() WHERE status = 'processing'"};
        run(pool().run(soon(), expire_query));
        return rescue();
    }
    std::vector<job_id> rescue() {
        const jobs::rescue_request request{.attempts_max = 3, .exhausted_text = "x"};
        return run(queue_.rescue(request, soon()));
    }
    void end_delay() {
        static constexpr db::query end_delay_query{
            "test.end_delay", "UPDATE job SET run_at = now() WHERE waits_for = 'time'"};
        run(pool().run(soon(), end_delay_query));
        EXPECT_THAT(rescue(), IsEmpty());
    }
    account_call_intent embedding(std::string key) const {
        return {
            .account = ann_,
            .job = {},
            .provider = "gemini",
            .model = "embedding",
            .estimated_tokens = 10,
            .booking_key = std::move(key)};
    }
    report used() { return run(usage_store{pool()}.read(ann_, {}, soon())); }
    std::optional<reel_report> of_reel() {
        return run(usage_store{pool()}.read_reel(ann_, job_.id, soon()));
    }
    model_total total() {
        const auto all = run(ledger_.totals(soon()));
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? model_total{} : all.front();
    }

    jobs::job_store jobs_{pool()};
    jobs::queue_store queue_{pool()};
    call_ledger_store ledger_{pool()};
    account_id ann_;
    jobs::claimed_job job_;
};

TEST_F(CallLedgerStore, CountsSettledCallsAndNoCallsInProgress) {
    const auto call = begin(job_).value();
    EXPECT_EQ(used().total.calls, 0);
    EXPECT_TRUE(run(ledger_.totals(soon())).empty());
    settle(call);
    const auto now = used();
    EXPECT_EQ(now.total.calls, 1);
    EXPECT_EQ(now.total.prompt_tokens, 28950);
    EXPECT_EQ(now.total.output_tokens, 1850);
    EXPECT_EQ(now.total.cost_usd, "0.02865");
    EXPECT_EQ(now.total.unpriced_calls, 0);
    EXPECT_EQ(total().cost_usd, "0.02865");
    EXPECT_EQ(total().thinking_tokens, 640);
    EXPECT_EQ(total().cached_prompt_tokens, 100);
}

TEST_F(CallLedgerStore, SettlingTwiceCountsOnce) {
    const auto call = begin(job_).value();
    settle(call);
    settle(call, {.prompt_tokens = 1, .cost_picodollars = 1});
    run(ledger_.release(call, soon()));
    EXPECT_EQ(used().total.prompt_tokens, 28950);
    EXPECT_EQ(total().calls, 1);
}

TEST_F(CallLedgerStore, DoesNotCountReleasedCalls) {
    for (int i = 0; i < 10; ++i) run(ledger_.release(begin(job_).value(), soon()));
    EXPECT_EQ(used().total.calls, 0);
    EXPECT_TRUE(begin(job_));
}

TEST_F(CallLedgerStore, ReleasesACallByItsKeyAfterALostAnswer) {
    const auto begin_as = [this](const std::string& key) {
        const call_intent intent{
            .job = job_.id,
            .claim = job_.claim,
            .provider = "gemini",
            .model = "flash",
            .booking_key = key};
        return run(ledger_.begin(intent, soon())).value();
    };
    begin_as("unheard");
    settle(begin_as("heard"));
    for (const char* key : {"unheard", "unheard", "heard", "unknown"}) {
        run(ledger_.release_unanswered(key, soon()));
    }
    EXPECT_EQ(used().total.calls, 1) << "settled calls remain";
    EXPECT_TRUE(begin(job_));
    EXPECT_TRUE(begin(job_)) << "the released call no longer counts";
    EXPECT_FALSE(begin(job_));
}

TEST_F(CallLedgerStore, KeepsTheAnswersOfAnAnalysis) {
    EXPECT_EQ(run(ledger_.answered_model(job_.id, soon())), "");
    for (const char* answer : {R"("first")", R"("a\\u0000b")"}) {
        auto used = answered;
        used.kept_answer = answer;
        settle(begin(job_).value(), used);
    }
    const auto kept = [&](call_purpose purpose) {
        return run(ledger_.kept_answer(job_.id, "gemini", "flash", purpose, soon()));
    };
    EXPECT_EQ(kept(call_purpose::analysis), "\"first\"\n\"a\\\\u0000b\"");
    EXPECT_EQ(kept(call_purpose::transcription), "");
    EXPECT_EQ(run(ledger_.answered_model(job_.id, soon())), "gemini/flash");

    const call_intent of_other{
        .job = job_.id, .claim = job_.claim, .provider = "gemini", .model = "pro"};
    auto used = answered;
    used.kept_answer = R"("other")";
    settle(run(ledger_.begin(of_other, soon())).value(), used);
    EXPECT_EQ(kept(call_purpose::analysis), "") << "replaced by those of another model";
    EXPECT_EQ(run(ledger_.answered_model(job_.id, soon())), "gemini/pro");
}

// Goal: no video is downloaded for an answer that a model must complete but cannot.
TEST_F(CallLedgerStore, AnAnswerThatWasCutOffIsKeptButNotCountedAsAnswered) {
    const auto settle_with = [this](const char* answer) {
        auto used = answered;
        used.kept_answer = answer;
        settle(begin(job_).value(), used);
    };
    const auto kept = [this] {
        return run(ledger_.kept_answer(job_.id, "gemini", "flash", call_purpose::analysis, soon()));
    };
    settle_with(R"("")");
    settle_with(R"("")");
    EXPECT_EQ(kept(), "\"\"\n\"\"");
    EXPECT_EQ(run(ledger_.answered_model(job_.id, soon())), "");
    settle_with(R"("answer")");
    EXPECT_EQ(kept(), "\"\"\n\"\"\n\"answer\"");
    EXPECT_EQ(run(ledger_.answered_model(job_.id, soon())), "gemini/flash");
}

// Goal: an answer that arrived while the database was unreachable is stored before the next attempt
// begins, which would pay again.
TEST_F(CallLedgerStore, AnExpiredJobWaitsForAnAnswerThatMayHaveArrived) {
    const auto call = begin(job_).value();
    EXPECT_THAT(rescue_expired(), IsEmpty());
    EXPECT_FALSE(claim()) << "the holder may still store its answer";
    auto used_by_call = answered;
    used_by_call.kept_answer = R"("late")";
    settle(call, used_by_call);
    end_delay();
    const auto again = claim().value();
    EXPECT_EQ(again.attempt, 2);
    EXPECT_EQ(
        run(ledger_.kept_answer(job_.id, "gemini", "flash", call_purpose::analysis, soon())),
        R"("late")");
    EXPECT_THAT(rescue_expired(), IsEmpty());
    EXPECT_TRUE(claim()) << "no call is open";
}

TEST_F(CallLedgerStore, SettlesACallWhoseJobIsDeletedMeanwhile) {
    static constexpr db::query begin_query{"test.begin", "BEGIN"};
    static constexpr db::query delete_query{"test.delete", "DELETE FROM job WHERE id = $1"};
    static constexpr db::query waiting_query{"test.waiting", R"sql(
        SELECT count(*) AS n FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock')sql"};
    static constexpr db::query commit_query{"test.commit", "COMMIT"};
    auto used_by_call = answered;
    used_by_call.kept_answer = R"("answer")";
    const auto call = begin(job_).value();
    db::pool_options one_connection;
    one_connection.connection_string = connection_string();
    one_connection.connections = 1;
    db::pool other{loop().context().get_executor(), one_connection, log::logger::silent()};
    other.start();
    run(other.run(soon(), begin_query));
    run(other.run(soon(), delete_query, job_.id));

    auto settled = boost::asio::co_spawn(
        loop().context(), ledger_.settle(call, used_by_call, soon()), boost::asio::use_future);
    const auto patience = deadline::after(30s);
    std::int64_t waiting = 0;
    while (waiting == 0 && !patience.passed() &&
           settled.wait_for(0s) != std::future_status::ready) {
        const auto found = run(pool().run(soon(), waiting_query));
        waiting = found.one().as<std::int64_t>("n");
    }
    run(other.run(soon(), commit_query));
    loop().wait_for(settled);
    settled.get();
    EXPECT_EQ(used().total.calls, 1);
    EXPECT_EQ(used().total.prompt_tokens, answered.prompt_tokens);
}

TEST_F(CallLedgerStore, TranscriptionsAreCountedApart) {
    const call_intent intent{
        .job = job_.id,
        .claim = job_.claim,
        .provider = "openai",
        .model = "whisper",
        .purpose = call_purpose::transcription,
        .calls_max = 1};
    const auto call = run(ledger_.begin(intent, soon())).value();
    EXPECT_FALSE(run(ledger_.begin(intent, soon()))) << "an unanswered one counts";
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(begin(job_)) << "analyses have a separate limit";
    settle(
        call,
        {.cost_picodollars = 6'250'000'000,
         .response_id = "r",
         .audio_milliseconds = 62'500,
         .kept_answer = R"({"text":"a\\u0000b"})"});
    EXPECT_FALSE(run(ledger_.begin(intent, soon())));
    const auto kept = [&](const char* model, call_purpose purpose) {
        return run(ledger_.kept_answer(job_.id, "openai", model, purpose, soon()));
    };
    EXPECT_EQ(kept("whisper", call_purpose::transcription), R"({"text":"a\\u0000b"})");
    EXPECT_EQ(kept("other", call_purpose::transcription), "");
    EXPECT_EQ(kept("whisper", call_purpose::analysis), "");
    const auto now = used();
    ASSERT_EQ(now.by_purpose.size(), 1U);
    EXPECT_EQ(now.by_purpose[0].purpose, "transcription");
    EXPECT_EQ(now.by_purpose[0].used.audio_seconds, "62.5");
    EXPECT_EQ(now.by_purpose[0].used.cost_usd, "0.00625");
    EXPECT_EQ(now.by_day[0].reels, 0) << "a transcript is no analysis";
    EXPECT_EQ(total().model, "whisper");
    EXPECT_EQ(total().audio_seconds, "62.5");
    const auto listed = of_reel();
    ASSERT_TRUE(listed);
    EXPECT_EQ(listed->calls[0].number, std::nullopt);
    EXPECT_EQ(listed->calls[0].audio_seconds, "62.5");
}

TEST_F(CallLedgerStore, LimitsAJobToThreeCallsOverAllAttempts) {
    settle(begin(job_).value());
    settle(begin(job_).value());
    ASSERT_TRUE(run(queue_.report({job_.id, job_.claim}, jobs::retried{0s}, soon())));
    EXPECT_EQ(begin(job_).error().code(), errc::cancelled) << "no longer held";
    const auto again = claim().value();
    EXPECT_EQ(again.id, job_.id);
    EXPECT_TRUE(begin(again));
    EXPECT_EQ(begin(again).error().code(), errc::limit_reached);
    EXPECT_TRUE(begin(claimed())) << "another job has separate calls";
}

// Goal: lost calls do not stay unsettled forever, and none that may still be answered is settled.
TEST_F(CallLedgerStore, LostCallsAreSettledAtAnUnknownCost) {
    static constexpr db::query age_query{
        "test.age", "UPDATE model_call SET called_at = called_at - interval '2 hours'"};
    static_cast<void>(begin(job_).value());
    static_cast<void>(begin(job_).value());
    run(pool().run(soon(), age_query));
    EXPECT_EQ(run(ledger_.settle_lost(10, soon())), 0) << "its claim is the current one";
    ASSERT_TRUE(run(queue_.report({job_.id, job_.claim}, jobs::released{}, soon())));
    const auto again = claim().value();
    const auto current = begin(again).value();
    const auto before = used();
    EXPECT_EQ(run(ledger_.settle_lost(1, soon())), 1) << "at most the requested number";
    EXPECT_EQ(run(ledger_.settle_lost(10, soon())), 1);
    EXPECT_EQ(run(ledger_.settle_lost(10, soon())), 0);
    EXPECT_EQ(used().total.calls, before.total.calls) << "they were counted before";
    EXPECT_EQ(used().total.unpriced_calls, 2);
    EXPECT_EQ(total().calls, 2);
    EXPECT_EQ(total().unpriced_calls, 2);
    settle(current);
    EXPECT_EQ(total().calls, 3);
    EXPECT_EQ(total().unpriced_calls, 2);
}

TEST_F(CallLedgerStore, AWorkerCanSettleALostCallForAnHour) {
    const auto call = begin(job_).value();
    ASSERT_TRUE(run(queue_.report({job_.id, job_.claim}, jobs::released{}, soon())));
    EXPECT_EQ(run(ledger_.settle_lost(10, soon())), 0);
    settle(call);
    EXPECT_EQ(total().cost_usd, "0.02865");
}

// The worker died: the call is never settled, and may have been billed.
TEST_F(CallLedgerStore, ALostCallHasAnUnknownCost) {
    static_cast<void>(begin(job_).value());
    ASSERT_TRUE(run(queue_.report({job_.id, job_.claim}, jobs::released{}, soon())));
    auto now = used();
    EXPECT_EQ(now.total.calls, 1);
    EXPECT_EQ(now.total.cost_usd, std::nullopt);
    EXPECT_EQ(now.total.unpriced_calls, 1);
    EXPECT_EQ(total().calls, 1);
    EXPECT_EQ(total().unpriced_calls, 1);

    const auto again = claim().value();
    settle(begin(again).value());
    now = used();
    EXPECT_EQ(now.total.calls, 2);
    EXPECT_EQ(now.total.cost_usd, "0.02865") << "the known part of the cost";
    EXPECT_EQ(now.by_model.at(0).used.unpriced_calls, 1);
    EXPECT_EQ(total().calls, 2);
}

// A late answer: the cost is then known.
TEST_F(CallLedgerStore, ALostCallThatIsSettledLaterIsCountedOnce) {
    const auto call = begin(job_).value();
    ASSERT_TRUE(run(queue_.report({job_.id, job_.claim}, jobs::released{}, soon())));
    settle(call);
    EXPECT_EQ(used().total.calls, 1);
    EXPECT_EQ(used().total.unpriced_calls, 0);
    EXPECT_EQ(total().calls, 1);
    EXPECT_EQ(total().unpriced_calls, 0);
}

TEST_F(CallLedgerStore, UsageOutlivesTheReel) {
    const auto call = begin(job_).value();
    EXPECT_TRUE(run(jobs_.remove(ann_, job_.id, soon())));
    EXPECT_EQ(used().total.unpriced_calls, 1);
    settle(call);
    EXPECT_EQ(used().total.cost_usd, "0.02865");
}

TEST_F(CallLedgerStore, AnUnknownPriceIsNeverZero) {
    settle(begin(job_).value(), {.prompt_tokens = 7, .output_tokens = 1});
    const auto now = used();
    EXPECT_EQ(now.total.cost_usd, std::nullopt);
    EXPECT_EQ(now.by_model.at(0).used.cost_usd, std::nullopt);
    EXPECT_EQ(now.by_day.at(0).used.cost_usd, std::nullopt);
    EXPECT_EQ(now.total.prompt_tokens, 7);
}

TEST_F(CallLedgerStore, EmbeddingsAreNotPaidCallsOfTheJob) {
    for (int i = 0; i < 5; ++i) {
        auto intent = embedding("key " + std::to_string(i));
        if (i < 4) intent.job = job_.id;
        const auto call = run(ledger_.begin_for_account(intent, soon())).value();
        settle(call, {.prompt_tokens = 40, .cost_picodollars = 6'000'000});
        settle(
            call, {.prompt_tokens = 1, .cost_picodollars = 1});  // Its answer was lost: repeated.
    }
    const auto now = used();
    EXPECT_EQ(now.total.calls, 5);
    EXPECT_EQ(now.total.prompt_tokens, 200);
    EXPECT_EQ(now.total.cost_usd, "0.00003");
    EXPECT_EQ(now.by_model.at(0).model, "embedding");
    EXPECT_TRUE(begin(job_));
}

// The daemon died between the answer and the ledger.
TEST_F(CallLedgerStore, ALostEmbeddingHasAnUnknownCost) {
    EXPECT_TRUE(run(ledger_.begin_for_account(embedding("k"), soon())));
    EXPECT_EQ(used().total.calls, 0) << "in progress";
    run(pool().run(soon(), db::query{"test.age_calls", R"sql(
        UPDATE model_call SET called_at = called_at - interval '4 minutes')sql"}));
    EXPECT_EQ(used().total.calls, 1);
    EXPECT_EQ(used().total.unpriced_calls, 1);
    EXPECT_EQ(used().total.cost_usd, std::nullopt);
}

TEST_F(CallLedgerStore, AnEmbeddingThatWasNotMadeIsReleased) {
    run(ledger_.release(run(ledger_.begin_for_account(embedding("k"), soon())).value(), soon()));
    EXPECT_TRUE(run(ledger_.begin_for_account(embedding("unheard"), soon())));
    run(ledger_.release_unanswered("unheard", soon()));
    run(pool().run(soon(), db::query{"test.age_calls", R"sql(
        UPDATE model_call SET called_at = called_at - interval '4 minutes')sql"}));
    EXPECT_EQ(used().total.calls, 0);
}

TEST_F(CallLedgerStore, ListsTheCallsOfAReel) {
    EXPECT_TRUE(of_reel().value().calls.empty());
    EXPECT_EQ(of_reel().value().cost_usd, "0");

    const auto first = begin(job_).value();
    auto listed = of_reel().value();
    ASSERT_EQ(listed.calls.size(), 1U);
    EXPECT_TRUE(listed.calls[0].is_under_way);
    EXPECT_EQ(listed.calls[0].cost_usd, std::nullopt);
    EXPECT_EQ(listed.unpriced_calls, 0) << "not yet known is not unknown";
    EXPECT_EQ(listed.cost_usd, "0");

    settle(first);
    begin(job_);
    auto intent = embedding("k");
    intent.job = job_.id;
    settle(
        run(ledger_.begin_for_account(intent, soon())).value(),
        {.prompt_tokens = 7, .cost_picodollars = 1});
    listed = of_reel().value();
    ASSERT_EQ(listed.calls.size(), 3U);
    EXPECT_EQ(listed.calls[0].number, 1);
    EXPECT_EQ(listed.calls[0].purpose, "analysis");
    EXPECT_EQ(listed.calls[0].provider, "gemini");
    EXPECT_EQ(listed.calls[0].model, "flash");
    EXPECT_EQ(listed.calls[0].prompt_tokens, 28950);
    EXPECT_EQ(listed.calls[0].cached_prompt_tokens, 100);
    EXPECT_EQ(listed.calls[0].output_tokens, 1850);
    EXPECT_EQ(listed.calls[0].thinking_tokens, 640);
    EXPECT_EQ(listed.calls[0].cost_usd, "0.02865");
    EXPECT_FALSE(listed.calls[0].is_under_way);
    EXPECT_TRUE(listed.calls[1].is_under_way);
    EXPECT_EQ(listed.calls[2].number, std::nullopt);
    EXPECT_EQ(listed.calls[2].purpose, "embedding");
    EXPECT_EQ(listed.calls[2].cost_usd, "0.000000000001");
    EXPECT_EQ(listed.cost_usd, "0.028650000001");
}

TEST_F(CallLedgerStore, ReportsUnknownCostsOfAReel) {
    begin(job_);
    // The answer is lost with the claim.
    ASSERT_TRUE(run(queue_.report({job_.id, job_.claim}, jobs::released{}, soon())));
    auto listed = of_reel().value();
    ASSERT_EQ(listed.calls.size(), 1U);
    EXPECT_FALSE(listed.calls[0].is_under_way);
    EXPECT_EQ(listed.unpriced_calls, 1);
    EXPECT_EQ(listed.cost_usd, std::nullopt);

    job_ = claim().value();
    settle(begin(job_).value());
    listed = of_reel().value();
    EXPECT_EQ(listed.unpriced_calls, 1);
    EXPECT_EQ(listed.cost_usd, "0.02865");
}

TEST_F(CallLedgerStore, ReturnsNoCallsOfUnknownOrForeignReels) {
    settle(begin(job_).value());
    accounts::account_store accounts{pool()};
    const auto bob =
        run(accounts.create("bob@example.com", accounts::role::member, soon())).value();
    usage_store store{pool()};
    EXPECT_FALSE(run(store.read_reel(bob, job_.id, soon())));
    EXPECT_FALSE(run(store.read_reel(ann_, job_id{job_.id.value + 1}, soon())));
    // Costs outlive their reel, without its name.
    EXPECT_TRUE(run(jobs_.remove(ann_, job_.id, soon())));
    EXPECT_FALSE(run(store.read_reel(ann_, job_.id, soon())));
    EXPECT_EQ(used().total.calls, 1);
}

}  // namespace
}  // namespace reelsd::usage
