// Goal: the pool recovers from failures of its server by itself. Method: a server of the test,
// which is killed, stopped and disconnected.
#include "support/test_database.hpp"
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>

namespace reelsd::db {
namespace {

using test::patience;
using namespace std::chrono_literals;

constexpr query echo_number{"test.echo_number", "SELECT $1::bigint AS number"};
constexpr query sleep_for{"test.sleep_for", "SELECT pg_sleep($1)"};
constexpr query own_connections{
    "test.own_connections",
    "SELECT count(*) AS count FROM pg_stat_activity WHERE application_name = 'reelsd'"};
constexpr query backend{"test.backend", "SELECT pg_backend_pid() AS process"};

std::filesystem::path make_folder() {
    std::string folder = "/tmp/reelsd-test-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error{"mkdtemp failed"};
    return folder;
}

class PoolFaultTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        folder = make_folder();
        cluster = std::make_unique<private_cluster>(
            cluster_options{.data_dir = folder, .binaries = {}, .durable = false},
            log::logger::silent());
    }
    static void TearDownTestSuite() {
        cluster.reset();
        std::error_code left_behind;
        std::filesystem::remove_all(folder, left_behind);
    }

    void SetUp() override { options_.connection_string = bring_up(); }

    static deadline soon() { return deadline::after(patience); }

    static std::string bring_up() {
        auto up = cluster->ensure_running(soon());
        if (!up) throw std::runtime_error{up.error().to_string()};
        return *up;
    }

    static pid_t postmaster_process() {
        std::ifstream file{folder / "postgres" / "postmaster.pid"};
        pid_t process = 0;
        file >> process;
        return process;
    }

    std::unique_ptr<pool> open() {
        auto opened =
            std::make_unique<pool>(loop_.context().get_executor(), options_, log::logger::silent());
        opened->start();
        return opened;
    }

    template <class... Values>
    std::future<rows> ask(pool& from, const query& what, Values&&... values) {
        return asio::co_spawn(
            loop_.context(),
            from.run(soon(), what, std::forward<Values>(values)...),
            asio::use_future);
    }

    /// Waits for the answer; returns the reason of an outage.
    std::optional<outage> outage_of(std::future<rows> outcome) {
        loop_.wait_for(outcome);
        try {
            static_cast<void>(outcome.get());
        } catch (const unavailable& why) {
            return why.reason();
        }
        return {};
    }

    static std::filesystem::path folder;
    static std::unique_ptr<private_cluster> cluster;
    test::test_loop loop_;
    pool_options options_;
};

std::filesystem::path PoolFaultTest::folder;
std::unique_ptr<private_cluster> PoolFaultTest::cluster;

TEST_F(PoolFaultTest, ATerminatedBackendFailsItsStatementsAndIsReplaced) {
    options_.connections = 1;
    options_.statement_timeout = patience;
    const auto opened = open();
    auto slow = ask(*opened, sleep_for, 55.0);
    auto behind = ask(*opened, echo_number, 1);
    loop_.run_until([&opened] { return opened->state().in_flight == 2; });
    const auto killed = run_script(
        options_.connection_string,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        soon());
    ASSERT_TRUE(killed) << killed.error().to_string();

    EXPECT_EQ(outage_of(std::move(slow)), outage::connection_lost);
    EXPECT_EQ(outage_of(std::move(behind)), outage::connection_lost);
    EXPECT_EQ(outage_of(ask(*opened, echo_number, 2)), std::nullopt);
}

TEST_F(PoolFaultTest, ReconnectsAfterTheServerWasKilled) {
    options_.statement_timeout = patience;
    const auto opened = open();
    loop_.run_until([&opened] { return opened->state().connections == 4; });
    auto slow = ask(*opened, sleep_for, 55.0);
    loop_.run_until([&opened] { return opened->state().in_flight == 1; });
    ASSERT_EQ(::kill(postmaster_process(), SIGKILL), 0);
    EXPECT_EQ(outage_of(std::move(slow)), outage::connection_lost);

    auto up = std::async(std::launch::async, &PoolFaultTest::bring_up);
    loop_.wait_for(up);
    static_cast<void>(up.get());
    loop_.run_until([this, &opened] { return !outage_of(ask(*opened, echo_number, 1)); });
    loop_.run_until([&opened] { return opened->state().connections == 4; });
}

TEST_F(PoolFaultTest, RestartsAServerThatWasJustKilled) {
    // The death may be noticed before, during or after the first check: each must start a new
    // server.
    constexpr int rounds = 5;
    for (int round = 0; round < rounds; ++round) {
        ASSERT_EQ(::kill(postmaster_process(), SIGKILL), 0);
        options_.connection_string = bring_up();
    }
    const auto one = open();
    EXPECT_EQ(outage_of(ask(*one, echo_number, 1)), std::nullopt);
}

TEST_F(PoolFaultTest, AStoppedServerFailsStatementsUntilItIsBack) {
    const auto opened = open();
    EXPECT_EQ(outage_of(ask(*opened, echo_number, 1)), std::nullopt);
    cluster->stop();
    loop_.run_until([&opened] { return !opened->state().reachable(); });
    auto early = asio::co_spawn(
        loop_.context(), opened->run(deadline::after(200ms), echo_number, 2), asio::use_future);
    EXPECT_EQ(outage_of(std::move(early)), outage::no_connection);

    auto waiting = ask(*opened, echo_number, 3);
    auto up = std::async(std::launch::async, &PoolFaultTest::bring_up);
    EXPECT_EQ(outage_of(std::move(waiting)), std::nullopt);
    static_cast<void>(up.get());
    EXPECT_TRUE(opened->state().last_error.empty());
}

TEST_F(PoolFaultTest, AbandonsASilentServer) {
    options_.connections = 1;
    options_.statement_timeout = 1s;
    options_.stall_time_max = 1s;
    const auto opened = open();
    auto answer = ask(*opened, backend);
    loop_.wait_for(answer);
    const auto got = answer.get();
    const auto process = static_cast<pid_t>(got.one().as<std::int32_t>("process"));

    ASSERT_EQ(::kill(process, SIGSTOP), 0);
    const auto why = outage_of(ask(*opened, echo_number, 1));
    ::kill(process, SIGCONT);
    EXPECT_EQ(why, outage::connection_lost);
    EXPECT_EQ(outage_of(ask(*opened, echo_number, 2)), std::nullopt);
}

TEST_F(PoolFaultTest, ReplacesASilentConnectionUntilItResponds) {
    options_.connections = 1;
    options_.statement_timeout = patience;
    const auto opened = open();
    auto first = ask(*opened, backend);
    loop_.wait_for(first);
    const auto first_outcome = first.get();
    const auto process = static_cast<pid_t>(first_outcome.one().as<std::int32_t>("process"));
    ASSERT_EQ(::kill(process, SIGSTOP), 0);
    auto owed = ask(*opened, echo_number, 1);
    loop_.run_until([&opened] { return opened->state().connections == 0; });
    EXPECT_EQ(outage_of(ask(*opened, echo_number, 2)), std::nullopt) << "waits for the new one";
    auto second = ask(*opened, backend);
    loop_.wait_for(second);
    const auto second_answer = second.get();
    EXPECT_NE(second_answer.one().as<std::int32_t>("process"), process);
    EXPECT_EQ(opened->state().connections, 1U);

    ASSERT_EQ(::kill(process, SIGCONT), 0);
    EXPECT_EQ(outage_of(std::move(owed)), std::nullopt) << "statements sent there are not lost";
    const auto are_one = [this, &opened] {
        auto counted = ask(*opened, own_connections);
        loop_.wait_for(counted);
        const auto found = counted.get();
        return found.one().as<std::int64_t>("count") == 1;
    };
    loop_.run_until(are_one);
}

TEST_F(PoolFaultTest, ASuspendedPoolAnswersStatementsInFlightAndHoldsNewOnes) {
    const auto opened = open();
    loop_.run_until([&opened] { return opened->state().connections == 4; });
    auto running = ask(*opened, sleep_for, 0.05);
    loop_.run_until([&opened] { return opened->state().in_flight == 1; });
    const auto away_by = deadline::after(patience);
    EXPECT_TRUE(loop_.run(opened->suspend({.settled_by = soon(), .waiting_by = away_by})));
    EXPECT_EQ(outage_of(std::move(running)), std::nullopt);
    cluster->stop();

    // Long enough to be sent, however slow this program, and over before any server has started.
    auto kept = asio::co_spawn(
        loop_.context(), opened->run(deadline::after(250ms), echo_number, 1), asio::use_future);
    auto up = std::async(std::launch::async, &PoolFaultTest::bring_up);
    loop_.wait_for(up);
    static_cast<void>(up.get());
    EXPECT_EQ(kept.wait_for(0s), std::future_status::timeout) << "beyond its own deadline";
    EXPECT_FALSE(opened->state().reachable());
    opened->resume();
    EXPECT_EQ(outage_of(std::move(kept)), std::nullopt);
}

TEST_F(PoolFaultTest, LimitsTheWaitForAServerThatDoesNotReturn) {
    const auto opened = open();
    const auto soon_over = deadline::after(10ms);
    EXPECT_TRUE(loop_.run(opened->suspend({.settled_by = soon_over, .waiting_by = soon_over})));
    auto late = asio::co_spawn(
        loop_.context(), opened->run(deadline::after(20ms), echo_number, 2), asio::use_future);
    EXPECT_EQ(outage_of(std::move(late)), outage::no_connection);
}

TEST_F(PoolFaultTest, SuspendingGivesUpOnAStatementThatTakesTooLong) {
    options_.connections = 1;
    options_.statement_timeout = patience;
    const auto opened = open();
    auto slow = ask(*opened, sleep_for, 55.0);
    loop_.run_until([&opened] { return opened->state().in_flight == 1; });
    const auto at_once = deadline::after(10ms);
    EXPECT_FALSE(loop_.run(opened->suspend({.settled_by = at_once, .waiting_by = soon()})));
    opened->close();
    EXPECT_EQ(outage_of(std::move(slow)), outage::closed);
}

TEST_F(PoolFaultTest, ReportsAMissingDatabaseAndWaitsForIt) {
    auto base = options_.connection_string;
    options_.connection_string += " dbname=later";
    const auto opened = open();
    loop_.run_until([&opened] { return !opened->state().last_error.empty(); });
    EXPECT_NE(opened->state().last_error.find("later"), std::string::npos);
    const auto created = run_script(base, "CREATE DATABASE later", soon());
    ASSERT_TRUE(created) << created.error().to_string();
    EXPECT_EQ(outage_of(ask(*opened, echo_number, 1)), std::nullopt);
}

}  // namespace
}  // namespace reelsd::db
