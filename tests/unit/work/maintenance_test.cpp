#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>
#include <reelsd/work/maintenance/recorders.hpp>

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/loop.hpp>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

// Goal: steps continue after a failure, and a stop loses no recorded value. Method: steps and
// writes of the test in place of statements.
namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using reelsd::testing::run_on;
using ::testing::ElementsAre;

class scripted_task final : public periodic_task {
public:
    scripted_task(asio::io_context& loop, std::function<void(int)> on_step)
        : periodic_task{"scripted", loop.get_executor(), 1ms, log::logger::silent()},
          on_step_{std::move(on_step)} {}

    int steps = 0;
    int failures = 0;
    std::vector<bool> parts;  ///< Whether each part succeeded.

    void pause_long() { pause_for(1h); }

private:
    asio::awaitable<void> step() override {
        parts.push_back(co_await succeeds("part", run_part()));
        on_step_(++steps);
    }
    void on_failure() override { ++failures; }

    asio::awaitable<void> run_part() {
        if (steps % 2 == 1) throw std::runtime_error{"broken part"};
        co_return;
    }

    std::function<void(int)> on_step_;
};

struct Maintenance : ::testing::Test {
    void run_until(const std::function<bool()>& holds) {
        while (!holds()) loop.run_one_for(1s);
    }

    asio::io_context loop;
    asio::executor_work_guard<asio::io_context::executor_type> work{loop.get_executor()};
};

TEST_F(Maintenance, StepsContinueAfterAllKindsOfFailures) {
    scripted_task task{loop, [](int step) {
                           if (step == 1) throw std::runtime_error{"bug"};
                           if (step == 2) throw db::refused{"23505", "refused"};
                           if (step == 3) throw db::unavailable{db::outage::no_connection, "away"};
                       }};
    task.start();
    run_until([&] { return task.steps == 4; });
    EXPECT_EQ(task.failures, 3);
    EXPECT_THAT(task.parts, ElementsAre(true, false, true, false));
    EXPECT_TRUE(run_on(loop, task.stop(testing::far_deadline())));
}

TEST_F(Maintenance, AStepChoosesItsPause) {
    scripted_task task{loop, [&](int step) {
                           if (step == 3) task.pause_long();
                       }};
    task.start();
    run_until([&] { return task.steps == 3; });
    loop.run_for(20ms);
    EXPECT_EQ(task.steps, 3);
    EXPECT_TRUE(run_on(loop, task.stop(testing::far_deadline())));
}

struct TokenUsage : Maintenance {
    asio::awaitable<void> write(std::vector<token_id> used) {
        if (fails) throw db::unavailable{db::outage::no_connection, "away"};
        written.push_back(std::move(used));
        co_return;
    }

    bool fails = false;
    std::vector<std::vector<token_id>> written;
    token_usage_flusher flusher{
        loop.get_executor(),
        [this](std::vector<token_id> used, deadline) { return write(std::move(used)); },
        log::logger::silent()};
};

TEST_F(TokenUsage, EachTokenIsWrittenOnce) {
    flusher.note({7});
    flusher.note({3});
    flusher.note({7});
    flusher.start();
    run_until([&] { return !written.empty(); });
    EXPECT_TRUE(run_on(loop, flusher.stop(testing::far_deadline())));
    EXPECT_THAT(written, ElementsAre(ElementsAre(token_id{3}, token_id{7})));
}

TEST_F(TokenUsage, AStopWritesPendingUses) {
    flusher.start();
    loop.poll();
    flusher.note({8});
    EXPECT_TRUE(run_on(loop, flusher.stop(testing::far_deadline())));
    EXPECT_THAT(written, ElementsAre(ElementsAre(token_id{8})));
}

TEST_F(TokenUsage, AStopWithoutDatabaseEnds) {
    fails = true;
    flusher.note({7});
    flusher.start();
    EXPECT_TRUE(run_on(loop, flusher.stop(testing::far_deadline())));
    EXPECT_TRUE(written.empty());
}

struct StepRecorder : Maintenance {
    asio::awaitable<void> write(const std::vector<jobs::step_note>& reached) {
        if (writes++ == 0 && first_fails) throw db::unavailable{db::outage::no_connection, "away"};
        for (const auto& step : reached) {
            written.push_back(std::to_string(step.job.value) + " " + step.step);
        }
        co_return;
    }
    static jobs::claimed_job job(std::int64_t id) {
        jobs::claimed_job claimed;
        claimed.id = job_id{id};
        claimed.claim = 1;
        return claimed;
    }

    bool first_fails = false;
    int writes = 0;
    std::vector<std::string> written;
    step_recorder recorder{
        loop.get_executor(),
        [this](const std::vector<jobs::step_note>& reached, deadline) { return write(reached); },
        log::logger::silent()};
};

TEST_F(StepRecorder, TheLatestStepsOfAllJobsAreWrittenTogether) {
    recorder.start();
    std::thread worker{[this] {
        recorder.note(job(1), "resolve");
        recorder.note(job(2), "resolve");
        recorder.note(job(1), "download");
    }};
    worker.join();
    run_until([&] { return !written.empty(); });
    EXPECT_THAT(written, ElementsAre("1 download", "2 resolve"));
    EXPECT_EQ(writes, 1);
    EXPECT_TRUE(run_on(loop, recorder.stop(testing::far_deadline())));
}

TEST_F(StepRecorder, AFailedWriteIsDropped) {
    first_fails = true;
    recorder.start();
    recorder.note(job(1), "resolve");
    run_until([&] { return writes == 1; });
    recorder.note(job(2), "resolve");
    run_until([&] { return writes == 2; });
    EXPECT_THAT(written, ElementsAre("2 resolve"));
    EXPECT_TRUE(run_on(loop, recorder.stop(testing::far_deadline())));
}

TEST_F(Maintenance, AStopEndsASweepInProgress) {
    async::offload_pool threads{1, 1};
    std::atomic<bool> has_begun{false};
    const auto sweep = [&has_begun](const std::stop_token& stop) {
        has_begun = true;
        has_begun.notify_one();
        std::atomic<bool> is_stopped{false};
        const std::stop_callback on_stop{stop, [&is_stopped] {
                                             is_stopped = true;
                                             is_stopped.notify_one();
                                         }};
        is_stopped.wait(false);
    };
    const auto sweeper = make_provider_upload_sweeper(
        {.loop = loop.get_executor(), .log = log::logger::silent()}, threads, sweep);
    sweeper->start();
    loop.poll();
    has_begun.wait(false);
    EXPECT_TRUE(run_on(loop, sweeper->stop(testing::far_deadline())));
}

}  // namespace
}  // namespace reelsd::work
