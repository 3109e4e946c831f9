#include "session.hpp"
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/database_swap.hpp>
#include <reelsd/db/rows.hpp>

#include <fmt/format.h>

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

using escaped_text = std::unique_ptr<char, decltype(&PQfreemem)>;

/// Returns a name quoted for SQL.
std::string identifier(command_session& session, std::string_view name) {
    const escaped_text text{
        PQescapeIdentifier(&session.connection(), name.data(), name.size()), &PQfreemem};
    return text ? text.get() : "";
}

std::string text_literal(command_session& session, std::string_view value) {
    const escaped_text text{
        PQescapeLiteral(&session.connection(), value.data(), value.size()), &PQfreemem};
    return text ? text.get() : "";
}

/// The database to replace, with the properties that the new one must have.
struct original {
    std::string name;
    std::string collate;
    std::string ctype;
    bool may_replace = false;
};

original read_original(command_session& session) {
    const auto answer = session.fetch(
        "db.original",
        "SELECT datname, datcollate, datctype,"
        "       pg_has_role(datdba, 'USAGE') AND (rolcreatedb OR rolsuper) AS may_replace"
        "  FROM pg_database, pg_roles"
        " WHERE datname = current_database() AND rolname = current_user");
    const auto row = answer.one();
    return {
        .name = row.as<std::string>("datname"),
        .collate = row.as<std::string>("datcollate"),
        .ctype = row.as<std::string>("datctype"),
        .may_replace = row.as<bool>("may_replace")};
}

/// Excludes other swaps of this database until the session ends.
void lock_swaps(command_session& session, const std::string& prefix) {
    const auto answer = session.fetch(
        "db.lock_swaps",
        "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked",
        {prefix});
    if (answer.one().as<bool>("locked")) return;
    throw failure{errc::conflict, "this database is being replaced by another process"};
}

std::int64_t count_sessions(command_session& session, const std::string& database) {
    const auto answer = session.fetch(
        "db.sessions",
        // The type of other roles' sessions may be hidden; such sessions count.
        "SELECT count(*) AS n FROM pg_stat_activity"
        " WHERE datname = $1 AND coalesce(backend_type, 'client backend') = 'client backend'",
        {database});
    return answer.one().as<std::int64_t>("n");
}

/// Waits a moment for sessions that have just disconnected, such as this program's own: the server
/// still lists them.
void refuse_if_in_use(command_session& session, const std::string& database) {
    constexpr auto hang_up_time_max = 2s;
    const auto gone_by = session.by().at_most(hang_up_time_max);
    for (;;) {
        const auto sessions = count_sessions(session, database);
        if (sessions == 0) return;
        if (gone_by.passed()) {
            throw failure{
                errc::conflict,
                fmt::format(
                    "the database is in use ({} connections): stop every daemon that runs on it",
                    sessions)};
        }
        session.execute("SELECT pg_sleep(0.1)");
    }
}

void drop(command_session& session, const std::string& database) {
    const auto name = identifier(session, database);
    session.execute(fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", name));
}

/// Drops leftovers of killed swaps. The lock excludes swaps in progress.
void drop_leftovers(command_session& session, const std::string& prefix) {
    const auto leftovers = session.fetch(
        "db.leftovers",
        // The form of random_name().
        "SELECT datname FROM pg_database"
        " WHERE starts_with(datname, $1)"
        "   AND substr(datname::text, length($1) + 1) ~ '^[0-9a-f]{8}$'",
        {prefix});
    for (const auto row : leftovers) drop(session, row.as<std::string>("datname"));
}

std::string random_name(const std::string& prefix) {
    return fmt::format("{}{:08x}", prefix, std::random_device{}());
}

}  // namespace

result<database_contents> look_into(
    const std::string& connection_string, std::span<const std::string_view> tables,
    deadline by) try {
    command_session session{connection_string, by};
    const auto relations = session.fetch(
        "db.relations",
        "SELECT count(*) AS n FROM pg_class JOIN pg_namespace AS schema ON schema.oid = "
        "relnamespace"
        " WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'");
    database_contents contents{.has_relations = relations.one().as<std::int64_t>("n") > 0};
    for (const auto table : tables) {
        const auto name = identifier(session, table);
        const auto known =
            session.fetch("db.table", "SELECT to_regclass($1) IS NOT NULL AS known", {name});
        if (!known.one().as<bool>("known")) continue;
        const auto any =
            session.fetch("db.any_row", fmt::format("SELECT EXISTS (SELECT FROM {}) AS any", name));
        contents.has_rows = contents.has_rows || any.one().as<bool>("any");
    }
    return contents;
} catch (const failure& why) {
    return error_from(why);
}

struct database_swap::state {
    command_session session;  ///< To the maintenance database; holds the lock.
    std::string old_name;
    std::string prefix;  ///< Prefix of the names of all databases that may be dropped.
    std::string new_name = {};
    std::string connection_string = {};
};

database_swap::database_swap(std::unique_ptr<state> initial) noexcept
    : state_{std::move(initial)} {}
database_swap::database_swap(database_swap&& other) noexcept = default;
database_swap& database_swap::operator=(database_swap&& other) noexcept = default;

const std::string& database_swap::connection_string() const noexcept {
    return state_->connection_string;
}

result<database_swap> database_swap::make(const std::string& connection_string, deadline by) try {
    original old;
    {
        command_session session{connection_string, by};
        old = read_original(session);
    }
    if (!old.may_replace) {
        return error{
            errc::conflict,
            fmt::format(
                "the role cannot replace database {}: it must own the database and have CREATEDB",
                old.name)};
    }
    const auto maintenance = with_database(connection_string, maintenance_database);
    if (!maintenance) return maintenance.error();
    // PostgreSQL cuts names at 63 bytes.
    constexpr std::size_t name_bytes_max = 40;
    auto swap = std::make_unique<state>(state{
        .session = command_session{*maintenance, by},
        .old_name = old.name,
        .prefix = old.name.substr(0, name_bytes_max) + "_restore_"});
    auto& server = swap->session;
    lock_swaps(server, swap->prefix);
    refuse_if_in_use(server, old.name);
    drop_leftovers(server, swap->prefix);

    const auto name = random_name(swap->prefix);
    auto new_connection = with_database(connection_string, name);
    if (!new_connection) return new_connection.error();
    swap->connection_string = std::move(*new_connection);
    server.execute(fmt::format(
        "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE {} LC_CTYPE {}",
        identifier(server, name),
        text_literal(server, old.collate),
        text_literal(server, old.ctype)));
    swap->new_name = name;
    return database_swap{std::move(swap)};
} catch (const failure& why) {
    return error_from(why);
}

database_swap::~database_swap() {
    if (!state_ || state_->new_name.empty()) return;
    try {
        state_->session.set_deadline(deadline::after(drop_time_max));
        drop(state_->session, state_->new_name);
    } catch (const failure&) {  // The next swap drops it.
    }
}

result<void> database_swap::commit(deadline by) try {
    auto& server = state_->session;
    server.set_deadline(by);
    refuse_if_in_use(server, state_->old_name);
    const auto retired = random_name(state_->prefix);
    const auto old_name = identifier(server, state_->old_name);
    // One message is one transaction. The server refuses to rename a database in use.
    server.execute(fmt::format(
        "ALTER DATABASE {} RENAME TO {}; ALTER DATABASE {} RENAME TO {}",
        old_name,
        identifier(server, retired),
        identifier(server, state_->new_name),
        old_name));
    state_->new_name = retired;  // The destructor drops it.
    return {};
} catch (const failure& why) {
    return error_from(why);
}

}  // namespace reelsd::db
