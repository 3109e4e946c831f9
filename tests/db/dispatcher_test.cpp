#include "support/row_lock.hpp"
#include "support/test_database.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>
#include <reelsd/work/engine/dispatcher.hpp>

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using test::database_test;

constexpr const char* link = "https://www.instagram.com/reel/DYa0IXPgnP5/";

constexpr db::query delete_query{"test.delete", R"sql(DELETE FROM job WHERE id = $1)sql"};
constexpr db::query expire_query{"test.expire", R"sql(
    UPDATE job SET lease_until = now() - interval '1 second' WHERE status = 'processing')sql"};

constexpr db::query count_query{"test.count", R"sql(
    SELECT count(*) FILTER (WHERE status = 'processing') AS processing,
           count(*) FILTER (WHERE status = 'pending' AND attempt > 0) AS spent FROM job)sql"};

/// Replaces the steps of a job: counts them, and waits for the stop if requested.
class scripted_runner {
public:
    jobs::transition operator()(const jobs::claimed_job& job, const std::stop_token& stop) {
        {
            const std::lock_guard lock{mutex_};
            ++runs_[job.id.value];
            const int now = ++running_[job.id.value];
            if (now > 1) overlapped_ = true;
        }
        begun.fetch_add(1);
        if (blocks.load()) {
            std::unique_lock lock{mutex_};
            // Woken only by the stop request.
            stopped_.wait(lock, stop, [] { return false; });
        }
        const std::lock_guard lock{mutex_};
        --running_[job.id.value];
        if (stop.stop_requested()) return jobs::released{};
        return outcome;
    }

    [[nodiscard]] std::map<std::int64_t, int> runs() const {
        const std::lock_guard lock{mutex_};
        return runs_;
    }
    [[nodiscard]] bool overlapped() const {
        const std::lock_guard lock{mutex_};
        return overlapped_;
    }

    std::atomic<int> begun{0};
    std::atomic<bool> blocks{false};
    /// Set before the first job.
    jobs::transition outcome = jobs::completed{R"({"visual":{}})"};

private:
    mutable std::mutex mutex_;
    std::condition_variable_any stopped_;
    std::map<std::int64_t, int> runs_;
    std::map<std::int64_t, int> running_;
    bool overlapped_ = false;
};

class Dispatcher : public test::database_test {
protected:
    void SetUp() override {
        database_test::SetUp();
        accounts::account_store accounts{pool()};
        ann_ = run(accounts.create("ann@example.com", accounts::role::member, soon())).value();
    }

    void TearDown() override {
        for (auto& one : dispatchers_) run(one->stop(soon()));
        static_cast<void>(run(tasks_.stop(soon(), soon())));
    }

    dispatcher& start(std::size_t workers, seconds_f lease = 60s) {
        dispatcher_options options;
        options.worker = "w" + std::to_string(dispatchers_.size());
        options.lease = lease;
        options.drain = 0ms;
        options.policy.base = std::chrono::duration<double>{0};
        options.look_interval = 50ms;
        options.on_job_changed = [this](job_id job) { poller_.announce(job); };
        const auto work = [this](const jobs::claimed_job& job, const std::stop_token& stop) {
            return runner_(job, stop);
        };
        auto threads = std::make_unique<threaded_attempt_runner>(
            loop().context().get_executor(), workers, work);
        dispatchers_.push_back(std::make_unique<dispatcher>(
            queue_, tasks_, std::move(threads), options, log::logger::silent()));
        dispatchers_.back()->start();
        return *dispatchers_.back();
    }

    [[nodiscard]] job_id submitted() {
        const jobs::default_limits generous{
            .submissions_per_minute = 10'000, .concurrent_jobs = 10'000};
        return run(store_.submit(ann_, {.url = link}, generous, soon())).job;
    }
    [[nodiscard]] jobs::job read(job_id id) { return run(store_.find(ann_, id, soon())).value(); }
    void run_until_status(job_id id, jobs::job_status status) {
        while (read(id).status != status) loop().context().run_one_for(20ms);
    }

    account_id ann_;
    jobs::job_store store_{pool()};
    jobs::queue_store queue_{pool()};
    jobs::change_poller poller_{jobs::change_store{pool()}, log::logger::silent()};
    async::task_group tasks_{
        loop().context().get_executor(), [](std::string_view task, const std::exception_ptr& why) {
            ADD_FAILURE() << task;
            std::rethrow_exception(why);
        }};
    scripted_runner runner_;
    std::vector<std::unique_ptr<dispatcher>> dispatchers_;
};

TEST_F(Dispatcher, RunsAJobAndNotifiesWaiters) {
    auto& queue = start(2);
    const auto id = submitted();
    jobs::change_poller::waiter waiter{poller_, id};
    queue.wake();
    EXPECT_TRUE(run(waiter.wait(soon())));
    EXPECT_EQ(read(id).status, jobs::job_status::done);
    EXPECT_EQ(read(id).result, R"({"visual":{}})");
}

// Goal: with two daemons on one database every job runs exactly once.
TEST_F(Dispatcher, TwoInstancesShareTheWork) {
    std::vector<job_id> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(submitted());
    start(4);
    start(4);
    for (const auto id : ids) run_until_status(id, jobs::job_status::done);
    const auto runs = runner_.runs();
    EXPECT_EQ(runs.size(), 100U);
    for (const auto& [id, count] : runs) EXPECT_EQ(count, 1) << id;
    EXPECT_FALSE(runner_.overlapped());
}

// Goal: prefetched jobs do not wait for workers that are now busy.
TEST_F(Dispatcher, ReleasesPrefetchedJobsWhenWorkersStayBusy) {
    for (int i = 0; i < 300; ++i) static_cast<void>(submitted());
    auto& queue = start(2);
    loop().run_until([&queue] { return queue.unbegun() > 0; });
    runner_.blocks = true;
    const auto count = [this](const char* of) {
        const auto found = run(pool().run(soon(), count_query));
        const auto row = found.one();
        return row.as<std::int64_t>(of);
    };
    const auto is_calm = [&queue] { return queue.busy() == 2 && queue.held() == 2; };
    while (!is_calm() || count("processing") != 2) loop().context().run_one_for(20ms);
    EXPECT_EQ(count("spent"), 0) << "no attempt of a job that was not started";
    EXPECT_FALSE(runner_.overlapped());
}

TEST_F(Dispatcher, AStopReleasesRunningJobsWithoutSpendingAnAttempt) {
    runner_.blocks = true;
    const auto id = submitted();
    auto& queue = start(1);
    loop().run_until([this] { return runner_.begun.load() == 1; });
    EXPECT_TRUE(run(queue.stop(soon())));
    EXPECT_EQ(read(id).status, jobs::job_status::pending);

    runner_.blocks = false;
    start(1);
    run_until_status(id, jobs::job_status::done);
    EXPECT_EQ(runner_.runs().at(id.value), 2);
}

TEST_F(Dispatcher, AStoppedInstanceClaimsNothing) {
    auto& queue = start(1);
    EXPECT_TRUE(run(queue.stop(soon())));
    const auto id = submitted();
    queue.wake();
    const auto again = submitted();  // Two more turns of the loop.
    EXPECT_EQ(read(id).status, jobs::job_status::pending);
    EXPECT_EQ(read(again).status, jobs::job_status::pending);
}

TEST_F(Dispatcher, StopsADeletedJob) {
    runner_.blocks = true;
    const auto id = submitted();
    auto& queue = start(1, 1s);
    loop().run_until([this] { return runner_.begun.load() == 1; });
    run(pool().run(soon(), delete_query, id));
    loop().run_until([&queue] { return queue.held() == 0; });
    EXPECT_FALSE(run(store_.find(ann_, id, soon())));
}

// Goal: a deletion on any daemon stops the work long before the renewal of the lease.
TEST_F(Dispatcher, NoticesADeletionByAnotherDaemonWithoutARenewal) {
    runner_.blocks = true;
    const auto id = submitted();
    auto& queue = start(1, 3600s);
    loop().run_until([this] { return runner_.begun.load() == 1; });
    EXPECT_TRUE(run(store_.remove(ann_, id, soon())));
    loop().run_until([&queue] { return queue.held() == 0; });
}

TEST_F(Dispatcher, ADeletionByThisDaemonStopsTheWorkAndNotifiesWaiters) {
    runner_.blocks = true;
    const auto id = submitted();
    auto& queue = start(1, 3600s);
    loop().run_until([this] { return runner_.begun.load() == 1; });
    jobs::change_poller::waiter waiter{poller_, id};
    EXPECT_TRUE(run(store_.remove(ann_, id, soon())));
    queue.cancel(id);
    EXPECT_TRUE(run(waiter.wait(soon())));
    loop().run_until([&queue] { return queue.held() == 0; });
}

// Goal: while the worker lives, its lease is renewed and no other worker gets the job.
TEST_F(Dispatcher, RenewsTheLeaseOfALiveWorker) {
    runner_.blocks = true;
    const auto id = submitted();
    start(1, 3s);
    loop().run_until([this] { return runner_.begun.load() == 1; });
    start(1, 3s);
    const auto until = deadline::after(6s);  // Two leases.
    loop().run_until([&until] { return until.passed(); });
    EXPECT_EQ(read(id).status, jobs::job_status::processing);
    EXPECT_EQ(runner_.runs().at(id.value), 1);
}

// Goal: a row locked by an open transaction does not stop other attempts.
TEST_F(Dispatcher, ALockedRowDoesNotStopOtherAttempts) {
    runner_.blocks = true;
    std::vector<job_id> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(submitted());
    auto& queue = start(5, 3s);
    loop().run_until([this] { return runner_.begun.load() == 5; });
    test::row_lock lock{loop(), connection_string(), ids[2]};
    const auto until = deadline::after(6s);  // Two leases.
    loop().run_until([&until] { return until.passed(); });
    const auto runs = runner_.runs();
    for (const auto id : {ids[0], ids[1], ids[3], ids[4]}) {
        EXPECT_EQ(runs.at(id.value), 1) << "stopped and started again";
        EXPECT_EQ(read(id).status, jobs::job_status::processing);
    }
    EXPECT_EQ(queue.held(), 5U) << "the locked one cannot be reported yet";
    lock.release();
    // Its attempt was stopped, because others might have taken it.
    loop().run_until([this] { return runner_.begun.load() == 6; });
    EXPECT_EQ(runner_.runs().at(ids[2].value), 2);
    EXPECT_FALSE(runner_.overlapped());
}

TEST_F(Dispatcher, RescuesAJobOfADeadWorker) {
    const auto id = submitted();
    const jobs::claim_request dead{.worker = "dead", .jobs_max = 1, .lease = 60s};
    EXPECT_EQ(run(queue_.claim(dead, soon())).size(), 1U);
    run(pool().run(soon(), expire_query));
    start(1);
    run_until_status(id, jobs::job_status::done);
}

TEST_F(Dispatcher, RunsARetriedJobAgain) {
    runner_.outcome = jobs::retried{std::chrono::duration<double>{0}};
    const auto id = submitted();
    start(1);
    loop().run_until([this] { return runner_.begun.load() >= 3; });
    EXPECT_NE(read(id).status, jobs::job_status::done);
    EXPECT_FALSE(runner_.overlapped());
}

// A result that the server always refuses is not retried forever, and not paid for again.
TEST_F(Dispatcher, ARefusedResultEndsAsAStorageError) {
    runner_.outcome = jobs::completed{"this is no JSON"};
    const auto id = submitted();
    start(1);
    run_until_status(id, jobs::job_status::error);
    EXPECT_EQ(read(id).error_code, jobs::job_error_code::storage_error);
    EXPECT_EQ(runner_.runs().at(id.value), 1);
}

/// Refuses results with a SQLSTATE. A sequence counts them, because a rollback does not undo it.
class RefusingDispatcher : public Dispatcher {
protected:
    void SetUp() override {
        Dispatcher::SetUp();
        run(pool().run(soon(), {"test.refusal", "CREATE TABLE test_refusal (state text)"}));
        run(pool().run(soon(), {"test.refusals", "CREATE SEQUENCE test_refusals"}));
        run(pool().run(soon(), function_query));
        run(pool().run(soon(), trigger_query));
    }

    void refuse_with(const std::string& sqlstate) {
        run(pool().run(soon(), {"test.refuse", "INSERT INTO test_refusal VALUES ($1)"}, sqlstate));
    }
    void accept() { run(pool().run(soon(), {"test.accept", "DELETE FROM test_refusal"})); }
    [[nodiscard]] std::int64_t refusals() {
        static constexpr db::query asked{"test.asked", "SELECT last_value FROM test_refusals"};
        const auto found = run(pool().run(soon(), asked));
        const auto row = found.one();
        return row.as<std::int64_t>("last_value");
    }

private:
    static constexpr db::query function_query{"test.function", R"sql(
        CREATE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE refusal text := (SELECT state FROM test_refusal);
        BEGIN
            IF NEW.status = 'done' AND refusal IS NOT NULL THEN
                PERFORM nextval('test_refusals');
                RAISE EXCEPTION 'simulated' USING ERRCODE = refusal;
            END IF;
            RETURN NEW;
        END $$)sql"};
    static constexpr db::query trigger_query{"test.trigger", R"sql(
        CREATE TRIGGER test_refuse BEFORE UPDATE ON job
        FOR EACH ROW EXECUTE FUNCTION test_refuse())sql"};
};

// Goal: errors that an operator can repair cost no result. Method: each SQLSTATE refuses two
// reports.
TEST_F(RefusingDispatcher, RetriesAResultUntilTheServerAcceptsIt) {
    start(1);
    for (const char* state :
         {"58030", "XX000", "XX001", "42501", "42883", "42703", "42P05", "26000", "53100"}) {
        SCOPED_TRACE(state);
        const auto before = refusals();
        refuse_with(state);
        const auto id = submitted();
        const auto has_ended = [&] { return read(id).status == jobs::job_status::error; };
        while (refusals() < before + 2 && !has_ended()) loop().context().run_one_for(20ms);
        ASSERT_EQ(read(id).status, jobs::job_status::processing);
        accept();
        run_until_status(id, jobs::job_status::done);
        EXPECT_EQ(runner_.runs().at(id.value), 1);
    }
}

TEST_F(RefusingDispatcher, ADataErrorEndsTheJobImmediately) {
    start(1);
    for (const char* state : {"22021", "22P05", "23514", "54000"}) {
        SCOPED_TRACE(state);
        refuse_with(state);
        const auto id = submitted();
        run_until_status(id, jobs::job_status::error);
        EXPECT_EQ(read(id).error_code, jobs::job_error_code::storage_error);
        EXPECT_EQ(runner_.runs().at(id.value), 1);
        accept();
    }
}

}  // namespace
}  // namespace reelsd::work
