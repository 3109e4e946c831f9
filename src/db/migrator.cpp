#include "session.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/rows.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace reelsd::db {
namespace {

using namespace std::chrono_literals;

/// Any number will do, as long as it stays the same: "reelsd" in ASCII.
constexpr std::int64_t advisory_lock = 0x7265656c7364;

/// While a migration waits for a table's lock, all later statements on the table queue behind it.
/// So it waits for a moment only, shorter than anybody waits for an answer, lets those that have
/// queued pass, and tries again from its beginning.
constexpr std::chrono::milliseconds lock_timeout = 500ms;
/// By the server, which tells us at once if it ends meanwhile.
constexpr const char* let_others_pass = "SELECT pg_sleep(2)";
constexpr auto pass_time = 2s;

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
    // The server gives up when we do, and not later: zero would mean never.
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(by.remaining());
    const session_limits limits{.statement_timeout = std::max(whole, 1ms), .lock_timeout = 0ms};
    return open_session(connection_string, limits, by, -1);
}

result<std::vector<applied_step>> read_applied(PGconn& session, deadline by) {
    auto made =
        run_sql(session, "SELECT to_regclass('schema_migration') IS NOT NULL AS made", {}, by);
    if (!made) return made.error();
    const rows table{"db.migration_table", made->release()};
    if (!table.one().as<bool>("made")) return std::vector<applied_step>{};
    auto found = run_sql(
        session,
        "SELECT version, name, checksum, applied_at FROM schema_migration ORDER BY version",
        {},
        by);
    if (!found) return found.error();
    const rows answer{"db.applied_migrations", found->release()};
    return answer.map(&step_from);
}

/// The history has to be a beginning of ours, letter by letter.
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

/// What people say and write in reels is text of all languages.
result<void> check_encoding(PGconn& session, deadline by) {
    auto asked = run_sql(session, "SELECT current_setting('server_encoding') AS name", {}, by);
    if (!asked) return asked.error();
    const rows answer{"db.encoding", asked->release()};
    const auto name = answer.one().as<std::string>("name");
    if (name == "UTF8") return {};
    return error{
        errc::conflict, fmt::format("the database's encoding is {}; it must be UTF8", name)};
}

/// Waits for other migrators, then holds them off until the session ends.
result<void> lock_history(PGconn& session, deadline by) {
    auto done = run_sql(session, "SELECT pg_advisory_lock($1)", {parameter{advisory_lock}}, by);
    if (!done) return done.error();
    done = run_sql(session, fmt::format("SET lock_timeout = {}", lock_timeout.count()), by);
    if (!done) return done.error();
    return {};
}

result<void> make_table(PGconn& session, deadline by) {
    const auto made = run_sql(
        session,
        "CREATE TABLE IF NOT EXISTS schema_migration ("
        "version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, "
        "applied_at timestamptz NOT NULL DEFAULT now())",
        by);
    if (made) return {};
    const auto& why = made.error();
    // Since PostgreSQL 15 nobody else may make tables.
    if (!why.detail().starts_with("42501")) return why;
    return error{why.code(), why.detail() + "; its role must own the database"};
}

result<void> apply_steps(PGconn& session, const migration& one, deadline by) {
    auto done = run_sql(session, std::string{"BEGIN"}, by);
    if (!done) return done.error();
    done = run_sql(session, std::string{one.text}, by);
    if (!done) return done.error();
    if (PQtransactionStatus(&session) != PQTRANS_INTRANS) {
        return error{errc::internal, "it ends the transaction that it runs in"};
    }
    done = run_sql(
        session,
        "INSERT INTO schema_migration (version, name, checksum) VALUES ($1, $2, $3)",
        {parameter{one.version}, parameter{one.name}, parameter{one.checksum}},
        by);
    if (!done) return done.error();
    done = run_sql(session, std::string{"COMMIT"}, by);
    if (!done) return done.error();
    return {};
}

/// A lock was not to be had, or only by somebody else's giving in. run_sql() puts the server's code
/// first.
bool is_contention(const error& why) {
    return why.detail().starts_with("55P03") || why.detail().starts_with("40P01");
}

/// As apply_steps(), as often as others hold what it needs.
result<void> apply_patiently(
    PGconn& session, const migration& one, deadline by, const log::logger& log) {
    for (bool told = false;; told = true) {
        auto done = apply_steps(session, one, by);
        if (done || !is_contention(done.error()) || by.remaining() < pass_time) return done;
        if (!told) {
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

/// A failure leaves the transaction open: the session ends with it, and so does the transaction.
result<void> apply(PGconn& session, const migration& one, deadline by, const log::logger& log) {
    const auto done = apply_patiently(session, one, by, log);
    if (done) return {};
    const auto& why = done.error();
    // Refused data or keys are our SQL's fault here.
    const bool surroundings =
        why.code() == errc::database_unavailable || why.code() == errc::storage_failed;
    return error{
        surroundings ? why.code() : errc::internal,
        fmt::format("migration {:04} {}: {}", one.version, one.name, why.to_string())};
}

error as_outage(const error& why) {
    if (why.code() != errc::timed_out) return why;
    return error{errc::database_unavailable, why.detail()};
}

}  // namespace

migrator::migrator(
    std::string connection_string, std::span<const migration> migrations, log::logger logger)
    : connection_string_{std::move(connection_string)},
      migrations_{migrations},
      logger_{std::move(logger)} {
    std::int32_t version = 0;
    for (const auto& one : migrations_) invariant(one.version == ++version);
}

result<std::size_t> migrator::migrate(deadline by) const {
    const auto session = open(connection_string_, by);
    if (!session) return as_outage(session.error());
    const auto locked = lock_history(**session, by);  // Until the session ends.
    if (!locked) return as_outage(locked.error());

    const auto applied = read_applied(**session, by);
    if (!applied) return as_outage(applied.error());
    const auto fits = check_history(migrations_, *applied);
    if (!fits) return fits.error();
    const auto pending = migrations_.subspan(applied->size());
    if (pending.empty()) return std::size_t{0};

    if (applied->empty()) {
        const auto fit = check_encoding(**session, by);
        if (!fit) return as_outage(fit.error());
    }
    const auto made = make_table(**session, by);
    if (!made) return as_outage(made.error());
    for (const auto& one : pending) {
        const auto done = apply(**session, one, by, logger_);
        if (!done) return done.error();
        logger_.info("migration applied", {{"version", one.version}, {"name", one.name}});
    }
    return pending.size();
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
