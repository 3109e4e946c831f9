// Goal: statements run in order, pipelined, with independent outcomes. Method: a real server, one
// database for each test.
#include "pool_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace reelsd::db {
namespace {

using test::patience;
using namespace std::chrono_literals;
class PoolTest : public pool_fixture {};

TEST_F(PoolTest, EveryTypeSurvivesTheRoundTrip) {
    static constexpr query echo{"test.echo", R"sql(
        SELECT $1::bigint AS int8, $2::integer AS int4, $3::boolean AS truth, $4::float8 AS number,
               $5::text AS text, $6::timestamptz AS moment, $7::bytea AS octets,
               $8::jsonb::text AS document,
               $9::text[] AS texts, $10::text AS nothing,
               ($11::bigint[])[3] AS last_number, ($12::float8[])[2] AS last_real,
               $13::bigint AS id)sql"};
    const time_point moment{std::chrono::microseconds{1'779'444'000'123'456}};
    const std::vector<std::byte> octets{std::byte{0}, std::byte{0xff}, std::byte{'\\'}};
    const std::string hostile = "'; DROP TABLE x; -- \" \\ \n {} NULL \xF0\x9F\x8E\xAC";
    const std::vector<std::string> texts{hostile, "", "NULL", "a,b", "{}", "\\\""};
    const std::vector<std::int64_t> numbers{INT64_MIN, 0, INT64_MAX};
    const std::vector<double> reals{0.1, -1e300};

    const auto answer =
        ask(echo,
            INT64_MIN,
            INT32_MAX,
            true,
            0.1,
            hostile,
            moment,
            octets,
            json_text{R"({"a": 1})"},
            texts,
            std::nullopt,
            numbers,
            reals,
            job_id{42});

    const auto row = answer.one();
    EXPECT_EQ(row.as<std::int64_t>("int8"), INT64_MIN);
    EXPECT_EQ(row.as<std::int32_t>("int4"), INT32_MAX);
    EXPECT_TRUE(row.as<bool>("truth"));
    EXPECT_EQ(row.as<double>("number"), 0.1);
    EXPECT_EQ(row.as<std::string>("text"), hostile);
    EXPECT_EQ(row.as<time_point>("moment"), moment);
    EXPECT_EQ(row.as<std::vector<std::byte>>("octets"), octets);
    EXPECT_EQ(row.as<std::string_view>("document"), R"({"a": 1})");
    EXPECT_EQ(row.as<std::vector<std::string>>("texts"), texts);
    EXPECT_EQ(row.as<std::optional<std::string>>("nothing"), std::nullopt);
    EXPECT_EQ(row.as<std::int64_t>("last_number"), INT64_MAX);
    EXPECT_EQ(row.as<double>("last_real"), -1e300);
    EXPECT_EQ(row.as<job_id>("id"), job_id{42});
}

TEST_F(PoolTest, TransfersMegabytesBothWays) {
    static constexpr query echo_text{"test.echo_text", "SELECT $1::text AS text"};
    const std::string large(std::size_t{5} * 1024 * 1024, 'x');
    const auto answer = ask(echo_text, large);
    EXPECT_EQ(answer.one().as<std::string_view>("text"), large);
}

TEST_F(PoolTest, RefusesTextThatTheServerCannotStore) {
    static constexpr query echo_text{"test.echo_text", "SELECT $1::text AS text"};
    for (const std::string& text : {std::string{"a\0b", 3}, std::string{"\xC3\x28"}}) {
        const auto why = failure_of<refused>(ask_later(pool(), echo_text, text));
        ASSERT_TRUE(why);
        EXPECT_EQ(why->sqlstate(), "22021");
        EXPECT_EQ(why->code(), errc::invalid_argument);
    }
}

TEST_F(PoolTest, AThousandStatementsInFlightGetTheirOwnAnswers) {
    std::vector<std::future<rows>> answers;
    for (std::int64_t i = 0; i < 1000; ++i) answers.push_back(ask_later(pool(), echo_number, i));
    for (std::int64_t i = 0; i < 1000; ++i) {
        auto& answer = answers[static_cast<std::size_t>(i)];
        loop().wait_for(answer);
        const auto got = answer.get();
        ASSERT_EQ(got.one().as<std::int64_t>("number"), i);
    }
    EXPECT_EQ(pool().state().in_flight, 0U);
    EXPECT_EQ(pool().metrics().at("test.echo_number").count, 1000U);
    EXPECT_EQ(pool().metrics().at("test.echo_number").errors, 0U);
}

TEST_F(PoolTest, AnErrorInThePipelineAffectsOnlyItsStatement) {
    static constexpr query insert{"test.insert", "INSERT INTO thing VALUES ($1) RETURNING id"};
    static constexpr query count{"test.count", "SELECT count(*) AS n FROM thing"};
    script("CREATE TABLE thing (id bigint CONSTRAINT thing_once PRIMARY KEY)");
    auto single = options();
    single.connections = 1;
    const auto opened = open(single);

    std::vector<std::future<rows>> answers;
    // Each number twice: every second insert is refused, and what was inserted before it stays.
    for (int i = 0; i < 100; ++i) answers.push_back(ask_later(*opened, insert, i / 2));
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto why = failure_of<refused>(std::move(answers[i]));
        ASSERT_EQ(why.has_value(), i % 2 == 1) << i;
        if (!why) continue;
        EXPECT_EQ(why->sqlstate(), "23505");
        EXPECT_EQ(why->code(), errc::conflict);
    }
    const auto counted = ask(count);
    EXPECT_EQ(counted.one().as<std::int64_t>("n"), 50);
    EXPECT_EQ(opened->metrics().at("test.insert").errors, 50U);
}

TEST_F(PoolTest, AFailedPrepareDoesNotAffectLaterUses) {
    static constexpr query read{"test.read_late", "SELECT id FROM late"};
    auto single = options();
    single.connections = 1;
    const auto opened = open(single);

    std::vector<std::future<rows>> answers;
    for (int i = 0; i < 5; ++i) answers.push_back(ask_later(*opened, read));
    for (auto& answer : answers) {
        const auto why = failure_of<refused>(std::move(answer));
        ASSERT_TRUE(why);
        EXPECT_EQ(why->sqlstate(), "42P01") << why->what();  // Undefined table.
    }
    script("CREATE TABLE late (id bigint); INSERT INTO late VALUES (7)");
    const auto found = run(opened->run(soon(), read));
    EXPECT_EQ(found.one().as<std::int64_t>("id"), 7);
}

TEST_F(PoolTest, RepreparesAStatementAfterItsTableHasChanged) {
    static constexpr query read{"test.read_all", "SELECT * FROM growing"};
    script("CREATE TABLE growing (id bigint); INSERT INTO growing VALUES (1)");
    auto single = options();
    single.connections = 1;
    const auto opened = open(single);
    EXPECT_EQ(run(opened->run(soon(), read)).size(), 1U);

    script("ALTER TABLE growing ADD COLUMN name text NOT NULL DEFAULT 'new'");
    std::vector<std::future<rows>> answers;
    for (int i = 0; i < 3; ++i) answers.push_back(ask_later(*opened, read));
    for (auto& answer : answers) {
        loop().wait_for(answer);
        const auto got = answer.get();
        EXPECT_EQ(got.one().as<std::string>("name"), "new");
    }
    // The unused statement was deallocated on the server.
    static constexpr query prepared{
        "test.prepared", "SELECT count(*) AS n FROM pg_prepared_statements WHERE name LIKE $1"};
    EXPECT_EQ(run(opened->run(soon(), read)).size(), 1U);
    const auto left = run(opened->run(soon(), prepared, "test.read\\_all#%"));
    EXPECT_EQ(left.one().as<std::int64_t>("n"), 1);
}

TEST_F(PoolTest, RepreparesALostStatement) {
    static constexpr query forget_all{"test.forget_all", "DEALLOCATE ALL"};
    auto single = options();
    single.connections = 1;
    const auto opened = open(single);
    for (int i = 0; i < 3; ++i) {
        const auto got = run(opened->run(soon(), echo_number, i));
        EXPECT_EQ(got.one().as<std::int64_t>("number"), i);
        static_cast<void>(run(opened->run(soon(), forget_all)));
    }
}

TEST_F(PoolTest, ADeadlineEndsTheWaitAndKeepsTheOrder) {
    auto single = options();
    single.connections = 1;
    const auto opened = open(single);
    static_cast<void>(run(opened->run(soon(), echo_number, 1)));

    auto slow = asio::co_spawn(
        loop().context(), opened->run(deadline::after(2s), sleep_for, 4.0), asio::use_future);
    auto behind = ask_later(*opened, echo_number, 2);
    const auto why = failure_of<unavailable>(std::move(slow));
    ASSERT_TRUE(why);
    EXPECT_EQ(why->reason(), outage::deadline_passed);
    EXPECT_TRUE(why->may_have_run());
    EXPECT_EQ(why->code(), errc::database_unavailable);
    loop().wait_for(behind);
    const auto got = behind.get();
    EXPECT_EQ(got.one().as<std::int64_t>("number"), 2);
}

TEST_F(PoolTest, ACancelledWaitKeepsTheOrder) {
    auto single = options();
    single.connections = 1;
    const auto opened = open(single);
    static_cast<void>(run(opened->run(soon(), echo_number, 1)));

    asio::cancellation_signal stop;
    auto slow = asio::co_spawn(
        loop().context(),
        opened->run(soon(), sleep_for, 2.0),
        asio::bind_cancellation_slot(stop.slot(), asio::use_future));
    auto behind = ask_later(*opened, echo_number, 2);
    loop().run_until([&opened] { return opened->state().in_flight == 2; });
    asio::post(loop().context(), [&stop] { stop.emit(asio::cancellation_type::terminal); });

    const auto why = failure_of<boost::system::system_error>(std::move(slow));
    ASSERT_TRUE(why);
    EXPECT_EQ(why->code(), asio::error::operation_aborted);
    EXPECT_FALSE(opened->metrics().contains("test.sleep_for"));
    loop().wait_for(behind);
    const auto got = behind.get();
    EXPECT_EQ(got.one().as<std::int64_t>("number"), 2);
}

TEST_F(PoolTest, TheServersTimeLimitEndsAStatement) {
    auto quick = options();
    quick.statement_timeout = 50ms;
    const auto opened = open(quick);
    const auto why = failure_of<unavailable>(ask_later(*opened, sleep_for, 30.0));
    ASSERT_TRUE(why);
    EXPECT_EQ(why->reason(), outage::statement_timeout);
    EXPECT_FALSE(why->may_have_run());
}

TEST_F(PoolTest, ALockTimeoutIsContention) {
    static constexpr query lock{"test.lock", "SELECT pg_advisory_lock($1)"};
    auto quick = options();
    quick.connections = 1;
    quick.lock_timeout = 50ms;
    const auto holder = open(quick);
    const auto waiting = open(quick);
    static_cast<void>(run(holder->run(soon(), lock, 1)));
    const auto why = failure_of<unavailable>(ask_later(*waiting, lock, 1));
    ASSERT_TRUE(why);
    EXPECT_EQ(why->reason(), outage::contention);
}

TEST_F(PoolTest, RepeatsTheVictimOfADeadlock) {
    static constexpr query hold{"test.hold", "SELECT pg_advisory_lock(3)"};
    static constexpr query release{"test.release", "SELECT pg_advisory_unlock(3)"};
    static constexpr query lock_both{
        "test.lock_both",
        "SELECT pg_advisory_xact_lock($1), pg_advisory_xact_lock(3), pg_advisory_xact_lock($2)"};
    static constexpr query waiting{
        "test.waiting",
        "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"};
    auto single = options();
    single.connections = 1;
    const auto holder = open(single);
    single.connection_string += " options='-c deadlock_timeout=10ms'";
    const auto left = open(single);
    const auto right = open(single);
    static_cast<void>(run(holder->run(soon(), hold)));
    auto first = ask_later(*left, lock_both, 1, 2);
    auto second = ask_later(*right, lock_both, 2, 1);
    const auto count_waiting = [&] {
        const auto counted = ask(waiting);
        return counted.one().as<std::int64_t>("n");
    };
    while (count_waiting() < 2) continue;
    static_cast<void>(run(holder->run(soon(), release)));
    EXPECT_FALSE(failure_of<failure>(std::move(first)));
    EXPECT_FALSE(failure_of<failure>(std::move(second)));
}

TEST_F(PoolTest, AReadOnlyServerIsAnOutage) {
    static constexpr query insert{"test.insert_only", "INSERT INTO thing VALUES (1)"};
    script("CREATE TABLE thing (id bigint)");
    auto standby = options();
    standby.connection_string += " options='-c default_transaction_read_only=on'";
    const auto opened = open(standby);
    const auto why = failure_of<unavailable>(ask_later(*opened, insert));
    ASSERT_TRUE(why);
    EXPECT_EQ(why->reason(), outage::read_only);
}

TEST_F(PoolTest, StatementsAvoidASlowConnection) {
    auto two = options();
    two.connections = 2;
    two.statement_timeout = patience;
    const auto both = open(two);
    loop().run_until([&both] { return both->state().connections == 2; });
    auto slow = ask_later(*both, sleep_for, 55.0);
    loop().run_until([&both] { return both->state().in_flight == 1; });
    for (int i = 0; i < 50; ++i) {
        const auto got = run(both->run(soon(), echo_number, i));
        ASSERT_EQ(got.one().as<std::int64_t>("number"), i);
    }
    // None of the fifty waited for the sleeping statement.
    EXPECT_EQ(slow.wait_for(0s), std::future_status::timeout);
    both->close();
    EXPECT_TRUE(failure_of<unavailable>(std::move(slow)));
}

TEST_F(PoolTest, ClosingFailsWaitingAndLaterStatements) {
    const auto opened = open(options());
    auto slow = ask_later(*opened, sleep_for, 30.0);
    loop().run_until([&opened] { return opened->state().in_flight == 1; });
    opened->close();
    auto late = ask_later(*opened, echo_number, 1);
    for (auto* const outcome : {&slow, &late}) {
        const auto why = failure_of<unavailable>(std::move(*outcome));
        ASSERT_TRUE(why);
        EXPECT_EQ(why->reason(), outage::closed);
    }
    EXPECT_FALSE(opened->state().reachable());
}

TEST_F(PoolTest, WithoutAServerTheDeadlineEndsTheWait) {
    auto nowhere = options();
    nowhere.connection_string = "host=/nonexistent dbname=x user=y password=secret";
    const auto opened = open(nowhere);
    const auto why = failure_of<unavailable>(asio::co_spawn(
        loop().context(), opened->run(deadline::after(300ms), echo_number, 1), asio::use_future));
    ASSERT_TRUE(why);
    EXPECT_EQ(why->reason(), outage::no_connection);
    EXPECT_FALSE(why->may_have_run());
    const auto state = opened->state();
    EXPECT_FALSE(state.reachable());
    EXPECT_THAT(state.last_error, ::testing::HasSubstr("No such file"));
    EXPECT_EQ(opened->metrics().at("test.echo_number").errors, 1U);
}

TEST_F(PoolTest, ErrorsDoNotRepeatAMalformedConnectionString) {
    auto broken = options();
    broken.connection_string = "postgresql://user:topsecret@host:port:port/x?what=1";
    const auto opened = open(broken);
    loop().run_until([&opened] { return !opened->state().last_error.empty(); });
    EXPECT_THAT(opened->state().last_error, ::testing::Not(::testing::HasSubstr("topsecret")));
}

TEST_F(PoolTest, OtherThreadsRunStatementsOnTheLoop) {
    constexpr int questions = 50;
    std::atomic<int> answered{0};
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 4; ++worker) {
        workers.emplace_back([this, &answered] {
            for (int i = 0; i < questions; ++i) {
                auto answer = ask_later(pool(), echo_number, i);
                const auto got = answer.get();
                if (got.one().as<std::int64_t>("number") == i) ++answered;
            }
        });
    }
    loop().run_until([&answered] { return answered == 4 * questions; });
}

}  // namespace
}  // namespace reelsd::db
