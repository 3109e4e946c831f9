// Goal: the index of a large table is built once and completely, and does not block writers.
// Method: injected migrations on a real server with concurrent sessions.
#include "support/test_database.hpp"
#include <reelsd/db/migrator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace reelsd::db {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::array indexed{
    migration{1, "create_things", "CREATE TABLE thing (id bigint)", "aa"},
    migration{
        2,
        "index_things",
        "-- no transaction\n"
        "-- Why.\n"
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS thing_by_id ON thing (id);\n",
        "ii"}};

class IndexMigrationTest : public test::empty_database_test {
protected:
    void SetUp() override {
        test::empty_database_test::SetUp();
        ASSERT_TRUE(with(std::span{indexed}.first(1)).migrate(soon()));
    }

    [[nodiscard]] migrator with(std::span<const migration> migrations) const {
        return migrator{connection_string(), migrations, {}, log::logger::silent()};
    }

    void script(const std::string& text) {
        const auto done = run_script(connection_string(), text, soon());
        ASSERT_TRUE(done) << done.error().to_string();
    }

    std::int64_t count(const query& what) {
        const auto counted = run(pool().run(soon(), what));
        return counted.one().as<std::int64_t>("n");
    }

    std::future<result<std::size_t>> migrate_in_background() {
        return std::async(std::launch::async, [this] { return with(indexed).migrate(soon()); });
    }

    void expect_migrated() {
        EXPECT_EQ(count(valid_indexes), 1);
        EXPECT_EQ(count(records), 1);
    }

    static constexpr query valid_indexes{
        "test.valid_indexes",
        "SELECT count(*) AS n FROM pg_index"
        " WHERE indexrelid = to_regclass('thing_by_id') AND indisvalid AND NOT indisunique"};
    static constexpr query things{"test.things", "SELECT count(*) AS n FROM thing"};
    static constexpr query records{
        "test.records", "SELECT count(*) AS n FROM schema_migration WHERE version = 2"};
};

// A pg_dump holds a snapshot and a lock on every table: the build waits for it, and blocks no
// session.
TEST_F(IndexMigrationTest, DoesNotBlockWritersWhileTheBuildWaitsForADump) {
    static constexpr query write{"test.write", "INSERT INTO thing VALUES (7)"};
    static constexpr query rewrite{"test.rewrite", "UPDATE thing SET id = -id WHERE id = $1"};
    static constexpr query waiting{
        "test.waiting",
        "SELECT count(*) AS n FROM pg_stat_progress_create_index"
        " WHERE relid = 'thing'::regclass AND phase LIKE 'waiting for old snapshots%'"};
    static constexpr query building{
        "test.building", "SELECT count(*) AS n FROM pg_stat_progress_create_index"};
    script("INSERT INTO thing SELECT generate_series(1, 300000)");
    const auto by = soon();
    auto dump =
        open_transaction("LOCK TABLE thing IN ACCESS SHARE MODE; SELECT count(*) FROM thing");

    // A connection that does not wait for locks: such writes are refused as contention.
    pool_options hurried;
    hurried.connection_string = connection_string();
    hurried.connections = 1;
    hurried.lock_timeout = 250ms;
    hurried.statement_timeout = 60s;  // A statement without a lock may be slow on a busy machine.
    class pool writers(loop().context().get_executor(), hurried, log::logger::silent());
    writers.start();
    auto migration = migrate_in_background();
    std::int64_t written = 0;
    const auto write_some = [&] {
        EXPECT_NO_THROW(run(writers.run(soon(), write)));
        EXPECT_NO_THROW(run(writers.run(soon(), rewrite, ++written)));
    };
    while (count(building) == 0) ASSERT_FALSE(by.passed());
    while (count(waiting) == 0) {
        ASSERT_FALSE(by.passed());
        write_some();
    }
    for (int i = 0; i < 50; ++i) write_some();
    EXPECT_EQ(count(waiting), 1);
    end_transaction(dump);
    while (migration.wait_for(0s) != std::future_status::ready) write_some();
    const auto done = migration.get();
    ASSERT_TRUE(done) << done.error().to_string();
    expect_migrated();
    EXPECT_EQ(count(things), 300'000 + written);
}

TEST_F(IndexMigrationTest, ConcurrentMigratorsBuildTheIndexOnce) {
    std::vector<std::future<result<std::size_t>>> attempts;
    for (int i = 0; i < 5; ++i) attempts.push_back(migrate_in_background());
    std::size_t applied = 0;
    for (auto& attempt : attempts) {
        const auto done = attempt.get();
        ASSERT_TRUE(done) << done.error().to_string();
        applied += *done;
    }
    EXPECT_EQ(applied, 1U);
    expect_migrated();
}

// Deadlock: its waiting statement has a snapshot, for which the build waits.
TEST_F(IndexMigrationTest, AMigratorOfAnEarlierReleaseCanProceed) {
    static constexpr query waiting_for_writers{
        "test.waiting_for_writers",
        "SELECT count(*) AS n FROM pg_stat_progress_create_index"
        " WHERE relid = 'thing'::regclass AND phase = 'waiting for writers before build'"};
    static constexpr query waiting_for_lock{
        "test.waiting_for_lock",
        "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"};
    const auto by = soon();
    auto writer = open_transaction("INSERT INTO thing VALUES (1)");
    auto migration = migrate_in_background();
    while (count(waiting_for_writers) == 0) ASSERT_FALSE(by.passed());
    auto earlier = std::async(std::launch::async, [this] {
        // The builder is the deadlock's victim, as after a longer wait.
        return run_script(
            connection_string(),
            "SET deadlock_timeout = '1h'; SELECT pg_advisory_lock(x'7265656c7364'::bigint)",
            soon());
    });
    while (count(waiting_for_lock) == 0) ASSERT_FALSE(by.passed());
    end_transaction(writer);
    const auto done = migration.get();
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_TRUE(earlier.get());
    expect_migrated();
}

TEST_F(IndexMigrationTest, KeepsAnIndexThatWasNotRecorded) {
    script("CREATE INDEX thing_by_id ON thing (id)");
    static constexpr query node{"test.node", "SELECT 'thing_by_id'::regclass::oid::bigint AS n"};
    const auto before = count(node);
    const auto done = with(indexed).migrate(soon());
    ASSERT_TRUE(done) << done.error().to_string();
    expect_migrated();
    EXPECT_EQ(count(node), before);
}

TEST_F(IndexMigrationTest, RebuildsAnInvalidIndex) {
    script("INSERT INTO thing VALUES (1), (1)");
    // The state after an interrupted build: this one fails because of the duplicate.
    ASSERT_FALSE(run_script(
        connection_string(), "CREATE UNIQUE INDEX CONCURRENTLY thing_by_id ON thing (id)", soon()));
    const auto done = with(indexed).migrate(soon());
    ASSERT_TRUE(done) << done.error().to_string();
    expect_migrated();
}

TEST_F(IndexMigrationTest, OtherStatementsNeedATransaction) {
    constexpr std::array other{
        indexed[0], migration{2, "drop_things", "-- no transaction\nDROP TABLE thing", "dd"}};
    const auto done = with(other).migrate(soon());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), errc::internal);
    EXPECT_THAT(done.error().detail(), HasSubstr("one CREATE INDEX CONCURRENTLY IF NOT EXISTS"));
    EXPECT_EQ(count(things), 0);
}

TEST(ConcurrentIndexOf, ReadsTheNameAfterCommentsAndRefusesOtherStatements) {
    struct test_case {
        const char* name;
        const char* text;
        std::optional<std::string> index;
    };
    const test_case cases[] = {
        {"plain", "CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON t (x)", "a"},
        {"unique",
         "-- no transaction\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a ON t (x)",
         "a"},
        {"lines",
         "-- no transaction\n\n-- CREATE it.\nCREATE INDEX CONCURRENTLY\n"
         "    IF NOT EXISTS a_b\n    ON t (x);\n",
         "a_b"},
        {"would not find a complete index", "CREATE INDEX CONCURRENTLY a ON t (x)", {}},
        {"locks", "CREATE INDEX IF NOT EXISTS a ON t (x)", {}},
        {"another statement", "DROP INDEX CONCURRENTLY IF EXISTS a", {}},
        {"nothing", "-- no transaction\n", {}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(concurrent_index_of(expected.text), expected.index);
    }
}

}  // namespace
}  // namespace reelsd::db
