#include "backup_archive.hpp"
#include "backup_seal.hpp"
#include "commands.hpp"
#include "database.hpp"
#include <reelsd/base/interrupt.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/database_swap.hpp>

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

/// Hundreds of gigabytes take hours; who hangs for longer will not end.
constexpr auto backup_time_max = 6h;
/// Looking at the database before and after.
constexpr auto backup_look_time_max = 30s;

error file_error(const fs::path& file, int number) {
    return error{
        errc::storage_failed,
        fmt::format("{}: {}", file.string(), std::generic_category().message(number))};
}

constexpr std::string_view part_mark = ".part-";

/// Files of backups that were killed. One that is being written, be it by a pg_dump whose reelsd is
/// gone, is locked.
void remove_leftovers(const fs::path& wanted) {
    const auto prefix = wanted.filename().string() + std::string{part_mark};
    const auto folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path{"."};
    std::error_code unread;  // Then the backup itself will say what is wrong with the folder.
    for (fs::directory_iterator one{folder, unread}, end; !unread && one != end;
         one.increment(unread)) {
        if (!one->path().filename().string().starts_with(prefix)) continue;
        const unique_fd file{::open(one->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
        if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
        std::error_code kept;  // Another backup may have been quicker.
        fs::remove(one->path(), kept);
    }
}

/// A file beside the one that is wanted, which only we may read, and which is gone unless it is
/// published.
class unpublished_file {
public:
    static result<unpublished_file> make(const fs::path& wanted) {
        remove_leftovers(wanted);
        auto path = wanted;
        path += fmt::format("{}{:08x}", part_mark, std::random_device{}());
        constexpr int how = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
        unique_fd file{::open(path.c_str(), how, S_IRUSR | S_IWUSR)};
        if (!file || ::flock(file.get(), LOCK_EX) != 0) return file_error(path, errno);
        // A number of the standard three would be taken for theirs.
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
        std::error_code kept;  // Nothing more can be done about it here.
        if (!path_.empty()) fs::remove(path_, kept);
    }

    [[nodiscard]] const fs::path& path() const noexcept { return path_; }
    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

    /// Gives it its name, for good, once it is on the disk.
    [[nodiscard]] result<void> publish(const fs::path& wanted, bool over_another) {
        const unsigned flags = over_another ? 0 : RENAME_NOREPLACE;
        int failed = ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, wanted.c_str(), flags);
        // Some file systems know no such flag: then somebody may be quicker than us.
        if (failed != 0 && errno == EINVAL && ::access(wanted.c_str(), F_OK) != 0) {
            failed = ::rename(path_.c_str(), wanted.c_str());
        }
        if (failed != 0) return file_error(wanted, errno);
        path_.clear();
        const auto folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path{"."};
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
    std::string_view name, const database& store, const settings& with) {
    return db::find_client_program(
        name,
        store.connection_string(),
        with.postgres_bin_dir,
        deadline::after(backup_look_time_max));
}

result<void> check_that_there_is_something(const database& store) {
    constexpr std::array<std::string_view, 1> history{"schema_migration"};
    const auto found =
        db::look_into(store.connection_string(), history, deadline::after(backup_look_time_max));
    if (!found) return found.error();
    if (found->has_rows) return {};
    return error{
        errc::not_found,
        "this database has nothing in it; --data-dir or --database-url must be the server's"};
}

/// pg_dump and pg_restore, and what ends their work.
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

/// All of the database, sealed, read through once, and on the disk.
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

/// What is at once taken by a pipe that has room (pipe(7), PIPE_BUF).
constexpr std::size_t pipe_piece_bytes = 4096;

/// Waits for a reader as long as he likes, but not for one who never comes.
result<void> copy_to_standard_output(int from, deadline by, const std::stop_token& stop) {
    std::array<char, pipe_piece_bytes> buffer{};
    for (off_t at = 0;;) {
        const auto count = ::pread(from, buffer.data(), buffer.size(), at);
        if (count < 0) return file_error("the backup", errno);
        if (count == 0) return {};
        for (ssize_t written = 0; written < count;) {
            constexpr int look_every_ms = 200;
            pollfd output{STDOUT_FILENO, POLLOUT, 0};
            ::poll(&output, 1, look_every_ms);
            if (stop.stop_requested()) return error{errc::cancelled, "interrupted"};
            if (by.passed()) return error{errc::timed_out, "nobody reads the backup"};
            if (output.revents == 0) continue;
            const auto* const rest = buffer.data() + written;
            const auto taken =
                ::write(STDOUT_FILENO, rest, static_cast<std::size_t>(count - written));
            if (taken < 0 && errno != EINTR && errno != EAGAIN) {
                return file_error("standard output", errno);
            }
            written += std::max(taken, ssize_t{0});
        }
        at += count;
    }
}

/// By way of a file, so that what is given out is known to be whole.
result<void> write_to_standard_output(const backup_tools& tools) {
    if (::isatty(STDOUT_FILENO) == 1) {
        return error{errc::invalid_argument, "a backup is nothing to be shown on a terminal"};
    }
    const auto file = unpublished_file::make(fs::temp_directory_path() / "reelsd-backup");
    if (!file) return file.error();
    const auto written = write_backup(*file, tools);
    if (!written) return written.error();
    return copy_to_standard_output(file->descriptor(), tools.by, tools.stop);
}

result<void> write_to_file(const backup_command& asked, const backup_tools& tools) {
    const fs::path wanted{asked.file};
    if (!asked.force && ::access(wanted.c_str(), F_OK) == 0) {
        return error{
            errc::conflict, fmt::format("{} is there already; --force overwrites it", asked.file)};
    }
    auto file = unpublished_file::make(wanted);
    if (!file) return file.error();
    const auto written = write_backup(*file, tools);
    if (!written) return written.error();
    if (const auto done = file->publish(wanted, asked.force); !done) return done.error();
    fmt::print("{}: {} bytes, schema {:04}\n", asked.file, written->bytes, written->schema);
    return {};
}

}  // namespace

result<void> execute(const backup_command& asked, const settings& with, const log::logger& log) {
    const interrupt stop;
    const auto store = database::open(with, log);
    if (!store) return store.error();
    if (const auto any = check_that_there_is_something(**store); !any) return any.error();
    const auto pg_dump = find_tool("pg_dump", **store, with);
    if (!pg_dump) return pg_dump.error();
    const auto pg_restore = find_tool("pg_restore", **store, with);
    if (!pg_restore) return pg_restore.error();
    const backup_tools tools{.pg_dump = *pg_dump, .pg_restore = *pg_restore, .stop = stop.token()};
    return asked.file == "-" ? write_to_standard_output(tools) : write_to_file(asked, tools);
}

}  // namespace reelsd::app
