// Scenarios of one daemon and its database with fully determined timing.
#include "simulated_daemon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace reelsd::simulation {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t workers_many = 4;

class DispatcherScenario : public ::testing::Test {
protected:
    DispatcherScenario() {
        mix_.is_long = 1;  // Every attempt takes just as long.
        mix_.long_time = 2s;
        start();
    }

    void start(seconds_f lease = 60s, std::size_t workers = 1) {
        const simulated_daemon::settings settings{
            .who = {.daemon = 1, .start = ++starts_}, .workers = workers, .lease = lease};
        daemon_.reset();
        daemon_ = std::make_unique<simulated_daemon>(database_, mix_, settings, [] {});
        loop_.run_ready();
    }

    [[nodiscard]] job_id submitted() {
        const auto job = model_.submit(database_.now());
        daemon_->wake();
        loop_.run_ready();
        return job;
    }

    /// Runs jobs that end immediately until some have been prefetched; later attempts last for
    /// `then`.
    void claim_some_ahead(duration then) {
        database_.set_weather({.delay_mean = 20ms});
        mix_.long_time = 1ms;
        while (daemon_->unbegun() < workers_many) {
            while (model_.open() < 8 * workers_many) model_.submit(database_.now());
            daemon_->wake();
            loop_.step([this] { daemon_->check(); });
        }
        mix_.long_time = then;
        pass(2ms);  // Those that started before.
    }
    [[nodiscard]] std::size_t processing() const { return model_.leased().size(); }

    /// Lets time pass until `reached()` and returns the duration.
    template <class Condition>
    duration pass_until(Condition reached) {
        const auto from = loop_.now();
        while (!reached() && loop_.now() - from < 1h) loop_.step([this] { daemon_->check(); });
        EXPECT_TRUE(reached());
        return loop_.now() - from;
    }
    void pass(duration length) {
        const auto until = loop_.now() + length;
        pass_until([this, until] { return loop_.now() >= until; });
    }
    [[nodiscard]] bool is(job_id job, jobs::job_status status) const {
        return model_.find(job)->status == status;
    }

    void TearDown() override { EXPECT_FALSE(ledger_.is_broken()) << ledger_.report(); }

    simulated_loop loop_;
    dice dice_{1};
    work_mix mix_;
    ledger ledger_{
        loop_,
        {.attempts_max = 3, .wait_max = 1h, .lease_max = 60s + 1ms, .deleted_work_max = 60s}};
    queue_model model_{[this](row_change why, const model_row* before, const model_row* after) {
        ledger_.note_change(why, before, after, database_.now());
    }};
    simulated_database database_{loop_, dice_, ledger_, model_, 1.0};
    std::unique_ptr<simulated_daemon> daemon_;
    int starts_ = 0;
};

TEST_F(DispatcherScenario, ALostClaimCostsNeitherAnAttemptNorALease) {
    database_.set_weather({.lost_after = 1});
    const auto job = submitted();
    pass_until([&] { return is(job, jobs::job_status::processing); });
    pass(1s);
    database_.set_weather({});
    const auto took = pass_until([&] { return is(job, jobs::job_status::done); });
    EXPECT_LT(took, 10s) << "a lease lasts for a minute";
    EXPECT_EQ(model_.find(job)->attempt, 1);
    EXPECT_GE(model_.find(job)->claim, 2);
}

TEST_F(DispatcherScenario, RenewsTheLeaseWhileTheWorkerLives) {
    mix_.long_time = 300s;
    const auto job = submitted();
    pass_until([&] { return is(job, jobs::job_status::done); });
    EXPECT_EQ(model_.find(job)->claim, 1);
    EXPECT_EQ(ledger_.counts().attempts, 1U);
}

TEST_F(DispatcherScenario, DoesNotStartAClaimAnsweredAfterItsLease) {
    start(1s);
    database_.set_weather({.slow_answer = 1});
    const auto job = submitted();
    pass_until([&] { return is(job, jobs::job_status::processing); });
    pass_until([&] { return daemon_->held() == 1; });
    pass_until([&] { return daemon_->held() == 0; });
    EXPECT_EQ(ledger_.counts().attempts, 0U);
}

TEST_F(DispatcherScenario, ADeletionByAnotherDaemonStopsTheWorkWithinTwoSeconds) {
    mix_.long_time = 300s;
    const auto job = submitted();
    pass_until([this] { return ledger_.in_work() == 1; });
    EXPECT_TRUE(model_.remove(database_.now(), job));
    EXPECT_LT(pass_until([this] { return ledger_.in_work() == 0; }), 2s);
}

TEST_F(DispatcherScenario, ClaimsTheNextJobWhileTheLastOneIsReported) {
    database_.set_weather({.delay_mean = 100ms});
    constexpr int jobs = 50;
    // Jobs that last longer than a statement, and shorter.
    for (const auto work : {300ms, 10ms}) {
        mix_.long_time = work;
        for (int i = 0; i < jobs; ++i) model_.submit(database_.now());
        const auto last = submitted();
        const auto took = pass_until([&] { return is(last, jobs::job_status::done); });
        EXPECT_LT(took, jobs * (work + 2 * 200ms)) << "time of the work, a claim and a report";
    }
}

TEST_F(DispatcherScenario, PrefetchesJobsShorterThanAClaim) {
    start(60s, workers_many);
    database_.set_weather({.delay_mean = 20ms});
    mix_.long_time = 1ms;
    for (int i = 0; i < 400; ++i) model_.submit(database_.now());
    const auto last = submitted();
    std::size_t most = 0;
    pass_until([&] {
        most = std::max(most, daemon_->unbegun());
        EXPECT_LE(daemon_->busy(), workers_many);
        return is(last, jobs::job_status::done);
    });
    EXPECT_GT(most, 0U);
}

TEST_F(DispatcherScenario, ClaimsReadFromTheLowestTurnOnceASecond) {
    constexpr int seconds = 5;
    mix_.long_time = 20ms;
    for (int job = 0; job < 1000; ++job) model_.submit(database_.now());
    daemon_->wake();
    pass(1s);
    const auto claims_before = database_.claims;
    const auto full_before = database_.full_claims;
    pass(seconds * 1s);
    EXPECT_GT(database_.claims - claims_before, 10 * seconds);
    EXPECT_LE(database_.full_claims - full_before, seconds + 1);
}

TEST_F(DispatcherScenario, DoesNotPrefetchJobsLongerThanAClaim) {
    start(60s, workers_many);
    mix_.long_time = 1s;
    for (int i = 0; i < 100; ++i) model_.submit(database_.now());
    const auto last = submitted();
    pass_until([&] {
        EXPECT_EQ(daemon_->unbegun(), 0U);
        EXPECT_LE(processing(), 2 * workers_many)
            << "one running and one being reported for each worker";
        return is(last, jobs::job_status::done);
    });
}

TEST_F(DispatcherScenario, ReleasesAPrefetchedJobToItsPlaceWhenNoWorkerIsIdle) {
    start(60s, workers_many);
    claim_some_ahead(300s);
    const auto before = model_.rows();
    pass_until([this] { return ledger_.in_work() == workers_many; });
    EXPECT_LT(pass_until([this] { return processing() == workers_many; }), 3s);
    for (const auto& [id, row] : model_.rows()) {
        if (row.status != jobs::job_status::pending) continue;
        EXPECT_EQ(row.attempt, 0);
        EXPECT_EQ(row.run_at, before.at(id).run_at);
    }
    pass(60s);
    EXPECT_EQ(processing(), workers_many) << "others may claim it from then on";
}

TEST_F(DispatcherScenario, AStopReleasesPrefetchedJobsImmediately) {
    start(60s, workers_many);
    claim_some_ahead(3s);
    pass_until([this] { return ledger_.in_work() == workers_many; });
    EXPECT_GT(daemon_->unbegun(), 0U);
    daemon_->stop();
    EXPECT_LT(pass_until([this] { return processing() == ledger_.in_work(); }), 1s);
    pass_until([this] { return daemon_->has_stopped(); });
    EXPECT_TRUE(daemon_->is_drained());
    EXPECT_EQ(processing(), 0U);
}

TEST_F(DispatcherScenario, ADeletedPrefetchedJobIsNotStarted) {
    start(60s, workers_many);
    claim_some_ahead(10s);
    pass_until([this] { return ledger_.in_work() == workers_many; });
    const auto begun = ledger_.counts().attempts;
    std::vector<job_id> ahead;
    for (const auto& [until, id] : model_.leased()) {
        const auto* const row = model_.find({id});
        if (!ledger_.has_begun({row->id, row->claim})) ahead.push_back(row->id);
    }
    ASSERT_FALSE(ahead.empty());
    for (const auto job : ahead) {
        EXPECT_TRUE(model_.remove(database_.now(), job));
        daemon_->cancel(job);
    }
    pass_until([this] { return daemon_->unbegun() == 0; });
    EXPECT_EQ(ledger_.counts().attempts, begun);
}

TEST_F(DispatcherScenario, PermitsAreUsedAsTheyBecomeDueAndJobsInLineAreNotClaimed) {
    start(60s, workers_many);
    mix_.needs_permit = 1;
    constexpr std::uint64_t jobs = 20;
    for (std::uint64_t i = 1; i < jobs; ++i) model_.submit(database_.now());
    const auto last = submitted();
    const auto took = pass_until([&] { return is(last, jobs::job_status::done); });
    EXPECT_GE(took, (jobs - 1) * mix_.line.interval);
    EXPECT_LT(took, jobs * (mix_.line.interval + 100ms) + mix_.long_time);
    EXPECT_LE(ledger_.counts().claims, 2 * jobs) << "one claim to join the line, one with a permit";
}

TEST_F(DispatcherScenario, ABacklogInLineDelaysAnotherAccountByAtMostTwoPermits) {
    start(60s, workers_many);
    mix_.needs_permit = 1;
    for (int i = 0; i < 1000; ++i) model_.submit(database_.now());
    static_cast<void>(submitted());
    pass_until([this] { return model_.in_line() > 990; });
    const auto single = model_.submit(database_.now(), {2});
    daemon_->wake();
    const auto took = pass_until([&] { return is(single, jobs::job_status::done); });
    EXPECT_LT(took, 2 * mix_.line.interval + mix_.long_time + 1s);
}

TEST_F(DispatcherScenario, ASingleJobGetsItsPermitImmediately) {
    mix_.needs_permit = 1;
    const auto job = submitted();
    EXPECT_LT(pass_until([&] { return is(job, jobs::job_status::done); }), mix_.long_time + 1s);
    EXPECT_EQ(ledger_.counts().claims, 1U);
}

TEST_F(DispatcherScenario, WithoutWorkAStopDoesNotWaitForTheDatabase) {
    database_.set_weather({.is_outage = true});
    pass(10s);
    daemon_->stop();
    EXPECT_LT(pass_until([this] { return daemon_->has_stopped(); }), 1s);
    EXPECT_TRUE(daemon_->is_drained());
}

TEST_F(DispatcherScenario, AReleaseWaitsForTheDatabaseWithinTheGracePeriod) {
    mix_.long_time = 50s;
    const auto job = submitted();
    pass_until([this] { return ledger_.in_work() == 1; });
    database_.set_weather({.is_outage = true});
    pass(3s);
    daemon_->stop();
    pass(6s);
    EXPECT_FALSE(daemon_->has_stopped());
    database_.set_weather({});
    pass_until([this] { return daemon_->has_stopped(); });
    EXPECT_TRUE(daemon_->is_drained());
    EXPECT_TRUE(is(job, jobs::job_status::pending));
    EXPECT_EQ(model_.find(job)->attempt, 0);
}

TEST_F(DispatcherScenario, AStopEndsInTimeWithoutTheDatabase) {
    mix_.long_time = 50s;
    const auto job = submitted();
    pass_until([this] { return ledger_.in_work() == 1; });
    database_.set_weather({.is_outage = true});
    pass(3s);
    daemon_->stop();
    EXPECT_LE(pass_until([this] { return daemon_->has_stopped(); }), 8s + 1s);
    EXPECT_FALSE(daemon_->is_drained());
    EXPECT_TRUE(is(job, jobs::job_status::processing)) << "until its lease is over";
}

}  // namespace
}  // namespace reelsd::simulation
