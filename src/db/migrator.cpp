#include "session.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/db/rows.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <utility>

namespace reelsd::db {
namespace {

using namespace std::chrono_literals;

/// An arbitrary constant: "reelsd" in ASCII.
constexpr std::int64_t advisory_lock = 0x7265656c7364;

/// While a migration waits for a table's lock, all later statements on the table queue behind it.
/// It therefore waits for less time than any client waits for an answer, lets the queued statements
/// pass, and retries from its beginning.
constexpr std::chrono::milliseconds lock_timeout = 500ms;
/// Sleeps on the server, so that the end of the server is noticed immediately.
constexpr const char* let_others_pass = "SELECT pg_sleep(2)";
constexpr auto pass_time = 2s;
/// Pause between two attempts to get the migration lock.
constexpr const char* wait_for_migrator = "SELECT pg_sleep(0.2)";

/// Result of one attempt to apply the next migration.
enum class progress : std::uint8_t { applied, deferred, nothing_pending };

struct applied_step {
    std::int32_t version;
    std::string name;
    std::string checksum;
    std::string applied_at;
};

applied_step step_from(const row& row) {
    return {
        row.as<std::int32_t>("version"),
        row.as<std::string>("name"),
        row.as<std::string>("checksum"),
        to_rfc3339(row.as<time_point>("applied_at"))};
}

/// Reads a table of this file; no rows while the table does not exist.
result<rows> read_table(PGconn& session, std::string_view table, std::string text, deadline by) {
    const auto known = fetch(
        session, "db.table", "SELECT to_regclass($1) IS NOT NULL AS known", {parameter{table}}, by);
    if (!known) return known.error();
    if (!known->one().as<bool>("known")) return rows{};
    return fetch(session, "db.applied", text, {}, by);
}

result<std::vector<applied_step>> read_applied(PGconn& session, deadline by) {
    const auto applied = read_table(
        session,
        "schema_migration",
        "SELECT version, name, checksum, applied_at FROM schema_migration ORDER BY version",
        by);
    if (!applied) return applied.error();
    return applied->map(&step_from);
}

/// Returns the functions that the database does not have, or has in another form.
result<std::vector<sql_function>> outdated_functions(
    PGconn& session, std::span<const sql_function> ours, deadline by) {
    const auto applied =
        read_table(session, "schema_function", "SELECT name, checksum FROM schema_function", by);
    if (!applied) return applied.error();
    std::map<std::string, std::string, std::less<>> checksums;
    for (const auto row : *applied) {
        checksums.emplace(row.as<std::string>("name"), row.as<std::string>("checksum"));
    }
    std::vector<sql_function> outdated;
    for (const auto& function : ours) {
        const auto existing = checksums.find(function.name);
        if (existing == checksums.end() || existing->second != function.checksum)
            outdated.push_back(function);
    }
    return outdated;
}

/// Checks that the applied migrations are exactly the first ones of this program.
result<void> check_history(
    std::span<const migration> ours, const std::vector<applied_step>& applied) {
    for (std::size_t i = 0; i < applied.size(); ++i) {
        const auto& step = applied[i];
        if (i >= ours.size()) {
            return error{
                errc::conflict,
                fmt::format(
                    "the database is newer than this program: it has migration {:04} {}",
                    step.version,
                    step.name)};
        }
        if (step.version != ours[i].version || step.checksum != ours[i].checksum) {
            return error{
                errc::conflict,
                fmt::format(
                    "migration {:04} {} was applied with other contents than this program has",
                    step.version,
                    step.name)};
        }
    }
    return {};
}

/// Reels contain text in all languages, so the database must store UTF-8.
result<void> check_encoding(PGconn& session, deadline by) {
    const auto setting =
        fetch(session, "db.encoding", "SELECT current_setting('server_encoding') AS name", {}, by);
    if (!setting) return setting.error();
    const auto name = setting->one().as<std::string>("name");
    if (name == "UTF8") return {};
    return error{
        errc::conflict, fmt::format("the database's encoding is {}; it must be UTF8", name)};
}

/// Waits for other migrators, then excludes them until the session ends.
/// Polls, because a statement that waits for the lock has a snapshot. CREATE INDEX CONCURRENTLY of
/// the migrator that holds the lock would wait for that snapshot to end.
result<void> lock_history(PGconn& session, deadline by) {
    for (;;) {
        const auto locked = fetch(
            session,
            "db.lock_history",
            "SELECT pg_try_advisory_lock($1) AS held",
            {parameter{advisory_lock}},
            by);
        if (!locked) return locked.error();
        if (locked->one().as<bool>("held")) return {};
        const auto waited = execute(session, "SELECT pg_sleep(0.2)", by);
        if (!waited) return waited;
    }
}

result<void> limit_lock_waits(PGconn& session, std::chrono::milliseconds limit, deadline by) {
    return execute(session, fmt::format("SET lock_timeout = {}", limit.count()), by);
}

result<void> make_table(PGconn& session, deadline by) {
    const auto created = execute(
        session,
        "CREATE TABLE IF NOT EXISTS schema_migration ("
        "version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, "
        "applied_at timestamptz NOT NULL DEFAULT now())",
        by);
    if (created) return {};
    const auto& why = created.error();
    // Since PostgreSQL 15 only the owner may create tables.
    if (!why.detail().starts_with("42501")) return why;
    return error{why.code(), why.detail() + "; its role must own the database"};
}

result<void> record(PGconn& session, const migration& migration, deadline by) {
    const auto done = fetch(
        session,
        "db.record_migration",
        "INSERT INTO schema_migration (version, name, checksum) VALUES ($1, $2, $3)",
        {parameter{migration.version}, parameter{migration.name}, parameter{migration.checksum}},
        by);
    if (!done) return done.error();
    return {};
}

result<void> apply_steps(PGconn& session, const migration& migration, deadline by) {
    auto done = limit_lock_waits(session, lock_timeout, by);
    if (!done) return done;
    done = execute(session, "BEGIN", by);
    if (!done) return done;
    done = execute(session, std::string{migration.text}, by);
    if (!done) return done;
    if (PQtransactionStatus(&session) != PQTRANS_INTRANS) {
        return error{errc::internal, "it ends the transaction that it runs in"};
    }
    done = record(session, migration, by);
    if (!done) return done;
    return execute(session, "COMMIT", by);
}

/// Drops an index whose build failed or was interrupted. It occupies the name but is not used.
result<void> drop_invalid_index(PGconn& session, const std::string& name, deadline by) {
    const auto invalid = fetch(
        session,
        "db.invalid_index",
        "SELECT count(*) AS n FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid",
        {parameter{name}},
        by);
    if (!invalid) return invalid.error();
    if (invalid->one().as<std::int64_t>("n") == 0) return {};
    return execute(session, "DROP INDEX CONCURRENTLY IF EXISTS " + name, by);
}

/// Builds an index concurrently. Its lock allows reads and writes, so its wait is not limited. It
/// also waits until all older transactions of the database have ended.
result<void> build_index(
    PGconn& session, const migration& migration, const std::string& index, deadline by) {
    auto done = limit_lock_waits(session, 0ms, by);
    if (!done) return done;
    done = drop_invalid_index(session, index, by);
    if (!done) return done;
    // The index may be there from a migrator that ended before it could record it.
    done = execute(session, std::string{migration.text}, by);
    if (!done) return done;
    return record(session, migration, by);
}

/// True for a lock timeout and a deadlock. execute() puts the server's code first.
bool is_contention(const error& why) {
    return why.detail().starts_with("55P03") || why.detail().starts_with("40P01");
}

/// Retries apply_steps() while other transactions hold its locks.
result<void> apply_in_transaction(
    PGconn& session, const migration& migration, deadline by, const log::logger& log) {
    for (bool is_logged = false;; is_logged = true) {
        auto done = apply_steps(session, migration, by);
        if (done || !is_contention(done.error()) || by.remaining() < pass_time) return done;
        if (!is_logged) {
            log.warning(
                "migration waits for a table lock",
                {{"version", migration.version}, {"name", migration.name}});
        }
        for (const char* const statement : {"ROLLBACK", let_others_pass}) {
            done = execute(session, statement, by);
            if (!done) return done;
        }
    }
}

/// On contention, releases the history lock for a moment, so that a blocked migrator of an earlier
/// release can proceed.
result<progress> apply_without_transaction(
    PGconn& session, const migration& migration, deadline by) {
    const auto index = concurrent_index_of(migration.text);
    if (!index) {
        return error{
            errc::internal,
            "without a transaction, a file must contain one CREATE INDEX CONCURRENTLY IF NOT "
            "EXISTS"};
    }
    auto done = build_index(session, migration, *index, by);
    if (done) return progress::applied;
    if (!is_contention(done.error()) || by.remaining() < pass_time) return done.error();
    done = execute(session, fmt::format("SELECT pg_advisory_unlock({})", advisory_lock), by);
    if (!done) return done.error();
    done = execute(session, let_others_pass, by);
    if (!done) return done.error();
    done = lock_history(session, by);
    if (!done) return done.error();
    return progress::deferred;
}

result<progress> apply_either_way(
    PGconn& session, const migration& migration, deadline by, const log::logger& log) {
    if (migration.text.starts_with(no_transaction)) {
        return apply_without_transaction(session, migration, by);
    }
    const auto done = apply_in_transaction(session, migration, by, log);
    if (!done) return done.error();
    return progress::applied;
}

/// A failure leaves the transaction open; it ends with the session.
result<progress> apply(
    PGconn& session, const migration& migration, deadline by, const log::logger& log) {
    auto done = apply_either_way(session, migration, by, log);
    if (done) return done;
    const auto& why = done.error();
    // Refused data or keys are an error in the migration's SQL.
    const bool is_outage =
        why.code() == errc::database_unavailable || why.code() == errc::storage_failed;
    return error{
        is_outage ? why.code() : errc::internal,
        fmt::format("migration {:04} {}: {}", migration.version, migration.name, why.to_string())};
}

/// Reads the history before each step, because another migrator may have applied more.
result<progress> take_step(
    PGconn& session, std::span<const migration> ours, deadline by, const log::logger& log) {
    const auto applied = read_applied(session, by);
    if (!applied) return applied.error();
    auto checked = check_history(ours, *applied);
    if (!checked) return checked.error();
    if (applied->size() == ours.size()) return progress::nothing_pending;
    if (applied->empty()) {
        checked = check_encoding(session, by);
        if (!checked) return checked.error();
        const auto created = make_table(session, by);
        if (!created) return created.error();
    }
    const auto& next = ours[applied->size()];
    auto done = apply(session, next, by, log);
    if (done && *done == progress::applied) {
        log.info("migration applied", {{"version", next.version}, {"name", next.name}});
    }
    return done;
}

result<void> replace_function(PGconn& session, const sql_function& function, deadline by) {
    const auto done = execute(session, std::string{function.text}, by);
    if (!done) return done;
    const auto recorded = fetch(
        session,
        "db.record_function",
        "INSERT INTO schema_function (name, checksum) VALUES ($1, $2) ON CONFLICT (name)"
        " DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at",
        {parameter{function.name}, parameter{function.checksum}},
        by);
    if (!recorded) return recorded.error();
    return {};
}

/// Requires a locked and complete history, which excludes older programs. Does not check bodies,
/// because functions may call later ones.
result<void> replace_functions(
    PGconn& session, std::span<const sql_function> ours, deadline by, const log::logger& log) {
    const auto outdated = outdated_functions(session, ours, by);
    if (!outdated) return outdated.error();
    if (outdated->empty()) return {};
    auto done = execute(
        session,
        "BEGIN; SET LOCAL check_function_bodies = off;"
        "CREATE TABLE IF NOT EXISTS schema_function ("
        "name text PRIMARY KEY, checksum text NOT NULL,"
        "applied_at timestamptz NOT NULL DEFAULT now())",
        by);
    if (!done) return done;
    for (const auto& function : *outdated) {
        const auto replaced = replace_function(session, function, by);
        if (replaced) continue;
        return error{
            replaced.error().code(),
            fmt::format("function {}: {}", function.name, replaced.error().detail())};
    }
    done = execute(session, "COMMIT", by);
    if (!done) return done;
    log.info("schema functions replaced", {{"count", outdated->size()}});
    return {};
}

/// At the deadline, the database counts as unavailable.
error as_outage(const error& why) {
    if (why.code() != errc::timed_out) return why;
    return error{errc::database_unavailable, why.detail()};
}

constexpr query compatibility_query{"db.schema_compatibility", R"sql(
    SELECT (SELECT max(version) FROM schema_migration) AS newest,
           (SELECT version FROM schema_floor) AS floor)sql"};

}  // namespace

std::optional<std::string> concurrent_index_of(std::string_view text) {
    constexpr std::string_view space = " \t\n";
    constexpr std::array<std::string_view, 7> keywords{
        "CREATE", "UNIQUE", "INDEX", "CONCURRENTLY", "IF", "NOT", "EXISTS"};
    std::size_t known = 0;
    while (!text.empty()) {
        const auto begin = text.find_first_not_of(space);
        if (begin == std::string_view::npos) break;
        text.remove_prefix(begin);
        if (text.starts_with("--")) {
            text.remove_prefix(std::min(text.find('\n'), text.size()));
            continue;
        }
        const auto word = text.substr(0, text.find_first_of(space));
        text.remove_prefix(word.size());
        if (known == keywords.size()) return std::string{word};
        if (known == 1 && word != keywords[1]) ++known;  // UNIQUE is optional.
        if (word != keywords[known]) break;
        ++known;
    }
    return {};
}

migrator::migrator(
    std::string connection_string, std::span<const migration> migrations,
    std::span<const sql_function> functions, log::logger logger)
    : connection_string_{std::move(connection_string)},
      migrations_{migrations},
      functions_{functions},
      logger_{std::move(logger)} {
    std::int32_t version = 0;
    for (const auto& migration : migrations_) invariant(migration.version == ++version);
}

result<std::size_t> migrator::migrate(deadline by) const {
    const auto session = open_command_session(connection_string_, by);
    if (!session) return session.error();
    const auto locked = lock_history(**session, by);  // Until the session ends.
    if (!locked) return as_outage(locked.error());

    std::size_t count = 0;
    for (auto step = progress::applied; step != progress::nothing_pending;) {
        const auto taken = take_step(**session, migrations_, by, logger_);
        if (!taken) return as_outage(taken.error());
        step = *taken;
        if (step == progress::applied) ++count;
    }
    const auto replaced = replace_functions(**session, functions_, by, logger_);
    if (!replaced) return as_outage(replaced.error());
    return count;
}

result<schema_status> migrator::status(deadline by) const {
    const auto session = open_command_session(connection_string_, by);
    if (!session) return session.error();
    const auto applied = read_applied(**session, by);
    if (!applied) return as_outage(applied.error());
    const auto fits = check_history(migrations_, *applied);
    if (!fits) return fits.error();

    schema_status status;
    for (const auto& step : *applied) {
        status.applied.push_back({step.version, step.name, step.applied_at});
    }
    for (const auto& migration : migrations_.subspan(applied->size())) {
        status.pending.push_back({migration.version, std::string{migration.name}, {}});
    }
    const auto outdated = outdated_functions(**session, functions_, by);
    if (!outdated) return as_outage(outdated.error());
    for (const auto& function : *outdated) status.outdated_functions.emplace_back(function.name);
    return status;
}

result<void> run_script(
    const std::string& connection_string, const std::string& text, deadline by) {
    const auto session = open_command_session(connection_string, by);
    if (!session) return session.error();
    const auto done = execute(**session, text, by);
    if (!done) return as_outage(done.error());
    return {};
}

boost::asio::awaitable<schema_compatibility> read_schema_compatibility(
    pool& database, deadline by) {
    const auto answer = co_await database.run(by, compatibility_query);
    const auto row = answer.one();
    co_return schema_compatibility{
        .newest = row.as<std::int32_t>("newest"), .floor = row.as<std::int32_t>("floor")};
}

}  // namespace reelsd::db
