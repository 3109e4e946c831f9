#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/pool.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>

/// Real PostgreSQL for tests: one throw-away server for each test program (started when first
/// needed; even as root), one database for each test. With REELSD_TEST_DATABASE_URL in the
/// environment, that server is used instead; its role needs to be allowed to create databases.
namespace reelsd::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Longer than anything in a test takes on a busy machine: a longer wait means a hang.
inline constexpr auto patience = 60s;

enum class schema : std::uint8_t {
    empty,     ///< Nothing in it.
    migrated,  ///< All of migrations/ applied.
};

/// A separate database, dropped at the end together with whatever is connected to it.
class test_database {
public:
    explicit test_database(schema with);
    test_database(const test_database&) = delete;
    test_database& operator=(const test_database&) = delete;
    ~test_database();

    [[nodiscard]] const std::string& connection_string() const noexcept {
        return connection_string_;
    }

private:
    std::string name_;
    std::string connection_string_;
};

/// An event loop that runs while a test waits for something, on the test's own thread.
class test_loop {
public:
    [[nodiscard]] asio::io_context& context() noexcept { return context_; }

    /// Runs the loop until the operation is over; gives its value or throws what it threw.
    template <class Value>
    Value run(asio::awaitable<Value> operation) {
        auto outcome = asio::co_spawn(context_, std::move(operation), asio::use_future);
        wait_for(outcome);
        return outcome.get();
    }

    /// Runs the loop until the future is ready.
    template <class Value>
    void wait_for(std::future<Value>& outcome) {
        run_until([&outcome] { return outcome.wait_for(0s) == std::future_status::ready; });
    }

    /// Runs the loop until `reached()`; looks after each handler and 50 times a second. Throws when
    /// that takes longer than `patience`.
    template <class Condition>
    void run_until(Condition reached) {
        const auto by = deadline::after(patience);
        while (!reached()) {
            if (by.passed()) throw std::runtime_error{"the test's loop waits without success"};
            if (context_.stopped()) context_.restart();
            context_.run_one_for(20ms);
        }
    }

private:
    asio::io_context context_{1};
};

/// A test with a database, a loop and a pool that is open. Derive, and use pool() and run().
template <schema With>
class basic_database_test : public ::testing::Test {
protected:
    [[nodiscard]] const std::string& connection_string() const noexcept {
        return database_.connection_string();
    }
    [[nodiscard]] db::pool& pool() noexcept { return pool_; }
    [[nodiscard]] test_loop& loop() noexcept { return loop_; }

    template <class Value>
    Value run(asio::awaitable<Value> operation) {
        return loop_.run(std::move(operation));
    }

    /// For queries that should simply succeed.
    [[nodiscard]] static deadline soon() { return deadline::after(patience); }

    void SetUp() override { pool_.start(); }

    /// A REPEATABLE READ transaction of another session that runs `statement` and then stays open,
    /// as a dump does, until end_transaction().
    [[nodiscard]] std::future<result<void>> open_transaction(const std::string& statement) {
        static constexpr db::query open{
            "test.open_transactions",
            "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%'"
            " AND pid <> pg_backend_pid() AND wait_event = 'PgSleep'"};
        auto ended = std::async(std::launch::async, [this, statement] {
            return db::run_script(
                connection_string(),
                "BEGIN ISOLATION LEVEL REPEATABLE READ; " + statement + "; SELECT pg_sleep(3600)",
                soon());
        });
        const auto by = soon();
        const auto count = [&] {
            const auto counted = run(pool().run(soon(), open));
            return counted.one().template as<std::int64_t>("n");
        };
        while (count() == 0 && !by.passed()) continue;
        return ended;
    }

    void end_transaction(std::future<result<void>>& transaction) {
        static constexpr db::query end{
            "test.end_transactions",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()"};
        run(pool().run(soon(), end));
        EXPECT_FALSE(transaction.get());
    }

private:
    [[nodiscard]] db::pool_options options() const {
        db::pool_options options;
        options.connection_string = database_.connection_string();
        options.statement_timeout = patience;
        options.lock_timeout = patience;
        return options;
    }

    test_database database_{With};
    test_loop loop_;
    db::pool pool_{loop_.context().get_executor(), options(), log::logger::silent()};
};

/// For stores: the whole schema.
using database_test = basic_database_test<schema::migrated>;
/// For the database layer itself.
using empty_database_test = basic_database_test<schema::empty>;

}  // namespace reelsd::test
