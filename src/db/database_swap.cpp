#include "session.hpp"
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/database_swap.hpp>
#include <reelsd/db/rows.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

namespace reelsd::db {
namespace {

using namespace std::chrono_literals;

/// Exists on every server, for sessions that create and rename databases.
constexpr const char* maintenance_database = "postgres";
/// Bound for the destructor; dropping a database takes a second or two.
constexpr auto drop_time_max = 30s;

std::string identifier(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) {
        if (c == '"') text.push_back('"');
        text.push_back(c);
    }
    return text + "\"";
}

std::string text_literal(std::string_view value) {
    std::string text = "'";
    for (const char c : value) {
        if (c == '\'') text.push_back('\'');
        text.push_back(c);
    }
    return text + "'";
}

result<connection_ptr> open_for(const std::string& connection_string, deadline by) {
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(by.remaining());
    const session_limits limits{.statement_timeout = std::max(whole, 1ms), .lock_timeout = 0ms};
    auto session = open_session(connection_string, limits, by, -1);
    if (session || session.error().code() != errc::timed_out) return session;
    return error{errc::database_unavailable, session.error().detail()};
}

result<void> run(PGconn& session, const std::string& statement, deadline by) {
    const auto done = run_sql(session, statement, by);
    if (!done) return done.error();
    return {};
}

/// The database to replace, with the properties that the new one must have.
struct original {
    std::string name;
    std::string collate;
    std::string ctype;
    bool may_replace = false;
};

result<original> read_original(PGconn& session, deadline by) {
    auto selected = run_sql(
        session,
        "SELECT datname, datcollate, datctype,"
        "       pg_has_role(datdba, 'USAGE') AND (rolcreatedb OR rolsuper) AS may_replace"
        "  FROM pg_database, pg_roles"
        " WHERE datname = current_database() AND rolname = current_user",
        {},
        by);
    if (!selected) return selected.error();
    const rows answer{"db.original", selected->release()};
    const auto row = answer.one();
    return original{
        .name = row.as<std::string>("datname"),
        .collate = row.as<std::string>("datcollate"),
        .ctype = row.as<std::string>("datctype"),
        .may_replace = row.as<bool>("may_replace")};
}

/// Excludes other swaps of this database until the session ends.
result<void> lock_replacing(PGconn& session, const std::string& prefix, deadline by) {
    auto tried = run_sql(
        session,
        "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked",
        {parameter{prefix}},
        by);
    if (!tried) return tried.error();
    const rows answer{"db.lock_replacing", tried->release()};
    if (answer.one().as<bool>("locked")) return {};
    return error{errc::conflict, "this database is being replaced by another process"};
}

result<std::int64_t> count_sessions(PGconn& session, const std::string& database, deadline by) {
    auto counted = run_sql(
        session,
        // The type of other roles' sessions may be hidden; such sessions count.
        "SELECT count(*) AS n FROM pg_stat_activity"
        " WHERE datname = $1 AND coalesce(backend_type, 'client backend') = 'client backend'",
        {parameter{database}},
        by);
    if (!counted) return counted.error();
    const rows answer{"db.sessions", counted->release()};
    return answer.one().as<std::int64_t>("n");
}

/// Waits a moment for sessions that have just disconnected, such as this program's own: the server
/// still lists them.
result<void> refuse_if_in_use(PGconn& session, const std::string& database, deadline by) {
    constexpr auto hang_up_time_max = 2s;
    const auto gone_by = by.at_most(hang_up_time_max);
    for (;;) {
        const auto sessions = count_sessions(session, database, by);
        if (!sessions) return sessions.error();
        if (*sessions == 0) return {};
        if (gone_by.passed()) {
            return error{
                errc::conflict,
                fmt::format(
                    "the database is in use ({} connections): stop every daemon that runs on it",
                    *sessions)};
        }
        const auto waited = run(session, "SELECT pg_sleep(0.1)", by);
        if (!waited) return waited.error();
    }
}

result<void> drop(PGconn& session, const std::string& database, deadline by) {
    return run(
        session, fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", identifier(database)), by);
}

/// Drops leftovers of killed swaps. The lock excludes swaps in progress.
result<void> drop_leftovers(PGconn& session, const std::string& prefix, deadline by) {
    auto leftovers = run_sql(
        session,
        // The form of random_name().
        "SELECT datname FROM pg_database"
        " WHERE starts_with(datname, $1)"
        "   AND substr(datname::text, length($1) + 1) ~ '^[0-9a-f]{8}$'",
        {parameter{prefix}},
        by);
    if (!leftovers) return leftovers.error();
    const rows answer{"db.leftovers", leftovers->release()};
    for (const auto& row : answer) {
        const auto dropped = drop(session, row.as<std::string>("datname"), by);
        if (!dropped) return dropped.error();
    }
    return {};
}

std::string random_name(const std::string& prefix) {
    return fmt::format("{}{:08x}", prefix, std::random_device{}());
}

}  // namespace

result<database_contents> look_into(
    const std::string& connection_string, std::span<const std::string_view> tables, deadline by) {
    const auto session = open_for(connection_string, by);
    if (!session) return session.error();
    database_contents contents;
    auto selected = run_sql(
        **session,
        "SELECT count(*) AS n FROM pg_class JOIN pg_namespace AS schema ON schema.oid = "
        "relnamespace"
        " WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'",
        {},
        by);
    if (!selected) return selected.error();
    const rows relations{"db.relations", selected->release()};
    contents.has_relations = relations.one().as<std::int64_t>("n") > 0;

    for (const auto table : tables) {
        const auto name = identifier(table);
        selected = run_sql(
            **session, "SELECT to_regclass($1) IS NOT NULL AS present", {parameter{name}}, by);
        if (!selected) return selected.error();
        const rows known{"db.table", selected->release()};
        if (!known.one().as<bool>("present")) continue;
        const auto any = fmt::format("SELECT EXISTS (SELECT FROM {}) AS any", name);
        selected = run_sql(**session, any.c_str(), {}, by);
        if (!selected) return selected.error();
        const rows looked{"db.any_row", selected->release()};
        contents.has_rows = contents.has_rows || looked.one().as<bool>("any");
    }
    return contents;
}

struct database_swap::state {
    connection_ptr session;  ///< To the maintenance database; holds the lock.
    std::string old_name;
    std::string prefix;  ///< Prefix of the names of all databases that may be dropped.
    std::string new_name;
    std::string connection_string;
};

database_swap::database_swap(std::unique_ptr<state> made) noexcept : state_{std::move(made)} {}
database_swap::database_swap(database_swap&& other) noexcept = default;
database_swap& database_swap::operator=(database_swap&& other) noexcept = default;

const std::string& database_swap::connection_string() const noexcept {
    return state_->connection_string;
}

result<database_swap> database_swap::make(const std::string& connection_string, deadline by) {
    auto swap = std::make_unique<state>();
    original old;
    {
        const auto session = open_for(connection_string, by);
        if (!session) return session.error();
        auto read = read_original(**session, by);
        if (!read) return read.error();
        old = std::move(*read);
    }
    if (!old.may_replace) {
        return error{
            errc::conflict,
            fmt::format(
                "database {} is replaced as a whole, and its role may not do that: it needs "
                "CREATEDB and to own the database",
                old.name)};
    }
    const auto maintenance = with_database(connection_string, maintenance_database);
    if (!maintenance) return maintenance.error();
    auto session = open_for(*maintenance, by);
    if (!session) return session.error();
    swap->session = std::move(*session);

    swap->old_name = old.name;
    // PostgreSQL cuts names at 63 bytes.
    constexpr std::size_t name_bytes_max = 40;
    swap->prefix = old.name.substr(0, name_bytes_max) + "_restore_";
    auto& server = *swap->session;
    if (const auto locked = lock_replacing(server, swap->prefix, by); !locked)
        return locked.error();
    const auto unused = refuse_if_in_use(server, old.name, by);
    if (!unused) return unused.error();
    if (const auto gone = drop_leftovers(server, swap->prefix, by); !gone) return gone.error();

    const auto name = random_name(swap->prefix);
    auto reached = with_database(connection_string, name);
    if (!reached) return reached.error();
    swap->connection_string = std::move(*reached);
    const auto created =
        run(server,
            fmt::format(
                "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE {} LC_CTYPE {}",
                identifier(name),
                text_literal(old.collate),
                text_literal(old.ctype)),
            by);
    if (!created) return created.error();
    swap->new_name = name;
    return database_swap{std::move(swap)};
}

database_swap::~database_swap() {
    if (!state_ || state_->new_name.empty()) return;
    // If this fails, the next swap drops it.
    static_cast<void>(drop(*state_->session, state_->new_name, deadline::after(drop_time_max)));
}

result<void> database_swap::commit(deadline by) {
    auto& with = *state_->session;
    const auto unused = refuse_if_in_use(with, state_->old_name, by);
    if (!unused) return unused.error();
    const auto retired = random_name(state_->prefix);
    // One message is one transaction. The server itself refuses to rename a database with
    // connections.
    const auto renamed =
        run(with,
            fmt::format(
                "ALTER DATABASE {} RENAME TO {}; ALTER DATABASE {} RENAME TO {}",
                identifier(state_->old_name),
                identifier(retired),
                identifier(state_->new_name),
                identifier(state_->old_name)),
            by);
    if (!renamed) return renamed.error();
    state_->new_name = retired;  // The destructor drops it.
    return {};
}

}  // namespace reelsd::db
