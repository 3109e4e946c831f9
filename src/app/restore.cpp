#include "backup_archive.hpp"
#include "backup_seal.hpp"
#include "commands.hpp"
#include "database.hpp"
#include <reelsd/base/interrupt.hpp>
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/database_swap.hpp>
#include <reelsd/db/migrator.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// As a backup may take, and building the indexes again on top.
constexpr auto restore_time_max = 12h;
constexpr auto restore_look_time_max = 30s;
constexpr auto statistics_time_max = 600s;

/// What nobody wants to lose. The rest is made again by itself.
constexpr std::array<std::string_view, 2> precious_tables{"account", "job"};

/// One restoration: a file, and where it goes.
struct restoration {
    fs::path file;
    const settings& with;
    const log::logger& log;
    deadline by = deadline::after(restore_time_max);
    std::stop_token stop;
};

result<fs::path> check_file(const std::string& named) {
    std::error_code failure;
    const fs::path file = fs::absolute(named, failure);
    if (!failure && fs::is_regular_file(file, failure)) return file;
    return error{
        errc::invalid_argument,
        fmt::format("{}: {}", named, failure ? failure.message() : "is no file")};
}

result<db::client_program> find_pg_restore(const restoration& one, const std::string& connection) {
    return db::find_client_program(
        "pg_restore",
        connection,
        one.with.postgres_bin_dir,
        deadline::after(restore_look_time_max));
}

/// Everything that speaks against the file, before anything is changed.
result<std::int32_t> check_backup(const restoration& one, const std::string& connection) {
    const auto pg_restore = find_pg_restore(one, connection);
    if (!pg_restore) return pg_restore.error();
    if (const auto sealed = check_seal(one.file, one.by, one.stop); !sealed) return sealed.error();
    const auto whole = check_archive(*pg_restore, one.file, one.by, one.stop);
    if (!whole) return whole.error();
    const auto version = schema_version_in(*pg_restore, one.file, one.by, one.stop);
    if (!version) return version;
    const auto known = db::embedded_migrations().back().version;
    if (*version <= known) return version;
    return error{
        errc::conflict,
        fmt::format(
            "{} is of a newer reelsd: its schema is {:04}, this program knows {:04}",
            one.file.string(),
            *version,
            known)};
}

/// Into a database that has nothing: all of it, in this program's schema.
result<void> fill_database(const restoration& one, const std::string& connection) {
    const auto pg_restore = find_pg_restore(one, connection);
    if (!pg_restore) return pg_restore.error();
    const auto loaded = load_archive(*pg_restore, one.file, one.by, one.stop);
    if (!loaded) return loaded.error();
    const db::migrator migrator{
        connection, db::embedded_migrations(), db::embedded_functions(), one.log};
    if (const auto migrated = migrator.migrate(one.by); !migrated) return migrated.error();
    // The server's own statistics are not in a backup, and plans without them are slow.
    return db::run_script(connection, "ANALYZE", deadline::after(statistics_time_max));
}

result<void> replace_all(const restoration& one, const std::string& connection) {
    auto fresh = db::database_swap::make(connection, one.by);
    if (!fresh) return fresh.error();
    const auto filled = fill_database(one, fresh->connection_string());
    if (!filled) return filled.error();
    if (one.stop.stop_requested()) return error{errc::cancelled, "interrupted"};
    return fresh->commit(one.by);
}

}  // namespace

result<void> execute(const restore_command& asked, const settings& with, const log::logger& log) {
    const interrupt stop;
    const auto file = check_file(asked.file);
    if (!file) return file.error();
    const auto store = database::open(with, log);
    if (!store) return store.error();
    const auto& connection = (*store)->connection_string();
    const restoration one{.file = *file, .with = with, .log = log, .stop = stop.token()};
    const auto version = check_backup(one, connection);
    if (!version) return version.error();

    const auto there =
        db::look_into(connection, precious_tables, deadline::after(restore_look_time_max));
    if (!there) return there.error();
    // Whatever else is in there, of reelsd or not, would go with the database.
    if (there->has_relations && !asked.replace) {
        return error{
            errc::conflict,
            there->has_rows
                ? "this database has accounts or reels; --replace puts the backup in their place"
                : "this database is not empty; --replace puts the backup in place of all of it"};
    }
    const auto done =
        there->has_relations ? replace_all(one, connection) : fill_database(one, connection);
    if (!done) return done.error();
    fmt::print("{} restored, its schema was {:04}\n", asked.file, *version);
    return {};
}

}  // namespace reelsd::app
