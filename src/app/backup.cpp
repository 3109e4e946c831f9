#include "commands.hpp"
#include "database.hpp"
#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/interrupt.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/database_swap.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/process/child_run.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <ranges>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

// Backup files: an archive in the custom format of pg_dump, followed by a seal. The seal is a last
// line with the SHA-256 of the archive, which has no checksum of its own: a flipped bit in its
// table of contents would be another schema. pg_restore does not read the seal.
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

/// When a backup or its restoration must end.
struct time_limit {
    deadline by;
    std::stop_token stop;
};

error file_error(const fs::path& file, int number) {
    return error{errc::storage_failed, fmt::format("{}: {}", file.string(), errno_text(number))};
}

/// A migration is a line of about 120 bytes: room for thousands.
constexpr std::size_t history_bytes_max = std::size_t{1024} * 1024;

/// The backup gives up on a lock that is held for longer: other statements queue behind it.
constexpr const char* lock_wait = "--lock-wait-timeout=30s";

/// The first error in "pg_dump: error: query failed: ..."; later lines may quote rows.
std::string first_error_in(std::string_view error_output) {
    constexpr std::string_view mark = "error: ";
    const auto marked = error_output.find(mark);
    auto line = error_output.substr(marked == error_output.npos ? 0 : marked + mark.size());
    line = line.substr(0, line.find('\n'));
    return line.empty() ? "no reason given" : std::string{line};
}

error tool_failure(const fs::path& program, const process::child_end& end) {
    const auto name = program.filename().string();
    switch (end.outcome) {
        case process::child_outcome::exited: break;
        case process::child_outcome::signalled:
            return error{
                errc::internal,
                fmt::format("{} was killed by {}", name, process::signal_name(end.status))};
        case process::child_outcome::overdue:
            return error{errc::timed_out, fmt::format("{} did not end in time", name)};
        case process::child_outcome::stopped: return error{errc::cancelled, "interrupted"};
        case process::child_outcome::flooding:
            return error{errc::internal, fmt::format("{} writes too much output", name)};
        case process::child_outcome::not_started:
            return error{errc::database_unavailable, end.error_output};
    }
    const bool is_full = end.error_output.find("No space left") != std::string::npos;
    return error{
        is_full ? errc::storage_failed : errc::internal,
        fmt::format("{}: {}", name, first_error_in(end.error_output))};
}

result<std::string> run_tool(
    const db::client_program& program, process::child_command command, const time_limit& until) {
    command.program = program.file.string();
    command.environment = program.environment;
    auto end = process::run_child(command, until.by, until.stop);
    if (end.outcome == process::child_outcome::exited && end.status == 0)
        return std::move(end.output);
    return tool_failure(program.file, end);
}

/// Maps an internal error of pg_restore to a fault of the file.
error fault_of_file(const fs::path& file, const error& why) {
    if (why.code() != errc::internal) return why;
    return error{
        errc::invalid_argument,
        fmt::format("{} is not a complete backup: {}", file.string(), why.detail())};
}

/// The newest version in a table as pg_restore prints it: "COPY ... FROM stdin;", then one row per
/// line with the version first, then "\.".
std::optional<std::int32_t> newest_version(std::string_view text) {
    std::optional<std::int32_t> newest;
    bool in_rows = false;
    for (const auto part : std::views::split(text, '\n')) {
        const std::string_view line{part.begin(), part.end()};
        if (line.starts_with("COPY ")) in_rows = line.ends_with("FROM stdin;");
        if (line == "\\.") in_rows = false;
        std::int32_t version = 0;
        const auto read = std::from_chars(line.data(), line.data() + line.size(), version);
        if (in_rows && read.ec == std::errc{}) newest = std::max(newest.value_or(0), version);
    }
    return newest;
}

/// What the last line of a backup begins with; a SHA-256 in hexadecimal digits follows.
constexpr std::string_view seal_begin = "\nreelsd backup, sha256 ";
constexpr std::size_t digest_digits = 64;
constexpr std::size_t seal_bytes = seal_begin.size() + digest_digits + 1;

/// Up to `bytes_max` bytes from `offset`; fewer at the end of the file.
result<std::string> read_at(int file, std::uint64_t offset, std::size_t bytes_max) {
    std::string piece(bytes_max, '\0');
    ssize_t count = 0;
    do {
        count = ::pread(file, piece.data(), piece.size(), static_cast<off_t>(offset));
    } while (count < 0 && errno == EINTR);
    if (count < 0) return file_error("the backup", errno);
    piece.resize(static_cast<std::size_t>(count));
    return piece;
}

result<std::string> seal_of(int file, std::uint64_t size, const time_limit& until) {
    constexpr std::size_t piece_bytes = std::size_t{1024} * 1024;
    file_digest digest;
    for (std::uint64_t offset = 0; offset < size;) {
        if (until.stop.stop_requested()) return error{errc::cancelled, "interrupted"};
        if (until.by.passed()) return error{errc::timed_out, "the backup was not read in time"};
        const auto piece =
            read_at(file, offset, std::min<std::uint64_t>(piece_bytes, size - offset));
        if (!piece) return piece.error();
        if (piece->empty()) return error{errc::storage_failed, "the backup has shrunk"};
        digest.add(*piece);
        offset += piece->size();
    }
    return fmt::format("{}{}\n", seal_begin, digest.hex());
}

result<std::uint64_t> size_of_open(int file) {
    const auto end = ::lseek(file, 0, SEEK_END);
    if (end < 0) return file_error("the backup", errno);
    return static_cast<std::uint64_t>(end);
}

/// pg_dump writes a snapshot of the whole database to the open descriptor `to`, which is above 2.
result<void> write_archive(const db::client_program& pg_dump, int to, const time_limit& until) {
    process::child_command command;
    command.arguments = {
        "--format=custom",
        "--no-password",
        "--no-owner",
        "--no-privileges",
        lock_wait,
        "--dbname=" + pg_dump.database};
    command.standard_output = to;
    const auto written = run_tool(pg_dump, std::move(command), until);
    return written ? result<void>{} : written.error();
}

/// The newest migration of the database in the archive, all of which pg_restore reads.
/// invalid_argument when it is truncated, damaged or of another program.
result<std::int32_t> check_archive(
    const db::client_program& pg_restore, const fs::path& file, const time_limit& until) {
    // More than `--list`: every block is read and unpacked.
    const auto whole = run_tool(
        pg_restore, {.program = {}, .arguments = {"--file=/dev/null", file.string()}}, until);
    if (!whole) return fault_of_file(file, whole.error());
    const auto history = run_tool(
        pg_restore,
        {.program = {},
         .arguments = {"--data-only", "--table=schema_migration", "--file=-", file.string()},
         .output_bytes_max = history_bytes_max},
        until);
    if (!history) return fault_of_file(file, history.error());
    if (const auto newest = newest_version(*history)) return *newest;
    return error{errc::invalid_argument, fmt::format("{} is not a reelsd backup", file.string())};
}

/// pg_restore sets this parameter from version 17 on. Older servers do not know it.
constexpr std::string_view new_parameter = "transaction_timeout";

/// Loads a backup into a server that is older than pg_restore: without that statement, through the
/// psql next to it.
result<void> load_into_older_server(
    const db::client_program& pg_restore, const fs::path& file, const time_limit& until) {
    process::child_command command;
    command.arguments = {
        "-o",
        "pipefail",
        "-c",
        // Only the settings before the first definition.
        R"("$0" --no-owner --no-privileges --file=- "$1" |
            sed '1,/^SET client_min_messages/{/^SET transaction_timeout = 0;$/d}' |
            "$2" --no-psqlrc --quiet --single-transaction --set=ON_ERROR_STOP=1 --no-password \
                --output=/dev/null --dbname="$3")",
        pg_restore.file.string(),
        file.string(),
        (pg_restore.file.parent_path() / "psql").string(),
        pg_restore.database};
    auto shell = pg_restore;
    shell.file = "/bin/bash";
    const auto loaded = run_tool(shell, std::move(command), until);
    return loaded ? result<void>{} : loaded.error();
}

result<void> load_archive(
    const db::client_program& pg_restore, const fs::path& file, const time_limit& until) {
    process::child_command command;
    command.arguments = {
        "--exit-on-error",
        "--single-transaction",
        "--no-password",
        "--no-owner",
        "--no-privileges",
        "--dbname=" + pg_restore.database,
        file.string()};
    const auto loaded = run_tool(pg_restore, std::move(command), until);
    if (loaded) return {};
    const bool is_older_server = loaded.error().detail().find(new_parameter) != std::string::npos;
    if (!is_older_server) return loaded.error();
    return load_into_older_server(pg_restore, file, until);  // Nothing was loaded yet.
}

result<void> seal_backup(int file, const time_limit& until) {
    const auto size = size_of_open(file);
    if (!size) return size.error();
    const auto seal = seal_of(file, *size, until);
    if (!seal) return seal.error();
    const auto written = ::pwrite(file, seal->data(), seal->size(), static_cast<off_t>(*size));
    if (written < 0) return file_error("the backup", errno);
    if (static_cast<std::size_t>(written) != seal->size()) return file_error("the backup", ENOSPC);
    return {};
}

/// invalid_argument when the seal is missing or does not match.
result<void> check_seal(const fs::path& file, const time_limit& until) {
    const unique_fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!opened) return file_error(file, errno);
    const auto size = size_of_open(opened.get());
    if (!size) return size.error();
    const auto refused = [&file](std::string_view why) {
        return error{errc::invalid_argument, fmt::format("{} {}", file.string(), why)};
    };
    constexpr std::string_view no_seal =
        "is not a complete reelsd backup: its last line is missing";
    if (*size < seal_bytes) return refused(no_seal);
    const auto last_line = read_at(opened.get(), *size - seal_bytes, seal_bytes);
    if (!last_line) return last_line.error();
    if (!last_line->starts_with(seal_begin)) return refused(no_seal);
    const auto expected = seal_of(opened.get(), *size - seal_bytes, until);
    if (!expected) return expected.error();
    if (*last_line != *expected) return refused("is damaged: its checksum does not match");
    return {};
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

struct backup_tools {
    db::client_program pg_dump;
    db::client_program pg_restore;
    time_limit until;
};

struct backup_facts {
    std::uintmax_t bytes;
    std::int32_t schema;
};

/// Dumps the database to `file`, appends the seal, reads the archive once and flushes it.
result<backup_facts> write_backup(const unpublished_file& file, const backup_tools& tools) {
    const auto& [pg_dump, pg_restore, until] = tools;
    const auto written = write_archive(pg_dump, file.descriptor(), until);
    if (!written) return written.error();
    if (const auto sealed = seal_backup(file.descriptor(), until); !sealed) {
        return sealed.error();
    }
    const auto path = fs::absolute(file.path());
    const auto version = check_archive(pg_restore, path, until);
    if (!version) return version.error();
    if (::fsync(file.descriptor()) != 0) return file_error(path, errno);
    return backup_facts{.bytes = fs::file_size(path), .schema = *version};
}

/// Bytes that a writable pipe accepts without blocking (pipe(7), PIPE_BUF).
constexpr std::size_t pipe_piece_bytes = 4096;

result<void> copy_to_standard_output(int from, const time_limit& until) {
    std::array<char, pipe_piece_bytes> buffer{};
    for (off_t offset = 0;;) {
        const auto count = ::pread(from, buffer.data(), buffer.size(), offset);
        if (count < 0) return file_error("the backup", errno);
        if (count == 0) return {};
        for (ssize_t written = 0; written < count;) {
            constexpr int poll_interval_ms = 200;
            pollfd output{STDOUT_FILENO, POLLOUT, 0};
            ::poll(&output, 1, poll_interval_ms);
            if (until.stop.stop_requested()) return error{errc::cancelled, "interrupted"};
            if (until.by.passed())
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
    return copy_to_standard_output(file->descriptor(), tools.until);
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
    time_limit until;
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
    const auto& [file, config, log, until] = request;
    const auto pg_restore = find_tool("pg_restore", connection, config);
    if (!pg_restore) return pg_restore.error();
    if (const auto sealed = check_seal(file, until); !sealed) return sealed.error();
    const auto version = check_archive(*pg_restore, file, until);
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
    const auto& [file, config, log, until] = request;
    const auto pg_restore = find_tool("pg_restore", connection, config);
    if (!pg_restore) return pg_restore.error();
    const auto loaded = load_archive(*pg_restore, file, until);
    if (!loaded) return loaded.error();
    const db::migrator migrator{
        connection, db::embedded_migrations(), db::embedded_functions(), log};
    if (const auto migrated = migrator.migrate(until.by); !migrated) return migrated.error();
    // A backup does not contain the planner's statistics, and plans without them are slow.
    return db::run_script(connection, "ANALYZE", deadline::after(statistics_time_max));
}

result<void> replace_database(const restoration& request, const std::string& connection) {
    auto fresh = db::database_swap::make(connection, request.until.by);
    if (!fresh) return fresh.error();
    const auto filled = fill_database(request, fresh->connection_string());
    if (!filled) return filled.error();
    if (request.until.stop.stop_requested()) return error{errc::cancelled, "interrupted"};
    return fresh->commit(request.until.by);
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
    const backup_tools tools{
        .pg_dump = *pg_dump,
        .pg_restore = *pg_restore,
        .until = {.by = deadline::after(backup_time_max), .stop = stop.token()}};
    return request.file == "-" ? write_to_standard_output(tools) : write_to_file(request, tools);
}

result<void> execute(
    const restore_command& request, const settings& config, const log::logger& log) {
    const interrupt stop;
    const auto file = check_file(request.file);
    if (!file) return file.error();
    const auto store = database::open(config, log, database::upgrade::yes);
    if (!store) return store.error();
    const auto& connection = (*store)->connection_string();
    const restoration work{
        .file = *file,
        .config = config,
        .log = log,
        .until = {.by = deadline::after(restore_time_max), .stop = stop.token()}};
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
