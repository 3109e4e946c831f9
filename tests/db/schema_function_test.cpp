// Goal: the database has the functions of the newest program that migrated it; a change applies
// completely or not at all. Method: injected functions on a real server.
#include "support/test_database.hpp"
#include <reelsd/db/migrator.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <string>
#include <vector>

namespace reelsd::db {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::array two_migrations{
    migration{1, "create_things", "CREATE TABLE thing (id bigint)", "m1"},
    migration{2, "add_name", "ALTER TABLE thing ADD COLUMN name text", "m2"},
};

// In order of name: the first one calls the second one, and reads a column of migration 2.
constexpr std::array functions{
    sql_function{
        "count_named",
        "CREATE OR REPLACE FUNCTION count_named() RETURNS bigint LANGUAGE sql AS"
        " 'SELECT count(name) + offset_of() FROM thing'",
        "f1"},
    sql_function{
        "offset_of",
        "CREATE OR REPLACE FUNCTION offset_of() RETURNS bigint LANGUAGE sql AS 'SELECT 10::bigint'",
        "f2"},
};

constexpr sql_function changed_offset{
    "offset_of",
    "CREATE OR REPLACE FUNCTION offset_of() RETURNS bigint LANGUAGE sql AS 'SELECT 20::bigint'",
    "f3"};

class SchemaFunctionTest : public test::empty_database_test {
protected:
    [[nodiscard]] migrator with(
        std::span<const sql_function> expected,
        std::span<const migration> migrations = two_migrations) const {
        return migrator{connection_string(), migrations, expected, log::logger::silent()};
    }

    [[nodiscard]] std::int64_t number(const query& what) {
        const auto answer = run(pool().run(soon(), what));
        return answer.one().as<std::int64_t>("n");
    }

    [[nodiscard]] std::int64_t count_named() {
        static constexpr query count{"test.count_named", "SELECT count_named() AS n"};
        return number(count);
    }

    [[nodiscard]] std::int64_t count_recorded() {
        static constexpr query count{
            "test.recorded", "SELECT count(*) AS n FROM pg_proc WHERE proname = 'count_named'"};
        return number(count);
    }
};

TEST_F(SchemaFunctionTest, AreAppliedAfterAllMigrations) {
    const auto before = with(functions).status(soon());
    ASSERT_TRUE(before) << before.error().to_string();
    EXPECT_THAT(before->outdated_functions, ElementsAre("count_named", "offset_of"));

    const auto done = with(functions).migrate(soon());
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(*done, two_migrations.size());
    EXPECT_EQ(count_named(), 10);
    const auto after = with(functions).status(soon());
    ASSERT_TRUE(after);
    EXPECT_TRUE(after->up_to_date());
}

TEST_F(SchemaFunctionTest, AreReplacedOnlyIfTheirChecksumDiffers) {
    static constexpr query oldest{
        "test.untouched",
        "SELECT count(DISTINCT xmin::text) AS n FROM pg_proc"
        " WHERE proname IN ('count_named', 'offset_of')"};
    ASSERT_TRUE(with(functions).migrate(soon()));
    EXPECT_EQ(number(oldest), 1) << "one transaction";

    constexpr std::array changed{functions[0], changed_offset};
    const auto outdated = with(changed).status(soon());
    ASSERT_TRUE(outdated);
    EXPECT_THAT(outdated->outdated_functions, ElementsAre("offset_of"));
    const auto done = with(changed).migrate(soon());
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(*done, 0U) << "no migration";
    EXPECT_EQ(count_named(), 20);
    EXPECT_EQ(number(oldest), 2);
}

TEST_F(SchemaFunctionTest, AreNotReplacedByAnOlderProgram) {
    constexpr std::array changed{functions[0], changed_offset};
    ASSERT_TRUE(with(changed).migrate(soon()));
    const auto older = with(functions, std::span{two_migrations}.first(1)).migrate(soon());
    ASSERT_FALSE(older);
    EXPECT_EQ(older.error().code(), errc::conflict);
    EXPECT_EQ(count_named(), 20);
}

TEST_F(SchemaFunctionTest, AreReplacedOnceByConcurrentMigrators) {
    std::vector<std::future<result<std::size_t>>> attempts;
    for (int i = 0; i < 5; ++i) {
        attempts.push_back(
            std::async(std::launch::async, [this] { return with(functions).migrate(soon()); }));
    }
    for (auto& attempt : attempts) {
        const auto done = attempt.get();
        ASSERT_TRUE(done) << done.error().to_string();
    }
    EXPECT_EQ(count_named(), 10);
}

TEST_F(SchemaFunctionTest, AreUnchangedAfterAFailure) {
    ASSERT_TRUE(with({}).migrate(soon()));
    constexpr std::array broken{
        functions[0], sql_function{"offset_of", "CREATE OR REPLACE FUNCTION nonsense", "f4"}};
    const auto failed = with(broken).migrate(soon());
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().detail(), HasSubstr("function offset_of"));
    EXPECT_EQ(count_recorded(), 0);

    const auto repaired = with(functions).migrate(soon());
    ASSERT_TRUE(repaired) << repaired.error().to_string();
    EXPECT_EQ(count_named(), 10);
}

TEST_F(SchemaFunctionTest, AreUnchangedIfTheMigratorIsKilled) {
    static constexpr query blocked{
        "test.blocked",
        "SELECT count(*) AS n FROM pg_stat_activity"
        " WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid() AND state = 'active'"};
    static constexpr query kill{
        "test.kill",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()"};
    constexpr std::array slow{functions[0], sql_function{"rest", "SELECT pg_sleep(3600)", "f5"}};
    auto killed = std::async(std::launch::async, [&] { return with(slow).migrate(soon()); });
    const auto by = soon();
    while (number(blocked) == 0) ASSERT_FALSE(by.passed());
    run(pool().run(soon(), kill));
    EXPECT_FALSE(killed.get());
    EXPECT_EQ(count_recorded(), 0);

    const auto done = with(functions).migrate(soon());
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(count_named(), 10);
}

// The migrator does not have bodies checked, because of their order.
TEST_F(SchemaFunctionTest, HaveValidBodies) {
    const auto own = embedded_functions();
    ASSERT_THAT(own, Not(IsEmpty()));
    const auto done = with(own, embedded_migrations()).migrate(soon());
    ASSERT_TRUE(done) << done.error().to_string();
    for (const auto& function : own) {
        SCOPED_TRACE(function.name);
        EXPECT_EQ(function.checksum.size(), 64U);
        const auto checked = run_script(connection_string(), std::string{function.text}, soon());
        EXPECT_TRUE(checked) << checked.error().to_string();
    }
}

}  // namespace
}  // namespace reelsd::db
