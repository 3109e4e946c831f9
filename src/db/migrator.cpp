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

/// Result of one attempt to apply the next migration.
enum class progress : std::uint8_t { applied, deferred, nothing_pending };

struct applied_step {
    std::int32_t version;
    std::string name;
    std::string checksum;
};

applied_step step_from(const row& row) {
    return {
        row.as<std::int32_t>("version"),
        row.as<std::string>("name"),
        row.as<std::string>("checksum")};
}

/// Reads a table of this file; no rows while the table does not exist.
rows read_table(command_session& session, std::string_view table, const std::string& text) {
    const auto known =
        session.fetch("db.table", "SELECT to_regclass($1) IS NOT NULL AS known", {table});
    return known.one().as<bool>("known") ? session.fetch("db.applied", text) : rows{};
}

std::vector<applied_step> read_applied(command_session& session) {
    return read_table(
               session,
               "schema_migration",
               "SELECT version, name, checksum FROM schema_migration ORDER BY version")
        .map(&step_from);
}

/// Returns the functions that the database does not have, or has in another form.
std::vector<sql_function> outdated_functions(
    command_session& session, std::span<const sql_function> ours) {
    const auto applied =
        read_table(session, "schema_function", "SELECT name, checksum FROM schema_function");
    std::map<std::string, std::string, std::less<>> checksums;
    for (const auto row : applied) {
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
void check_history(std::span<const migration> ours, const std::vector<applied_step>& applied) {
    for (std::size_t i = 0; i < applied.size(); ++i) {
        const auto& step = applied[i];
        if (i >= ours.size()) {
            throw failure{
                errc::conflict,
                fmt::format(
                    "the database is newer than this program: it has migration {:04} {}",
                    step.version,
                    step.name)};
        }
        if (step.version != ours[i].version || step.checksum != ours[i].checksum) {
            throw failure{
                errc::conflict,
                fmt::format(
                    "migration {:04} {} was applied with other contents than this program has",
                    step.version,
                    step.name)};
        }
    }
}

/// Reels contain text in all languages, so the database must store UTF-8.
void check_encoding(command_session& session) {
    const auto setting =
        session.fetch("db.encoding", "SELECT current_setting('server_encoding') AS name");
    const auto name = setting.one().as<std::string>("name");
    if (name == "UTF8") return;
    throw failure{
        errc::conflict, fmt::format("the database's encoding is {}; it must be UTF8", name)};
}

/// Waits for other migrators, then excludes them until the session ends.
/// Polls, because a statement that waits for the lock has a snapshot. CREATE INDEX CONCURRENTLY of
/// the migrator that holds the lock would wait for that snapshot to end.
void lock_history(command_session& session) {
    for (;;) {
        const auto locked = session.fetch(
            "db.lock_history", "SELECT pg_try_advisory_lock($1) AS held", {advisory_lock});
        if (locked.one().as<bool>("held")) return;
        session.execute("SELECT pg_sleep(0.2)");
    }
}

/// Makes the server look for a deadlock as soon as this session waits for a lock. If a migration
/// and a client's statement wait for each other, the server cancels the one for which it looks
/// first. Either is repeated, but a client would wait longer for its answer. The parameter is
/// reserved for superusers and for roles that were granted SET on it; for others, the lock timeout
/// ends most deadlocks before the server's default of 1 s.
void find_deadlocks_first(command_session& session) {
    session.fetch(
        "db.find_deadlocks_first",
        "SELECT set_config('deadlock_timeout', '1ms', false)"
        " WHERE has_parameter_privilege('deadlock_timeout', 'SET')");
}

void limit_lock_waits(command_session& session, std::chrono::milliseconds limit) {
    session.execute(fmt::format("SET lock_timeout = {}", limit.count()));
}

/// Whether the server answered with this SQLSTATE, which execute() puts first.
bool has_state(const failure& why, std::string_view sqlstate) {
    return std::string_view{why.what()}.starts_with(sqlstate);
}

/// Since PostgreSQL 15 only the owner may create tables.
void check_privilege(command_session& session) {
    const auto found = session.fetch(
        "db.privilege", "SELECT has_schema_privilege(current_schema(), 'CREATE') AS may_create");
    if (found.one().as<std::optional<bool>>("may_create").value_or(false)) return;
    throw failure{errc::conflict, "the role may not create tables here; it must own the database"};
}

void make_table(command_session& session) {
    try {
        session.execute(
            "CREATE TABLE IF NOT EXISTS schema_migration ("
            "version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, "
            "applied_at timestamptz NOT NULL DEFAULT now())");
    } catch (const failure& why) {
        if (!has_state(why, "42501")) throw;
        throw failure{why.code(), std::string{why.what()} + "; its role must own the database"};
    }
}

void record(command_session& session, const migration& migration) {
    session.fetch(
        "db.record_migration",
        "INSERT INTO schema_migration (version, name, checksum) VALUES ($1, $2, $3)",
        {migration.version, migration.name, migration.checksum});
}

void apply_steps(command_session& session, const migration& migration) {
    limit_lock_waits(session, lock_timeout);
    session.execute("BEGIN");
    session.execute(std::string{migration.text});
    if (PQtransactionStatus(&session.connection()) != PQTRANS_INTRANS) {
        throw failure{errc::internal, "it ends the transaction that it runs in"};
    }
    record(session, migration);
    session.execute("COMMIT");
}

/// Drops an index whose build failed or was interrupted. It occupies the name but is not used.
void drop_invalid_index(command_session& session, const std::string& name) {
    const auto invalid = session.fetch(
        "db.invalid_index",
        "SELECT count(*) AS n FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid",
        {name});
    if (invalid.one().as<std::int64_t>("n") == 0) return;
    session.execute("DROP INDEX CONCURRENTLY IF EXISTS " + name);
}

/// Builds an index concurrently. Its lock allows reads and writes, so its wait is not limited. It
/// also waits until all older transactions of the database have ended.
void build_index(command_session& session, const migration& migration, const std::string& index) {
    limit_lock_waits(session, 0ms);
    drop_invalid_index(session, index);
    // The index may be there from a migrator that ended before it could record it.
    session.execute(std::string{migration.text});
    record(session, migration);
}

/// Whether a lock timeout or a deadlock ended a step, and there is time for another try.
bool may_retry(const failure& why, deadline by) {
    return (has_state(why, "55P03") || has_state(why, "40P01")) && by.remaining() >= pass_time;
}

/// Retries apply_steps() while other transactions hold its locks.
void apply_in_transaction(
    command_session& session, const migration& migration, const log::logger& log) {
    for (bool is_logged = false;; is_logged = true) {
        try {
            return apply_steps(session, migration);
        } catch (const failure& why) {
            if (!may_retry(why, session.by())) throw;
        }
        if (!is_logged) {
            log.warning(
                "migration waits for a table lock",
                {{"version", migration.version}, {"name", migration.name}});
        }
        session.execute("ROLLBACK");
        session.execute(let_others_pass);
    }
}

/// On contention, releases the history lock for a moment, so that a blocked migrator of an earlier
/// release can proceed.
progress apply_without_transaction(command_session& session, const migration& migration) {
    const auto index = concurrent_index_of(migration.text);
    if (!index) {
        throw failure{
            errc::internal,
            "without a transaction, a file must contain one CREATE INDEX CONCURRENTLY IF NOT "
            "EXISTS"};
    }
    try {
        build_index(session, migration, *index);
        return progress::applied;
    } catch (const failure& why) {
        if (!may_retry(why, session.by())) throw;
    }
    session.execute(fmt::format("SELECT pg_advisory_unlock({})", advisory_lock));
    session.execute(let_others_pass);
    lock_history(session);
    return progress::deferred;
}

/// A failure leaves the transaction open; it ends with the session.
progress apply(command_session& session, const migration& migration, const log::logger& log) try {
    if (migration.text.starts_with(no_transaction)) {
        return apply_without_transaction(session, migration);
    }
    apply_in_transaction(session, migration, log);
    return progress::applied;
} catch (const failure& why) {
    // Refused data or keys are an error in the migration's SQL.
    const bool is_outage =
        why.code() == errc::database_unavailable || why.code() == errc::storage_failed;
    const error cause{why.code(), why.what()};
    throw failure{
        is_outage ? why.code() : errc::internal,
        fmt::format(
            "migration {:04} {}: {}", migration.version, migration.name, cause.to_string())};
}

/// Reads the history before each step, because another migrator may have applied more.
progress take_step(
    command_session& session, std::span<const migration> ours, const log::logger& log) {
    const auto applied = read_applied(session);
    check_history(ours, applied);
    if (applied.size() == ours.size()) return progress::nothing_pending;
    if (applied.empty()) {
        check_encoding(session);
        make_table(session);
    }
    const auto& next = ours[applied.size()];
    const auto done = apply(session, next, log);
    if (done == progress::applied) {
        log.info("migration applied", {{"version", next.version}, {"name", next.name}});
    }
    return done;
}

void replace_function(command_session& session, const sql_function& function) try {
    session.execute(std::string{function.text});
    session.fetch(
        "db.record_function",
        "INSERT INTO schema_function (name, checksum) VALUES ($1, $2) ON CONFLICT (name)"
        " DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at",
        {function.name, function.checksum});
} catch (const failure& why) {
    throw failure{why.code(), fmt::format("function {}: {}", function.name, why.what())};
}

/// Requires a locked and complete history, which excludes older programs. Does not check bodies,
/// because functions may call later ones.
void replace_functions(
    command_session& session, std::span<const sql_function> ours, const log::logger& log) {
    const auto outdated = outdated_functions(session, ours);
    if (outdated.empty()) return;
    session.execute(
        "BEGIN; SET LOCAL check_function_bodies = off;"
        "CREATE TABLE IF NOT EXISTS schema_function ("
        "name text PRIMARY KEY, checksum text NOT NULL,"
        "applied_at timestamptz NOT NULL DEFAULT now())");
    for (const auto& function : outdated) replace_function(session, function);
    session.execute("COMMIT");
    log.info("schema functions replaced", {{"count", outdated.size()}});
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

result<std::size_t> migrator::migrate(deadline by) const try {
    command_session session{connection_string_, by};
    find_deadlocks_first(session);
    lock_history(session);  // Until the session ends.
    std::size_t count = 0;
    for (auto step = progress::applied; step != progress::nothing_pending;) {
        step = take_step(session, migrations_, logger_);
        if (step == progress::applied) ++count;
    }
    replace_functions(session, functions_, logger_);
    return count;
} catch (const failure& why) {
    return error_from(why);
}

result<schema_status> migrator::status(deadline by) const try {
    command_session session{connection_string_, by};
    check_encoding(session);
    const auto applied = read_applied(session);
    check_history(migrations_, applied);
    if (applied.size() < migrations_.size()) check_privilege(session);
    schema_status status{
        .applied = applied.size(),
        .pending = migrations_.size() - applied.size(),
        .outdated_functions = {}};
    for (const auto& function : outdated_functions(session, functions_)) {
        status.outdated_functions.emplace_back(function.name);
    }
    return status;
} catch (const failure& why) {
    return error_from(why);
}

result<void> run_script(
    const std::string& connection_string, const std::string& text, deadline by) try {
    command_session{connection_string, by}.execute(text);
    return {};
} catch (const failure& why) {
    return error_from(why);
}

awaitable<schema_compatibility> read_schema_compatibility(pool& database, deadline by) {
    const auto answer = co_await database.run(by, compatibility_query);
    const auto row = answer.one();
    co_return schema_compatibility{
        .newest = row.as<std::int32_t>("newest"), .floor = row.as<std::int32_t>("floor")};
}

}  // namespace reelsd::db
