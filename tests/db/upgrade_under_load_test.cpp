// Goal: migrations do not block daemons of the previous release, however large the tables are, and
// even while a dump runs: these daemons submit, claim and report jobs throughout. Method: the
// binary's own migrations on a real server with large tables. At the end of each transaction a
// trigger records how many rows it has read of the tables that it locks against writers.
#include "support/test_database.hpp"
#include <reelsd/db/migrator.hpp>

#include <gtest/gtest.h>

#include <future>
#include <span>
#include <string>

namespace reelsd::db {
namespace {

using namespace std::chrono_literals;

/// The last migration of the previous release. A new release raises it, with the statements in
/// work_as_previous_release().
constexpr std::size_t previous_release = 21;

/// 200,000 ended jobs with a document and a call of an earlier month each.
constexpr const char* fill = R"sql(
    -- Triggers and foreign keys of that many rows would take minutes.
    SET session_replication_role = replica;
    INSERT INTO account (email) VALUES ('ann@example.com');
    INSERT INTO job (account_id, url, status, error_code, error, finished_at)
    SELECT account.id, 'https://www.instagram.com/reel/C' || n || '/', 'error', 'internal', 'e',
           now()
      FROM account, generate_series(1, 200000) AS n;
    INSERT INTO search_document (account_id, job_id, passages) SELECT account_id, id, 'p' FROM job;
    INSERT INTO model_call (account_id, job_id, number, claim, provider, model, cost_usd, called_at)
    SELECT account_id, id, 1, 1, 'gemini', 'm', 0.01, now() - interval '40 days' FROM job;
    SET session_replication_role = origin;
    ANALYZE;
    CREATE TABLE lock_report (version integer, locked text, lock_mode text, rows_read bigint);
    CREATE FUNCTION report_locks() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO lock_report
        SELECT NEW.version, relation::regclass::text, mode,
               pg_stat_get_xact_tuples_returned(relation)
                   + pg_stat_get_xact_tuples_fetched(relation)
          FROM pg_locks
         WHERE pid = pg_backend_pid() AND locktype = 'relation'
           AND relation = ANY ('{job,search_document,model_call}'::regclass[])
           AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock',
                        'AccessExclusiveLock');
        PERFORM pg_stat_force_next_flush();  -- The next transaction counts from zero.
        RETURN NULL;
    END
    $$;
    CREATE TRIGGER migration_recorded AFTER INSERT ON schema_migration
        FOR EACH ROW EXECUTE FUNCTION report_locks())sql";

class UpgradeUnderLoad : public test::empty_database_test {
protected:
    void SetUp() override {
        test::empty_database_test::SetUp();
        const auto all = embedded_migrations();
        const auto migrated = migrate(all.first(previous_release));
        ASSERT_TRUE(migrated) << migrated.error().to_string();
        const auto filled = run_script(connection_string(), fill, soon());
        ASSERT_TRUE(filled) << filled.error().to_string();
        writers_.start();
    }

    [[nodiscard]] result<std::size_t> migrate(
        std::span<const migration> migrations, std::span<const sql_function> functions = {}) const {
        return migrator{connection_string(), migrations, functions, log::logger::silent()}.migrate(
            deadline::after(3 * test::patience));
    }

    std::int64_t count(const query& what) {
        const auto counted = run(pool().run(soon(), what));
        return counted.one().as<std::int64_t>("n");
    }

    /// Runs one job by statements of the previous release. Throws when one of them waits longer for
    /// a lock than the pool allows.
    void work_as_previous_release() {
        static constexpr query submit{"test.submit", R"sql(
            SELECT outcome FROM submit_jobs(
                ARRAY(SELECT id FROM account), ARRAY['https://www.instagram.com/reel/DA/'],
                ARRAY[false], ARRAY[NULL::text], ARRAY[false], ARRAY[NULL::text],
                10000000, 10000))sql"};
        static constexpr query claim{"test.claim", R"sql(
            WITH due AS (
                SELECT id FROM job WHERE status = 'pending' AND run_at <= now()
                 ORDER BY run_at, id LIMIT 1
                   FOR UPDATE SKIP LOCKED)
            UPDATE job
               SET status = 'processing', attempt = attempt + 1, claim = claim + 1, worker = 'old',
                   lease_until = now() + interval '1 minute', started_at = now()
             WHERE id = ANY (ARRAY(SELECT id FROM due))
            RETURNING id)sql"};
        static constexpr query report{"test.report", R"sql(
            UPDATE job
               SET status = 'error', error_code = 'internal', error = 'e', finished_at = now(),
                   lease_until = NULL, worker = NULL
             WHERE id = $1 AND status = 'processing')sql"};
        const auto submitted = run(writers_.run(soon(), submit));
        EXPECT_EQ(submitted.one().as<std::string>("outcome"), "admitted");
        const auto claimed = run(writers_.run(soon(), claim));
        const auto reported =
            run(writers_.run(soon(), report, claimed.one().as<std::int64_t>("id")));
        EXPECT_EQ(reported.affected(), 1U);
    }

    static pool_options writer_options(const std::string& connection_string) {
        pool_options options;
        options.connection_string = connection_string;
        options.connections = 1;
        return options;
    }

    const pool_options options_ = writer_options(connection_string());
    class pool writers_ = {loop().context().get_executor(), options_, log::logger::silent()};
};

TEST_F(UpgradeUnderLoad, BlocksNoWriterDuringAndAfterADump) {
    static constexpr query waiting{
        "test.waiting",
        "SELECT count(*) AS n FROM pg_locks"
        " WHERE NOT granted AND locktype = 'relation' AND mode = 'AccessExclusiveLock'"};
    auto dump = open_transaction(
        "DO 'DECLARE name text; BEGIN"
        " FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = ''public''"
        " LOOP EXECUTE format(''LOCK TABLE %I IN ACCESS SHARE MODE'', name); END LOOP; END'");
    auto migration = std::async(std::launch::async, [this] {
        return migrate(embedded_migrations(), embedded_functions());
    });
    const auto by = soon();
    while (count(waiting) == 0) {
        ASSERT_FALSE(by.passed());
        ASSERT_NO_THROW(work_as_previous_release());
    }
    for (int i = 0; i < 20; ++i) ASSERT_NO_THROW(work_as_previous_release());
    end_transaction(dump);
    while (migration.wait_for(0s) != std::future_status::ready)
        ASSERT_NO_THROW(work_as_previous_release());
    const auto done = migration.get();
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_GT(*done, 0U);
    work_as_previous_release();

    static constexpr query reports{
        "test.reports", "SELECT version, locked, lock_mode, rows_read FROM lock_report"};
    const auto reported = run(pool().run(soon(), reports));
    EXPECT_NE(reported.size(), 0U) << "the trigger reports what is locked";
    for (const auto& row : reported) {
        EXPECT_LT(row.as<std::int64_t>("rows_read"), 1000)
            << "migration " << row.as<std::int32_t>("version") << " reads "
            << row.as<std::string>("locked") << " under " << row.as<std::string>("lock_mode");
    }
}

}  // namespace
}  // namespace reelsd::db
