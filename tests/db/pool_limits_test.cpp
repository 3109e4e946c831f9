// Goal: a pool refuses statements beyond its limits, except essential ones, and its sessions have
// the same settings for any defaults of the server. Method: a real server, one database for each
// test.
#include "pool_fixture.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace reelsd::db {
namespace {

using namespace std::chrono_literals;

class PoolLimitsTest : public pool_fixture {};

TEST_F(PoolLimitsTest, OverridesDefaultsOfRoleAndDatabase) {
    static constexpr query settings{
        "test.settings",
        "SELECT current_setting('transaction_isolation') AS isolation,"
        " current_setting('transaction_read_only') AS read_only"};
    const auto role = "careful_" + std::to_string(::getpid());
    script("CREATE ROLE " + role + " LOGIN");
    script("ALTER ROLE " + role + " SET default_transaction_isolation = 'repeatable read'");
    script("ALTER ROLE " + role + " SET default_transaction_read_only = on");
    const auto alter_database = [this](const std::string& setting) {
        script(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET " + setting +
            "', current_database()); END $$");
    };
    alter_database("default_transaction_isolation = serializable");
    alter_database("default_transaction_read_only = on");
    for (const auto& login : {std::string{}, " user=" + role}) {
        SCOPED_TRACE(login);
        auto own = options();
        own.connection_string += login;
        const auto opened = open(own);
        const auto answer = run(opened->run(soon(), settings));
        EXPECT_EQ(answer.one().as<std::string>("isolation"), "read committed");
        EXPECT_EQ(answer.one().as<std::string>("read_only"), "off");
    }
    script("DROP ROLE " + role);
}

TEST_F(PoolLimitsTest, AcceptsEssentialStatementsDuringAFlood) {
    static constexpr query renew{"test.renew", "SELECT 1", priority::essential};
    auto small = options();
    small.in_flight_max = 2;
    small.in_flight_reserve = 1;
    const auto opened = open(small);
    auto first = ask_later(*opened, sleep_for, 0.05);
    auto second = ask_later(*opened, sleep_for, 0.05);
    auto renewal = ask_later(*opened, renew);
    const auto read = failure_of<unavailable>(ask_later(*opened, echo_number, 1));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->reason(), outage::overloaded);
    for (auto* const sent : {&first, &second, &renewal}) {
        loop().wait_for(*sent);
        EXPECT_EQ(sent->get().size(), 1U);
    }
}

TEST_F(PoolLimitsTest, TheReserveIsBounded) {
    static constexpr query renew{"test.renew", "SELECT pg_sleep(0.05)", priority::essential};
    auto small = options();
    small.in_flight_max = 1;
    small.in_flight_reserve = 1;
    const auto opened = open(small);
    auto first = ask_later(*opened, renew);
    auto second = ask_later(*opened, renew);
    const auto beyond = failure_of<unavailable>(ask_later(*opened, renew));
    ASSERT_TRUE(beyond);
    EXPECT_EQ(beyond->reason(), outage::overloaded);
    for (auto* const sent : {&first, &second}) {
        loop().wait_for(*sent);
        EXPECT_EQ(sent->get().size(), 1U);
    }
}

TEST_F(PoolLimitsTest, CountsServerFaultsSeparatelyFromDataFaults) {
    static constexpr query missing{"test.missing", "SELECT no_such_function()"};
    static constexpr query malformed{"test.malformed", "SELECT $1::integer"};
    const auto opened = open(options());
    EXPECT_TRUE(failure_of<refused>(ask_later(*opened, missing)));
    EXPECT_TRUE(failure_of<refused>(ask_later(*opened, malformed, "seven")));
    EXPECT_EQ(opened->metrics().find("test.missing")->second.faults, 1U);
    EXPECT_EQ(opened->metrics().find("test.malformed")->second.faults, 0U);
    EXPECT_EQ(opened->metrics().find("test.malformed")->second.errors, 1U);
}

TEST_F(PoolLimitsTest, RefusesAStatementBeyondTheLimitImmediately) {
    auto small = options();
    small.in_flight_max = 2;
    const auto opened = open(small);
    auto first = ask_later(*opened, sleep_for, 0.05);
    auto second = ask_later(*opened, sleep_for, 0.05);
    const auto why = failure_of<unavailable>(ask_later(*opened, echo_number, 1));
    ASSERT_TRUE(why);
    EXPECT_EQ(why->reason(), outage::overloaded);
    EXPECT_FALSE(why->may_have_run());
    loop().wait_for(first);
    loop().wait_for(second);
    EXPECT_EQ(first.get().size(), 1U);
    const auto later = run(opened->run(soon(), echo_number, 1));
    EXPECT_EQ(later.size(), 1U);
}

}  // namespace
}  // namespace reelsd::db
