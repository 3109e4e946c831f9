// Goal: a database is replaced completely or not at all, and nothing is left of an incomplete swap.
// Method: real databases.
#include "support/test_database.hpp"
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/database_swap.hpp>
#include <reelsd/db/migrator.hpp>

#include <gmock/gmock.h>

#include <array>
#include <string>

namespace reelsd::db {
namespace {

using ::testing::HasSubstr;

constexpr std::array<std::string_view, 2> tables{"thing", "other"};

class DatabaseSwapTest : public ::testing::Test {
protected:
    static deadline soon() { return deadline::after(test::patience); }

    void sql(const std::string& text) { sql(database_.connection_string(), text); }
    static void sql(const std::string& where, const std::string& text) {
        const auto done = run_script(where, text, soon());
        EXPECT_TRUE(done) << done.error().to_string();
    }
    /// Whether the condition holds in the database.
    bool holds(const std::string& condition) {
        return run_script(
                   database_.connection_string(),
                   "DO $$ BEGIN ASSERT (" + condition + "); END $$",
                   soon())
            .has_value();
    }
    bool nothing_is_left() {
        return holds(
            "SELECT NOT EXISTS (SELECT FROM pg_database WHERE datname LIKE"
            " current_database() || '\\_restore\\_%')");
    }
    [[nodiscard]] result<database_swap> make() {
        return database_swap::make(database_.connection_string(), soon());
    }

    test::test_database database_{test::schema::empty};
};

TEST_F(DatabaseSwapTest, ReplacesTheDatabase) {
    sql("CREATE TABLE thing AS SELECT 'old' AS name");
    {
        auto swap = make();
        ASSERT_TRUE(swap) << swap.error().to_string();
        EXPECT_FALSE(look_into(swap->connection_string(), tables, soon())->has_relations);
        sql(swap->connection_string(), "CREATE TABLE thing AS SELECT 'new' AS name");
        EXPECT_TRUE(holds("SELECT name = 'old' FROM thing"));
        const auto done = swap->commit(soon());
        ASSERT_TRUE(done) << done.error().to_string();
    }
    EXPECT_TRUE(holds("SELECT name = 'new' FROM thing"));
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(DatabaseSwapTest, DropsTheNewDatabaseUnlessCommitted) {
    sql("CREATE TABLE thing AS SELECT 'old' AS name");
    {
        const auto swap = make();
        ASSERT_TRUE(swap) << swap.error().to_string();
        EXPECT_FALSE(nothing_is_left());
    }
    EXPECT_TRUE(holds("SELECT name = 'old' FROM thing"));
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(DatabaseSwapTest, IsRefusedWhileAClientIsConnected) {
    test::test_loop loop;
    pool_options options;
    options.connection_string = database_.connection_string();
    pool connected{loop.context().get_executor(), options, log::logger::silent()};
    static constexpr query nothing{"test.nothing", "SELECT 1"};
    const auto connect = [&] {
        connected.start();
        loop.run(connected.run(soon(), nothing));
    };
    auto swap = make();
    ASSERT_TRUE(swap) << swap.error().to_string();
    connect();
    // Clients at the beginning, and a client that connected later.
    const auto late = swap->commit(soon());
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), errc::conflict);
    swap = error{errc::internal};  // Its lock goes with it.
    const auto refused = make();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), errc::conflict);
    EXPECT_THAT(refused.error().detail(), HasSubstr("stop every daemon"));
    connected.close();
}

TEST_F(DatabaseSwapTest, ExcludesOtherSwaps) {
    const auto first = make();
    ASSERT_TRUE(first) << first.error().to_string();
    const auto second = make();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), errc::conflict);
    EXPECT_TRUE(look_into(first->connection_string(), tables, soon()));
}

TEST_F(DatabaseSwapTest, DropsLeftoversOfAKilledSwap) {
    const auto postgres = with_database(database_.connection_string(), "postgres");
    ASSERT_TRUE(postgres);
    std::string name;
    {
        auto swap = make();
        ASSERT_TRUE(swap);
        name = swap->connection_string();
        ASSERT_TRUE(swap->commit(soon()));
    }
    // A leftover with the name of the swap above.
    const auto begin = name.find("dbname='") + 8;
    const auto left = name.substr(begin, name.find('\'', begin) - begin);
    sql(*postgres, "CREATE DATABASE \"" + left + "\"");
    EXPECT_FALSE(nothing_is_left());
    ASSERT_TRUE(make());  // The temporary ends here.
    EXPECT_TRUE(nothing_is_left());
}

TEST_F(DatabaseSwapTest, NeedsARoleThatOwnsTheDatabase) {
    const auto refused = database_swap::make(
        database_.connection_string() + " options='-c role=pg_monitor'", soon());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), errc::conflict);
    EXPECT_THAT(refused.error().detail(), HasSubstr("CREATEDB"));
}

TEST_F(DatabaseSwapTest, DetectsRows) {
    const auto look = [this] { return *look_into(database_.connection_string(), tables, soon()); };
    EXPECT_FALSE(look().has_relations);
    sql("CREATE TABLE thing (id integer); CREATE TABLE unasked AS SELECT 1 AS id");
    EXPECT_TRUE(look().has_relations);
    EXPECT_FALSE(look().has_rows);
    sql("INSERT INTO thing VALUES (1)");
    EXPECT_TRUE(look().has_rows);
}

TEST(ClientProgram, GetsThePasswordOnlyInItsEnvironment) {
    const auto missing = find_client_program(
        "pg_dump",
        "host=/nonexistent user=ann password='it''s secret' dbname='a b' connect_timeout=3"
        " keepalives=0",
        "/nonexistent",
        deadline::after(test::patience));
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().detail(), ::testing::Not(HasSubstr("secret")));

    const auto found = find_client_program(
        "sh",
        "postgresql://ann:s%20cret@db.example:5433/a%20b?keepalives=0&application_name=x",
        "/bin",
        deadline::after(test::patience));
    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_THAT(found->environment, ::testing::Contains("PGPASSWORD=s cret"));
    EXPECT_THAT(found->environment, ::testing::Contains("PGUSER=ann"));
    EXPECT_THAT(found->environment, ::testing::Contains("PGHOST=db.example"));
    EXPECT_THAT(found->environment, ::testing::Contains("PGPORT=5433"));
    EXPECT_THAT(found->database, ::testing::EndsWith(" dbname='a b' keepalives='0'"));
    EXPECT_THAT(found->database, HasSubstr("tcp_user_timeout='15000'"));
}

TEST(ClientProgram, RefusesASecretWithoutAVariable) {
    const auto refused = find_client_program(
        "sh", "host=h dbname=d sslpassword=hunter2", "/bin", deadline::after(test::patience));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), errc::invalid_argument);
    EXPECT_THAT(refused.error().detail(), ::testing::Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace reelsd::db
