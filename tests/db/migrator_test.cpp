// Goal: the schema is migrated completely or not at all, even by concurrent migrators. Method:
// injected migrations on a real server.
#include "support/test_database.hpp"
#include <reelsd/db/migrator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <future>
#include <string>
#include <vector>

namespace reelsd::db {
namespace {

using ::testing::HasSubstr;

constexpr std::array history{
    migration{
        1, "create_things", "CREATE TABLE thing (id bigint); CREATE TABLE other (id bigint)", "aa"},
    migration{
        2,
        "add_name",
        "ALTER TABLE thing ADD COLUMN name text; INSERT INTO thing VALUES (1, 'é;')",
        "bb"},
};

class MigratorTest : public test::empty_database_test {
protected:
    [[nodiscard]] migrator with(std::span<const migration> migrations) const {
        return migrator{connection_string(), migrations, {}, log::logger::silent()};
    }

    [[nodiscard]] std::int64_t count_things() {
        static constexpr query count{"test.count_things", "SELECT count(*) AS n FROM thing"};
        const auto counted = run(pool().run(soon(), count));
        return counted.one().as<std::int64_t>("n");
    }
};

TEST_F(MigratorTest, AppliesPendingMigrationsOnce) {
    const auto first = with(std::span{history}.first(1)).migrate(soon());
    ASSERT_TRUE(first) << first.error().to_string();
    EXPECT_EQ(*first, 1U);
    const auto second = with(history).migrate(soon());
    ASSERT_TRUE(second) << second.error().to_string();
    EXPECT_EQ(*second, 1U);
    const auto third = with(history).migrate(soon());
    ASSERT_TRUE(third);
    EXPECT_EQ(*third, 0U);
    EXPECT_EQ(count_things(), 1);
}

TEST_F(MigratorTest, StatusReportsMigrationsAndChangesNothing) {
    const auto before = with(history).status(soon());
    ASSERT_TRUE(before) << before.error().to_string();
    EXPECT_EQ(before->pending, 2U);
    EXPECT_FALSE(before->up_to_date());

    ASSERT_TRUE(with(history).migrate(soon()));
    const auto after = with(history).status(soon());
    ASSERT_TRUE(after);
    EXPECT_TRUE(after->up_to_date());
    EXPECT_EQ(after->applied, 2U);
}

TEST_F(MigratorTest, ConcurrentMigratorsApplyEachMigrationOnce) {
    std::vector<std::future<result<std::size_t>>> attempts;
    for (int i = 0; i < 5; ++i) {
        attempts.push_back(
            std::async(std::launch::async, [this] { return with(history).migrate(soon()); }));
    }
    std::size_t applied = 0;
    for (auto& attempt : attempts) {
        const auto done = attempt.get();
        ASSERT_TRUE(done) << done.error().to_string();
        applied += *done;
    }
    EXPECT_EQ(applied, history.size());
    EXPECT_EQ(count_things(), 1);
}

TEST_F(MigratorTest, AFailedMigrationChangesNothing) {
    constexpr std::array broken{
        history[0], migration{2, "break_half", "INSERT INTO thing VALUES (1); SELECT 1/0", "cc"}};
    const auto failed = with(broken).migrate(soon());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code(), errc::internal);
    EXPECT_THAT(failed.error().detail(), HasSubstr("0002 break_half"));
    EXPECT_EQ(count_things(), 0);

    const auto repaired = with(history).migrate(soon());
    ASSERT_TRUE(repaired) << repaired.error().to_string();
    EXPECT_EQ(*repaired, 1U);
}

TEST_F(MigratorTest, RefusesADatabaseWithoutUtf8) {
    const auto name = "ascii_" + std::to_string(::getpid());
    const auto created = run_script(
        connection_string(),
        "CREATE DATABASE " + name +
            " ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
        soon());
    ASSERT_TRUE(created) << created.error().to_string();
    const migrator there{
        connection_string() + " dbname=" + name, std::span{history}, {}, log::logger::silent()};
    const auto refused = there.migrate(soon());
    const auto status = there.status(soon());
    EXPECT_TRUE(run_script(connection_string(), "DROP DATABASE " + name, soon()));
    ASSERT_FALSE(refused);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().detail(), refused.error().detail());
    EXPECT_EQ(refused.error().code(), errc::conflict);
    EXPECT_EQ(refused.error().detail(), "the database's encoding is SQL_ASCII; it must be UTF8");
}

TEST_F(MigratorTest, ReportsThatTheRoleMustOwnTheDatabase) {
    const auto role = "stranger_" + std::to_string(::getpid());
    ASSERT_TRUE(run_script(connection_string(), "CREATE ROLE " + role, soon()));
    const migrator by_stranger{
        connection_string() + " options='-c role=" + role + "'",
        std::span{history},
        {},
        log::logger::silent()};
    const auto refused = by_stranger.migrate(soon());
    const auto status = by_stranger.status(soon());
    EXPECT_TRUE(run_script(connection_string(), "DROP ROLE " + role, soon()));
    ASSERT_FALSE(refused);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().detail(), HasSubstr("it must own the database"));
    EXPECT_THAT(refused.error().detail(), HasSubstr("; its role must own the database"));
}

TEST_F(MigratorTest, RefusesAnUnknownOrChangedHistory) {
    ASSERT_TRUE(with(history).migrate(soon()));
    auto changed = history;
    changed[0].checksum = "zz";
    struct test_case {
        const char* name;
        std::span<const migration> ours;
        const char* says;
    };
    const test_case cases[] = {
        {"changed after it was applied",
         changed,
         "0001 create_things was applied with other contents"},
        {"database newer", std::span{history}.first(1), "newer than this program"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto migrated = with(expected.ours).migrate(soon());
        ASSERT_FALSE(migrated);
        EXPECT_EQ(migrated.error().code(), errc::conflict);
        EXPECT_THAT(migrated.error().detail(), HasSubstr(expected.says));
        const auto status = with(expected.ours).status(soon());
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code(), errc::conflict);
    }
}

// A long reader of the table, such as a backup, blocks the migration. A migration that waited for
// it would block all later statements.
TEST_F(MigratorTest, LimitsTheWaitForALockSoThatOthersProceed) {
    static constexpr query write{"test.write", "INSERT INTO thing VALUES (7)"};
    static constexpr query waiting{
        "test.waiting",
        "SELECT count(*) AS n FROM pg_locks"
        " WHERE NOT granted AND relation = 'thing'::regclass AND mode = 'AccessExclusiveLock'"};
    static constexpr query release_lock{
        "test.release",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()"};
    static constexpr query sleeping{
        "test.sleeping",
        "SELECT count(*) AS n FROM pg_stat_activity"
        " WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid() AND state = 'active'"};
    ASSERT_TRUE(with(std::span{history}.first(1)).migrate(soon()));
    auto holder = std::async(std::launch::async, [this] {
        return run_script(
            connection_string(), "SELECT pg_sleep(3600), (SELECT count(*) FROM thing)", soon());
    });
    const auto count = [this](const query& what) {
        const auto counted = run(pool().run(soon(), what));
        return counted.one().as<std::int64_t>("n");
    };
    const auto by = soon();
    while (count(sleeping) == 0) ASSERT_FALSE(by.passed());
    auto migration =
        std::async(std::launch::async, [this] { return with(history).migrate(soon()); });
    for (int round = 0; round < 2; ++round) {
        while (count(waiting) == 0) ASSERT_FALSE(by.passed());
        // The pool waits 3 s for a lock: this one must be free earlier.
        EXPECT_NO_THROW(run(pool().run(soon(), write)));
    }
    EXPECT_EQ(count(sleeping), 1);
    run(pool().run(soon(), release_lock));
    EXPECT_FALSE(holder.get());
    const auto done = migration.get();
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(*done, 1U);
    EXPECT_EQ(count_things(), 3);
}

// The migration locks `thing` and then `other`, the writer the reverse. The writer waits first, but
// the migration must be the deadlock's victim.
TEST_F(MigratorTest, AWriterSurvivesADeadlockWithAMigration) {
    constexpr std::array crossing{
        history[0],
        migration{
            2,
            "lock_in_reverse",
            R"sql(
            LOCK TABLE thing;
            DO $$ BEGIN
                WHILE EXISTS (SELECT FROM pg_locks
                               WHERE relation = 'other'::regclass AND granted)
                  AND NOT EXISTS (SELECT FROM pg_locks
                                   WHERE relation = 'thing'::regclass AND NOT granted)
                LOOP END LOOP;
            END $$;
            LOCK TABLE other)sql",
            "bb"}};
    ASSERT_TRUE(with(std::span{crossing}.first(1)).migrate(soon()));
    auto writer = std::async(std::launch::async, [this] {
        // Less than the migration's lock timeout, after which there is no deadlock any more.
        return run_script(
            connection_string(),
            R"sql(
                SET deadlock_timeout = '400ms';
                BEGIN;
                INSERT INTO other VALUES (1);
                DO $$ BEGIN
                    WHILE NOT EXISTS (SELECT FROM pg_locks
                                       WHERE relation = 'thing'::regclass AND granted
                                         AND mode = 'AccessExclusiveLock')
                    LOOP END LOOP;
                END $$;
                INSERT INTO thing VALUES (1);
                COMMIT)sql",
            soon());
    });
    static constexpr query writing{
        "test.writing",
        "SELECT count(*) AS n FROM pg_locks WHERE relation = 'other'::regclass AND granted"};
    const auto is_writing = [this] {
        const auto counted = run(pool().run(soon(), writing));
        return counted.one().as<std::int64_t>("n") != 0;
    };
    const auto by = soon();
    while (!is_writing()) ASSERT_FALSE(by.passed());
    const auto done = with(crossing).migrate(soon());
    const auto written = writer.get();
    ASSERT_TRUE(written) << written.error().to_string();
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(count_things(), 1);
}

TEST_F(MigratorTest, RefusesTransactionControl) {
    constexpr std::array committing{migration{1, "commit_early", "COMMIT", "aa"}};
    const auto done = with(committing).migrate(soon());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), errc::internal);
}

TEST_F(MigratorTest, ReportsAnUnreachableServer) {
    const migrator nowhere{"host=/nonexistent", history, {}, log::logger::silent()};
    const auto done = nowhere.migrate(soon());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), errc::database_unavailable);
}

TEST_F(MigratorTest, AppliesTheCompiledMigrations) {
    const auto all = embedded_migrations();
    ASSERT_FALSE(all.empty());
    for (const auto& one : all) EXPECT_EQ(one.checksum.size(), 64U);
    const auto done = with(all).migrate(soon());
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(*done, all.size());
}

}  // namespace
}  // namespace reelsd::db
