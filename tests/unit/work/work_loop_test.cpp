#include <reelsd/work/engine/work_loop.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/loop.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Goal: after any failure, each claim is begun at most once, reported until the report succeeds or
// is obsolete, and released by a stop. Method: a fake table, and work that the test ends.
namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using reelsd::testing::run_on;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class manual_runner final : public work_runner<int, std::string> {
public:
    [[nodiscard]] std::size_t capacity() const noexcept override { return 2; }
    void start(int claim, std::stop_token stop, end_handler on_end) override {
        running.emplace(claim, std::pair{std::move(stop), std::move(on_end)});
        begun.push_back(claim);
    }

    void end(int claim, std::string outcome) {
        const auto on_end = running.at(claim).second;
        running.erase(claim);
        on_end(std::move(outcome));
    }
    [[nodiscard]] bool is_stopped(int claim) const {
        return running.at(claim).first.stop_requested();
    }

    std::map<int, std::pair<std::stop_token, end_handler>> running;
    std::vector<int> begun;
};

class test_loop final : public work_loop<int, std::string> {
public:
    test_loop(async::task_group& tasks, std::unique_ptr<manual_runner> runner)
        : work_loop{tasks, std::move(runner), 0ms} {}

    [[nodiscard]] std::string_view name() const noexcept override { return "test"; }
    void start() override { start_claiming(); }
    using work_loop::stop_work;

    std::deque<int> due;
    std::vector<std::string> reported;
    std::vector<std::string> settled;  ///< Calls of on_reported().
    std::size_t claims_max = 2;
    bool is_database_away = false;
    bool refuses = false;
    bool has_lease_left = true;
    std::vector<int> expired;
    mutable int claim_failures = 0;

private:
    asio::awaitable<void> claim_work() override {
        if (is_database_away) throw db::unavailable{db::outage::no_connection, "away"};
        note_database(true);
        while (!due.empty() && held() < claims_max) {
            take(due.front(), due.front());
            due.pop_front();
        }
        begin_waiting();
        co_return;
    }
    [[nodiscard]] bool has_room() const override { return held() < claims_max; }
    [[nodiscard]] deadline next_claim_at() const override { return deadline::after(1ms); }
    void log_claim_failure(const db::failure& /*failure*/) const override { ++claim_failures; }
    [[nodiscard]] bool may_begin(const int& claim) const override {
        return std::find(expired.begin(), expired.end(), claim) == expired.end();
    }
    asio::awaitable<bool> write_report(const int& claim, const std::string& outcome) override {
        if (is_database_away) throw db::unavailable{db::outage::no_connection, "away"};
        if (std::exchange(refuses, false)) throw db::refused{"22000", "refused"};
        reported.push_back(std::to_string(claim) + " " + outcome);
        co_return true;
    }
    [[nodiscard]] std::string released() const override { return "released"; }
    std::string after_refusal(
        const int& /*claim*/, std::string refused, const db::failure& /*refusal*/,
        bool repeated) override {
        EXPECT_FALSE(repeated);
        return refused + " refused";
    }
    [[nodiscard]] std::optional<deadline> report_by(const int& /*claim*/) const override {
        if (has_lease_left) return std::nullopt;
        return deadline::after(0s);
    }
    void on_reported(const held_claim& ended, const std::string& outcome, bool written) override {
        settled.push_back(
            std::to_string(ended.claim) + " " + outcome + (written ? "" : " unwritten"));
    }
};

struct WorkLoop : ::testing::Test {
    WorkLoop() { engine.start(); }
    ~WorkLoop() override {
        engine.is_database_away = false;
        while (!runner.running.empty()) runner.end(runner.running.begin()->first, "end");
        EXPECT_TRUE(run_on(loop, engine.stop(testing::far_deadline())));
        EXPECT_TRUE(run_on(loop, tasks.stop(testing::far_deadline(), testing::far_deadline())));
    }

    template <class Condition>
    void run_until(Condition holds) {
        engine.wake();
        while (!holds()) loop.run_one();
    }

    asio::io_context loop;
    asio::executor_work_guard<asio::io_context::executor_type> busy{loop.get_executor()};
    async::task_group tasks{
        loop.get_executor(),
        [](std::string_view task, const std::exception_ptr&) { ADD_FAILURE() << task; }};
    std::unique_ptr<manual_runner> owned_runner = std::make_unique<manual_runner>();
    manual_runner& runner = *owned_runner;
    test_loop engine{tasks, std::move(owned_runner)};
};

TEST_F(WorkLoop, ClaimsBeginsAndReports) {
    engine.due = {1, 2, 3};
    run_until([&] { return runner.begun.size() == 2; });
    EXPECT_EQ(engine.busy(), 2U);
    runner.end(2, "done");
    run_until([&] { return runner.begun.size() == 3; });
    EXPECT_THAT(runner.begun, ElementsAre(1, 2, 3));
    EXPECT_THAT(engine.reported, ElementsAre("2 done"));
}

TEST_F(WorkLoop, ClaimsBeyondTheWorkersWait) {
    engine.claims_max = 3;
    engine.due = {1, 2, 3};
    run_until([&] { return engine.held() == 3; });
    EXPECT_EQ(engine.unbegun(), 1U);
    runner.end(1, "done");
    EXPECT_THAT(runner.begun, ElementsAre(1, 2, 3)) << "at once, before the report is written";
}

TEST_F(WorkLoop, WorkThatIsStoppedBeforeItBeginsIsReleased) {
    engine.claims_max = 3;
    engine.due = {1, 2, 3};
    run_until([&] { return engine.held() == 3; });
    engine.stop_work(3);
    engine.stop_work(1);
    run_until([&] { return engine.held() == 2; });
    EXPECT_THAT(engine.reported, ElementsAre("3 released"));
    EXPECT_TRUE(runner.is_stopped(1));
    EXPECT_FALSE(runner.is_stopped(2));
}

TEST_F(WorkLoop, AnOldLeaseIsNotBegun) {
    engine.expired = {1};
    engine.due = {1};
    run_until([&] { return !engine.settled.empty(); });
    EXPECT_THAT(engine.settled, ElementsAre("1 released"));
    EXPECT_THAT(runner.begun, IsEmpty());
}

TEST_F(WorkLoop, AReportThatCannotBeWrittenOccupiesItsWorker) {
    engine.claims_max = 4;
    engine.due = {1, 2};
    run_until([&] { return runner.begun.size() == 2; });
    engine.is_database_away = true;
    runner.end(1, "done");
    run_until([&] { return engine.busy() == 2; });
    engine.due = {3};
    engine.is_database_away = false;
    run_until([&] { return runner.begun.size() == 3; });
    EXPECT_THAT(engine.reported, ElementsAre("1 done")) << "the report came first";
}

TEST_F(WorkLoop, ARefusedReportIsReplaced) {
    engine.due = {1};
    run_until([&] { return !runner.running.empty(); });
    engine.refuses = true;
    runner.end(1, "done");
    run_until([&] { return !engine.settled.empty(); });
    EXPECT_THAT(engine.settled, ElementsAre("1 done refused"));
}

TEST_F(WorkLoop, AReportIsDroppedAfterItsDeadline) {
    engine.has_lease_left = false;
    engine.due = {1};
    run_until([&] { return !runner.running.empty(); });
    runner.end(1, "done");
    run_until([&] { return !engine.settled.empty(); });
    EXPECT_THAT(engine.settled, ElementsAre("1 done unwritten"));
    EXPECT_THAT(engine.reported, IsEmpty());
}

TEST_F(WorkLoop, AStopAsksRunningWorkToEnd) {
    engine.claims_max = 3;
    engine.due = {1, 2, 3};
    run_until([&] { return engine.held() == 3; });
    EXPECT_FALSE(run_on(loop, engine.stop(deadline::after(0s)))) << "two are left";
    EXPECT_THAT(engine.reported, ElementsAre("3 released"));
    EXPECT_TRUE(runner.is_stopped(1));
    EXPECT_TRUE(runner.is_stopped(2));
    runner.end(1, "released");
    runner.end(2, "done");
    EXPECT_TRUE(run_on(loop, engine.stop(testing::far_deadline())));
    EXPECT_THAT(engine.reported, UnorderedElementsAre("3 released", "1 released", "2 done"));
}

TEST_F(WorkLoop, AStopDoesNotWaitForAClaimDuringAnOutage) {
    engine.is_database_away = true;
    run_until([&] { return engine.claim_failures > 0; });
    EXPECT_TRUE(run_on(loop, engine.stop(deadline::after(1h))));
}

}  // namespace
}  // namespace reelsd::work
