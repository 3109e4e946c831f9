#include "backup_archive.hpp"
#include "commands.hpp"
#include "database.hpp"
#include <reelsd/base/interrupt.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/database_swap.hpp>
#include <reelsd/db/migrator.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Upper bound on a backup: hundreds of gigabytes take hours.
constexpr auto backup_time_max = 6h;
/// Twice the upper bound of a backup, because indexes are rebuilt.
constexpr auto restore_time_max = 12h;
/// Upper bound on one inspection of the database or of a program.
constexpr auto inspection_time_max = 30s;
constexpr auto statistics_time_max = 600s;

/// Tables with data that cannot be created again.
constexpr std::array<std::string_view, 2> precious_tables{"account", "job"};

error file_error(const fs::path& file, int number) {
    return error{
        errc::storage_failed,
        fmt::format("{}: {}", file.string(), std::generic_category().message(number))};
}

constexpr std::string_view part_mark = ".part-";

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path{"."};
}

/// Removes the partial files of killed backups of `target`. A file that is being written, even by a
/// pg_dump whose reelsd has ended, is locked.
void remove_leftovers(const fs::path& target) {
    const auto prefix = target.filename().string() + std::string{part_mark};
    std::error_code unread;  // The backup itself then reports what is wrong with the folder.
    for (fs::directory_iterator entry{folder_of(target), unread}, end; !unread && entry != end;
         entry.increment(unread)) {
        if (!entry->path().filename().string().starts_with(prefix)) continue;
        const unique_fd file{::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
        if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
        std::error_code kept;  // A concurrent backup may have removed it.
        fs::remove(entry->path(), kept);
    }
}

/// A partial file next to `target`, readable only by its owner. Removed unless it is published.
class unpublished_file {
public:
    static result<unpublished_file> make(const fs::path& target) {
        remove_leftovers(target);
        auto path = target;
        path += fmt::format("{}{:08x}", part_mark, std::random_device{}());
        constexpr int how = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
        unique_fd file{::open(path.c_str(), how, S_IRUSR | S_IWUSR)};
        if (!file || ::flock(file.get(), LOCK_EX) != 0) return file_error(path, errno);
        // A descriptor below 3 would be taken for a standard stream.
        if (file.get() <= STDERR_FILENO) {
            file = unique_fd{::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
        }
        return unpublished_file{std::move(path), std::move(file)};
    }

    unpublished_file(unpublished_file&& other) noexcept
        : path_{std::exchange(other.path_, {})}, file_{std::move(other.file_)} {}
    unpublished_file& operator=(unpublished_file&&) = delete;
    unpublished_file(const unpublished_file&) = delete;
    unpublished_file& operator=(const unpublished_file&) = delete;
    ~unpublished_file() {
        std::error_code kept;  // The next backup removes it.
        if (!path_.empty()) fs::remove(path_, kept);
    }

    [[nodiscard]] const fs::path& path() const noexcept { return path_; }
    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

    /// Renames the file, which is on the disk, to `target`, durably.
    [[nodiscard]] result<void> publish(const fs::path& target, bool overwrites) {
        const unsigned flags = overwrites ? 0 : RENAME_NOREPLACE;
        int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), flags);
        // Some file systems do not support the flag. Then a concurrent backup may be overwritten.
        if (failed != 0 && errno == EINVAL && ::access(target.c_str(), F_OK) != 0) {
            failed = ::rename(path_.c_str(), target.c_str());
        }
        if (failed != 0) return file_error(target, errno);
        path_.clear();
        const auto folder = folder_of(target);
        const unique_fd opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
        if (!opened || ::fsync(opened.get()) != 0) return file_error(folder, errno);
        return {};
    }

private:
    unpublished_file(fs::path path, unique_fd file)
        : path_{std::move(path)}, file_{std::move(file)} {}

    fs::path path_;
    unique_fd file_;
};

result<db::client_program> find_tool(
    std::string_view name, const std::string& connection, const settings& config) {
    return db::find_client_program(
        name, connection, config.postgres_bin_dir, deadline::after(inspection_time_max));
}

result<void> check_not_empty(const std::string& connection) {
    constexpr std::array<std::string_view, 1> history{"schema_migration"};
    const auto contents = db::look_into(connection, history, deadline::after(inspection_time_max));
    if (!contents) return contents.error();
    if (contents->has_rows) return {};
    return error{
        errc::not_found,
        "this database is empty; --data-dir or --database-url must be the server's"};
}

/// pg_dump and pg_restore, and when to stop them.
struct backup_tools {
    db::client_program pg_dump;
    db::client_program pg_restore;
    deadline by = deadline::after(backup_time_max);
    std::stop_token stop;
};

struct backup_facts {
    std::uintmax_t bytes;
    std::int32_t schema;
};

/// Dumps the database to `file`, appends the seal, reads the archive once and flushes it to the
/// disk.
result<backup_facts> write_backup(const unpublished_file& file, const backup_tools& tools) {
    const auto& [pg_dump, pg_restore, by, stop] = tools;
    const auto written = write_archive(pg_dump, file.descriptor(), by, stop);
    if (!written) return written.error();
    if (const auto sealed = seal_backup(file.descriptor(), by, stop); !sealed) {
        return sealed.error();
    }
    const auto path = fs::absolute(file.path());
    if (const auto whole = check_archive(pg_restore, path, by, stop); !whole) return whole.error();
    const auto version = schema_version_in(pg_restore, path, by, stop);
    if (!version) return version.error();
    if (::fsync(file.descriptor()) != 0) return file_error(path, errno);
    return backup_facts{.bytes = fs::file_size(path), .schema = *version};
}

/// Bytes that a writable pipe accepts without blocking (pipe(7), PIPE_BUF).
constexpr std::size_t pipe_piece_bytes = 4096;

/// A slow reader may take until `by`.
result<void> copy_to_standard_output(int from, deadline by, const std::stop_token& stop) {
    std::array<char, pipe_piece_bytes> buffer{};
    for (off_t offset = 0;;) {
        const auto count = ::pread(from, buffer.data(), buffer.size(), offset);
        if (count < 0) return file_error("the backup", errno);
        if (count == 0) return {};
        for (ssize_t written = 0; written < count;) {
            constexpr int poll_interval_ms = 200;
            pollfd output{STDOUT_FILENO, POLLOUT, 0};
            ::poll(&output, 1, poll_interval_ms);
            if (stop.stop_requested()) return error{errc::cancelled, "interrupted"};
            if (by.passed())
                return error{
                    errc::timed_out, "the backup was not read in time from standard output"};
            if (output.revents == 0) continue;
            const auto* const rest = buffer.data() + written;
            const auto taken =
                ::write(STDOUT_FILENO, rest, static_cast<std::size_t>(count - written));
            if (taken < 0 && errno != EINTR && errno != EAGAIN) {
                return file_error("standard output", errno);
            }
            written += std::max(taken, ssize_t{0});
        }
        offset += count;
    }
}

/// Writes a file first, so that only a complete backup is output.
result<void> write_to_standard_output(const backup_tools& tools) {
    if (::isatty(STDOUT_FILENO) == 1) {
        return error{errc::invalid_argument, "a backup is not written to a terminal"};
    }
    const auto file = unpublished_file::make(fs::temp_directory_path() / "reelsd-backup");
    if (!file) return file.error();
    const auto written = write_backup(*file, tools);
    if (!written) return written.error();
    return copy_to_standard_output(file->descriptor(), tools.by, tools.stop);
}

result<void> write_to_file(const backup_command& request, const backup_tools& tools) {
    const fs::path target{request.file};
    if (!request.force && ::access(target.c_str(), F_OK) == 0) {
        return error{
            errc::conflict, fmt::format("{} exists already; --force overwrites it", request.file)};
    }
    auto file = unpublished_file::make(target);
    if (!file) return file.error();
    const auto written = write_backup(*file, tools);
    if (!written) return written.error();
    const auto published = file->publish(target, request.force);
    if (!published) return published.error();
    fmt::print("{}: {} bytes, schema {:04}\n", request.file, written->bytes, written->schema);
    return {};
}

/// A file, and how it is restored.
struct restoration {
    fs::path file;
    const settings& config;
    const log::logger& log;
    deadline by = deadline::after(restore_time_max);
    std::stop_token stop;
};

result<fs::path> check_file(const std::string& name) {
    std::error_code failure;
    const fs::path file = fs::absolute(name, failure);
    if (!failure && fs::is_regular_file(file, failure)) return file;
    return error{
        errc::invalid_argument,
        fmt::format("{}: {}", name, failure ? failure.message() : "is not a file")};
}

/// Checks the file before anything is changed.
result<std::int32_t> check_backup(const restoration& request, const std::string& connection) {
    const auto& [file, config, log, by, stop] = request;
    const auto pg_restore = find_tool("pg_restore", connection, config);
    if (!pg_restore) return pg_restore.error();
    if (const auto sealed = check_seal(file, by, stop); !sealed) return sealed.error();
    const auto whole = check_archive(*pg_restore, file, by, stop);
    if (!whole) return whole.error();
    const auto version = schema_version_in(*pg_restore, file, by, stop);
    if (!version) return version;
    const auto known = db::embedded_migrations().back().version;
    if (*version <= known) return version;
    return error{
        errc::conflict,
        fmt::format(
            "{} is of a newer reelsd: its schema is {:04}, this program knows {:04}",
            file.string(),
            *version,
            known)};
}

/// Loads the backup into an empty database, and migrates it.
result<void> fill_database(const restoration& request, const std::string& connection) {
    const auto& [file, config, log, by, stop] = request;
    const auto pg_restore = find_tool("pg_restore", connection, config);
    if (!pg_restore) return pg_restore.error();
    const auto loaded = load_archive(*pg_restore, file, by, stop);
    if (!loaded) return loaded.error();
    const db::migrator migrator{
        connection, db::embedded_migrations(), db::embedded_functions(), log};
    if (const auto migrated = migrator.migrate(by); !migrated) return migrated.error();
    // A backup does not contain the planner's statistics, and plans without them are slow.
    return db::run_script(connection, "ANALYZE", deadline::after(statistics_time_max));
}

result<void> replace_database(const restoration& request, const std::string& connection) {
    auto fresh = db::database_swap::make(connection, request.by);
    if (!fresh) return fresh.error();
    const auto filled = fill_database(request, fresh->connection_string());
    if (!filled) return filled.error();
    if (request.stop.stop_requested()) return error{errc::cancelled, "interrupted"};
    return fresh->commit(request.by);
}

}  // namespace

result<void> execute(
    const backup_command& request, const settings& config, const log::logger& log) {
    const interrupt stop;
    const auto store = database::open(config, log);
    if (!store) return store.error();
    const auto& connection = (*store)->connection_string();
    if (const auto checked = check_not_empty(connection); !checked) return checked.error();
    const auto pg_dump = find_tool("pg_dump", connection, config);
    if (!pg_dump) return pg_dump.error();
    const auto pg_restore = find_tool("pg_restore", connection, config);
    if (!pg_restore) return pg_restore.error();
    const backup_tools tools{.pg_dump = *pg_dump, .pg_restore = *pg_restore, .stop = stop.token()};
    return request.file == "-" ? write_to_standard_output(tools) : write_to_file(request, tools);
}

result<void> execute(
    const restore_command& request, const settings& config, const log::logger& log) {
    const interrupt stop;
    const auto file = check_file(request.file);
    if (!file) return file.error();
    const auto store = database::open(config, log);
    if (!store) return store.error();
    const auto& connection = (*store)->connection_string();
    const restoration work{.file = *file, .config = config, .log = log, .stop = stop.token()};
    const auto version = check_backup(work, connection);
    if (!version) return version.error();

    const auto contents =
        db::look_into(connection, precious_tables, deadline::after(inspection_time_max));
    if (!contents) return contents.error();
    // Replacing the database also removes relations of other programs.
    if (contents->has_relations && !request.replace) {
        return error{
            errc::conflict,
            contents->has_rows
                ? "this database has accounts or reels; --replace replaces them with the backup"
                : "this database is not empty; --replace replaces its contents with the backup"};
    }
    const auto restored = contents->has_relations ? replace_database(work, connection)
                                                  : fill_database(work, connection);
    if (!restored) return restored.error();
    fmt::print("{} restored, its schema was {:04}\n", request.file, *version);
    return {};
}

}  // namespace reelsd::app
