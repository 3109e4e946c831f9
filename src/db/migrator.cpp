#include "session.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>
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
enum class progress : std::uint8_t { applied, let_others_pass, nothing_pending };

struct applied_step {
    std::int32_t version;
    std::string name;
    std::string checksum;
    std::string applied_at;
};

applied_step step_from(const row& from) {
    return {
        from.as<std::int32_t>("version"),
        from.as<std::string>("name"),
        from.as<std::string>("checksum"),
        to_rfc3339(from.as<time_point>("applied_at"))};
}

result<connection_ptr> open(const std::string& connection_string, deadline by) {
    // The server stops the statement at the same time; zero would mean no limit.
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(by.remaining());
    const session_limits limits{.statement_timeout = std::max(whole, 1ms), .lock_timeout = 0ms};
    return open_session(connection_string, limits, by, -1);
}

result<std::vector<applied_step>> read_applied(PGconn& session, deadline by) {
    auto table_check =
        run_sql(session, "SELECT to_regclass('schema_migration') IS NOT NULL AS present", {}, by);
    if (!table_check) return table_check.error();
    const rows table{"db.migration_table", table_check->release()};
    if (!table.one().as<bool>("present")) return std::vector<applied_step>{};
    auto selected = run_sql(
        session,
        "SELECT version, name, checksum, applied_at FROM schema_migration ORDER BY version",
        {},
        by);
    if (!selected) return selected.error();
    const rows answer{"db.applied_migrations", selected->release()};
    return answer.map(&step_from);
}

/// Returns the checksums of the database's functions by name; empty before the first ones.
result<std::map<std::string, std::string, std::less<>>> read_functions(
    PGconn& session, deadline by) {
    std::map<std::string, std::string, std::less<>> checksums;
    auto table_check =
        run_sql(session, "SELECT to_regclass('schema_function') IS NOT NULL AS present", {}, by);
    if (!table_check) return table_check.error();
    const rows table{"db.function_table", table_check->release()};
    if (!table.one().as<bool>("present")) return checksums;
    auto selected = run_sql(session, "SELECT name, checksum FROM schema_function", {}, by);
    if (!selected) return selected.error();
    const rows answer{"db.applied_functions", selected->release()};
    for (const auto row : answer) {
        checksums.emplace(row.as<std::string>("name"), row.as<std::string>("checksum"));
    }
    return checksums;
}

result<std::vector<sql_function>> outdated_functions(
    PGconn& session, std::span<const sql_function> ours, deadline by) {
    const auto applied = read_functions(session, by);
    if (!applied) return applied.error();
    std::vector<sql_function> outdated;
    for (const auto& function : ours) {
        const auto there = applied->find(function.name);
        if (there == applied->end() || there->second != function.checksum)
            outdated.push_back(function);
    }
    return outdated;
}

/// Checks that the applied migrations are exactly the first ones of this program.
result<void> check_history(
    std::span<const migration> ours, const std::vector<applied_step>& applied) {
    for (std::size_t i = 0; i < applied.size(); ++i) {
        const auto& there = applied[i];
        if (i >= ours.size()) {
            return error{
                errc::conflict,
                fmt::format(
                    "the database is newer than this program: it has migration {:04} {}",
                    there.version,
                    there.name)};
        }
        if (there.version != ours[i].version || there.checksum != ours[i].checksum) {
            return error{
                errc::conflict,
                fmt::format(
                    "migration {:04} {} was applied in another form than this program's",
                    there.version,
                    there.name)};
        }
    }
    return {};
}

/// Reels contain text in all languages, so the database must store UTF-8.
result<void> check_encoding(PGconn& session, deadline by) {
    auto setting = run_sql(session, "SELECT current_setting('server_encoding') AS name", {}, by);
    if (!setting) return setting.error();
    const rows answer{"db.encoding", setting->release()};
    const auto name = answer.one().as<std::string>("name");
    if (name == "UTF8") return {};
    return error{
        errc::conflict, fmt::format("the database's encoding is {}; it must be UTF8", name)};
}

/// Waits for other migrators, then excludes them until the session ends.
/// Polls, because a statement that waits for the lock has a snapshot. CREATE INDEX CONCURRENTLY of
/// the migrator that holds the lock would wait for that snapshot to end.
result<void> lock_history(PGconn& session, deadline by) {
    for (;;) {
        auto tried = run_sql(
            session, "SELECT pg_try_advisory_lock($1) AS held", {parameter{advisory_lock}}, by);
        if (!tried) return tried.error();
        const rows answer{"db.lock_history", tried->release()};
        if (answer.one().as<bool>("held")) return {};
        const auto waited = run_sql(session, std::string{wait_for_migrator}, by);
        if (!waited) return waited.error();
    }
}

result<void> unlock_history(PGconn& session, deadline by) {
    const auto done =
        run_sql(session, "SELECT pg_advisory_unlock($1)", {parameter{advisory_lock}}, by);
    if (!done) return done.error();
    return {};
}

result<void> limit_lock_waits(PGconn& session, std::chrono::milliseconds limit, deadline by) {
    const auto done = run_sql(session, fmt::format("SET lock_timeout = {}", limit.count()), by);
    if (!done) return done.error();
    return {};
}

result<void> make_table(PGconn& session, deadline by) {
    const auto created = run_sql(
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

result<void> record(PGconn& session, const migration& one, deadline by) {
    const auto done = run_sql(
        session,
        "INSERT INTO schema_migration (version, name, checksum) VALUES ($1, $2, $3)",
        {parameter{one.version}, parameter{one.name}, parameter{one.checksum}},
        by);
    if (!done) return done.error();
    return {};
}

result<void> apply_steps(PGconn& session, const migration& one, deadline by) {
    const auto limited = limit_lock_waits(session, lock_timeout, by);
    if (!limited) return limited.error();
    auto done = run_sql(session, std::string{"BEGIN"}, by);
    if (!done) return done.error();
    done = run_sql(session, std::string{one.text}, by);
    if (!done) return done.error();
    if (PQtransactionStatus(&session) != PQTRANS_INTRANS) {
        return error{errc::internal, "it ends the transaction that it runs in"};
    }
    const auto recorded = record(session, one, by);
    if (!recorded) return recorded.error();
    done = run_sql(session, std::string{"COMMIT"}, by);
    if (!done) return done.error();
    return {};
}

/// Drops an index whose build failed or was interrupted. It occupies the name but is not used.
result<void> drop_invalid_index(PGconn& session, const std::string& name, deadline by) {
    auto index_check = run_sql(
        session,
        "SELECT count(*) AS n FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid",
        {parameter{name}},
        by);
    if (!index_check) return index_check.error();
    const rows answer{"db.invalid_index", index_check->release()};
    if (answer.one().as<std::int64_t>("n") == 0) return {};
    const auto dropped = run_sql(session, "DROP INDEX CONCURRENTLY IF EXISTS " + name, by);
    if (!dropped) return dropped.error();
    return {};
}

/// Builds an index concurrently. Its lock allows reads and writes, so its wait is not limited. It
/// also waits until all older transactions of the database have ended.
result<void> build_index(
    PGconn& session, const migration& one, const std::string& index, deadline by) {
    const auto limited = limit_lock_waits(session, 0ms, by);
    if (!limited) return limited.error();
    const auto dropped = drop_invalid_index(session, index, by);
    if (!dropped) return dropped.error();
    // The index may be there from a migrator that ended before it could record it.
    const auto built = run_sql(session, std::string{one.text}, by);
    if (!built) return built.error();
    return record(session, one, by);
}

/// True for a lock timeout and a deadlock. run_sql() puts the server's code first.
bool is_contention(const error& why) {
    return why.detail().starts_with("55P03") || why.detail().starts_with("40P01");
}

/// Retries apply_steps() while other transactions hold its locks.
result<void> apply_in_transaction(
    PGconn& session, const migration& one, deadline by, const log::logger& log) {
    for (bool is_logged = false;; is_logged = true) {
        auto done = apply_steps(session, one, by);
        if (done || !is_contention(done.error()) || by.remaining() < pass_time) return done;
        if (!is_logged) {
            log.warning(
                "a migration waits until others let go of a table",
                {{"version", one.version}, {"name", one.name}});
        }
        for (const char* const statement : {"ROLLBACK", let_others_pass}) {
            const auto passed = run_sql(session, std::string{statement}, by);
            if (!passed) return passed.error();
        }
    }
}

/// On contention, releases the history lock for a moment, so that a blocked migrator of an earlier
/// release can proceed.
result<progress> apply_without_transaction(PGconn& session, const migration& one, deadline by) {
    const auto index = concurrent_index_of(one.text);
    if (!index) {
        return error{
            errc::internal,
            "without a transaction a file holds one CREATE INDEX CONCURRENTLY IF NOT EXISTS"};
    }
    const auto built = build_index(session, one, *index, by);
    if (built) return progress::applied;
    if (!is_contention(built.error()) || by.remaining() < pass_time) return built.error();
    const auto unlocked = unlock_history(session, by);
    if (!unlocked) return unlocked.error();
    const auto passed = run_sql(session, std::string{let_others_pass}, by);
    if (!passed) return passed.error();
    const auto locked = lock_history(session, by);
    if (!locked) return locked.error();
    return progress::let_others_pass;
}

result<progress> apply_one(
    PGconn& session, const migration& one, deadline by, const log::logger& log) {
    if (one.text.starts_with(no_transaction)) return apply_without_transaction(session, one, by);
    const auto done = apply_in_transaction(session, one, by, log);
    if (!done) return done.error();
    return progress::applied;
}

/// A failure leaves the transaction open; it ends with the session.
result<progress> apply(PGconn& session, const migration& one, deadline by, const log::logger& log) {
    auto done = apply_one(session, one, by, log);
    if (done) return done;
    const auto& why = done.error();
    // Refused data or keys are an error in the migration's SQL.
    const bool surroundings =
        why.code() == errc::database_unavailable || why.code() == errc::storage_failed;
    return error{
        surroundings ? why.code() : errc::internal,
        fmt::format("migration {:04} {}: {}", one.version, one.name, why.to_string())};
}

/// Reads the history before each step, because another migrator may have applied some meanwhile.
result<progress> take_step(
    PGconn& session, std::span<const migration> ours, deadline by, const log::logger& log) {
    const auto applied = read_applied(session, by);
    if (!applied) return applied.error();
    const auto fits = check_history(ours, *applied);
    if (!fits) return fits.error();
    if (applied->size() == ours.size()) return progress::nothing_pending;
    if (applied->empty()) {
        const auto fit = check_encoding(session, by);
        if (!fit) return fit.error();
        const auto made = make_table(session, by);
        if (!made) return made.error();
    }
    const auto& next = ours[applied->size()];
    auto done = apply(session, next, by, log);
    if (done && *done == progress::applied) {
        log.info("migration applied", {{"version", next.version}, {"name", next.name}});
    }
    return done;
}

result<void> replace_function(PGconn& session, const sql_function& function, deadline by) {
    auto done = run_sql(session, std::string{function.text}, by);
    if (!done) return done.error();
    auto recorded = run_sql(
        session,
        "INSERT INTO schema_function (name, checksum) VALUES ($1, $2) ON CONFLICT (name)"
        " DO UPDATE SET checksum = excluded.checksum, applied_at = excluded.applied_at",
        {parameter{function.name}, parameter{function.checksum}},
        by);
    if (!recorded) return recorded.error();
    return {};
}

/// Called with the history locked and complete, so that no older program gets here. Does not check
/// bodies, because functions may call later ones.
result<void> replace_functions(
    PGconn& session, std::span<const sql_function> ours, deadline by, const log::logger& log) {
    const auto outdated = outdated_functions(session, ours, by);
    if (!outdated) return outdated.error();
    if (outdated->empty()) return {};
    auto done = run_sql(
        session,
        std::string{"BEGIN; SET LOCAL check_function_bodies = off;"
                    "CREATE TABLE IF NOT EXISTS schema_function ("
                    "name text PRIMARY KEY, checksum text NOT NULL,"
                    "applied_at timestamptz NOT NULL DEFAULT now())"},
        by);
    if (!done) return done.error();
    for (const auto& function : *outdated) {
        const auto replaced = replace_function(session, function, by);
        if (replaced) continue;
        return error{
            replaced.error().code(),
            fmt::format("function {}: {}", function.name, replaced.error().detail())};
    }
    done = run_sql(session, std::string{"COMMIT"}, by);
    if (!done) return done.error();
    log.info("schema functions replaced", {{"count", outdated->size()}});
    return {};
}

error as_outage(const error& why) {
    if (why.code() != errc::timed_out) return why;
    return error{errc::database_unavailable, why.detail()};
}

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
    for (const auto& one : migrations_) invariant(one.version == ++version);
}

result<std::size_t> migrator::migrate(deadline by) const {
    const auto session = open(connection_string_, by);
    if (!session) return as_outage(session.error());
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
    const auto session = open(connection_string_, by);
    if (!session) return as_outage(session.error());
    const auto applied = read_applied(**session, by);
    if (!applied) return as_outage(applied.error());
    const auto fits = check_history(migrations_, *applied);
    if (!fits) return fits.error();

    schema_status status;
    for (const auto& one : *applied) {
        status.applied.push_back({one.version, one.name, one.applied_at});
    }
    for (const auto& one : migrations_.subspan(applied->size())) {
        status.pending.push_back({one.version, std::string{one.name}, {}});
    }
    const auto outdated = outdated_functions(**session, functions_, by);
    if (!outdated) return as_outage(outdated.error());
    for (const auto& function : *outdated) status.outdated_functions.emplace_back(function.name);
    return status;
}

result<void> run_script(
    const std::string& connection_string, const std::string& text, deadline by) {
    const auto session = open(connection_string, by);
    if (!session) return as_outage(session.error());
    const auto done = run_sql(**session, text, by);
    if (!done) return as_outage(done.error());
    return {};
}

}  // namespace reelsd::db
