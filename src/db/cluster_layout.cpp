#include "cluster_layout.hpp"

#include "session.hpp"
#include <reelsd/base/parse_number.hpp>

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ranges>
#include <system_error>
#include <utility>

namespace reelsd::db {
namespace {

namespace fs = std::filesystem;

/// FNV-1a. Not for secrecy: it must only be equal in every process and differ between folders.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

/// Quotes an element of a list setting, where commas and spaces are plain text.
std::string quoted_element(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted.push_back('"');
        quoted.push_back(c);
    }
    return quoted + '"';
}

/// The error message of a log's line, from its level on; empty if it has none. Replies to clients
/// that connect too early, such as "the database system is starting up", explain nothing.
std::string_view message_in(std::string_view line) {
    for (const std::string_view mark : {"FATAL: ", "PANIC: ", "error: "}) {
        const auto at = line.find(mark);
        if (at == std::string_view::npos) continue;
        const auto message = line.substr(at);
        if (message.find("the database system is ") == std::string_view::npos) return message;
    }
    return {};
}

// ---- Users

/// `find` is getpwnam_r or getpwuid_r; `key` is its first argument.
template <class Find, class Key>
std::optional<account> look_up(Find find, Key key) {
    passwd entry{};
    passwd* match = nullptr;
    std::array<char, 4096> buffer{};
    find(key, &entry, buffer.data(), buffer.size(), &match);
    if (match == nullptr) return {};
    return account{match->pw_uid, match->pw_gid, match->pw_name};
}

/// Without an entry, the user's name is their number.
account account_of(uid_t user, gid_t group) {
    return look_up(::getpwuid_r, user).value_or(account{user, group, std::to_string(user)});
}

/// PostgreSQL refuses to run as root. The owner of the cluster or else of the data directory is
/// preferred, so that root's commands and an unprivileged daemon can use the same cluster.
result<std::optional<account>> server_user(const fs::path& data_dir) {
    if (::geteuid() != 0) return std::optional<account>{};
    struct stat status = {};
    if (::stat((data_dir / "postgres").c_str(), &status) == 0 && status.st_uid != 0)
        return std::optional{account_of(status.st_uid, status.st_gid)};
    if (::stat(data_dir.c_str(), &status) == 0 && status.st_uid != 0) {
        // initdb fails for a user without an entry.
        if (auto owner = look_up(::getpwuid_r, status.st_uid)) return owner;
    }
    for (const char* const name : {"postgres", "nobody"}) {
        auto user = look_up(::getpwnam_r, name);
        if (user && user->uid != 0) return user;
    }
    return error{
        errc::database_unavailable,
        "PostgreSQL refuses to run as root and neither the user postgres nor nobody exists; "
        "run as another user, or give a database URL"};
}

// ---- Programs

struct programs {
    fs::path binaries;
    int major = 0;
    std::optional<installation> newer = {};
};

/// Chooses the newest installation with pg_upgrade, if it is newer than the cluster.
std::optional<installation> newer_than(int cluster_major, const fs::path& installations) {
    const auto installed = installations_of({"initdb", "postgres", "pg_upgrade"}, installations);
    auto newest = choose_installation(installed, {});
    return newest && newest->major > cluster_major ? newest : std::nullopt;
}

std::string not_installed(int major, const fs::path& cluster, bool has_newer) {
    return fmt::format(
        "PostgreSQL {} is not installed, and {} needs it; install it{}, or restore a backup into "
        "another data directory",
        major,
        cluster.string(),
        has_newer ? " next to the newer one, then the next start upgrades the database" : "");
}

result<programs> find_programs(const cluster_options& options, const fs::path& cluster) {
    const program_names server_programs{"initdb", "postgres"};
    if (!options.binaries.empty()) {
        if (has_programs(options.binaries, server_programs)) return programs{options.binaries};
        return error{
            errc::database_unavailable,
            fmt::format("{}: initdb or postgres is missing there", options.binaries.string())};
    }
    const auto version = read_small_file(cluster / "PG_VERSION");
    const auto major = parse_number<int>(version.substr(0, version.find('\n')));
    const auto installed = installations_of(server_programs, options.installations);
    const auto newer = major ? newer_than(*major, options.installations) : std::nullopt;
    if (const auto chosen = choose_installation(installed, major)) {
        return programs{chosen->binaries, major.value_or(0), newer};
    }
    if (auto folder = folder_on_path(server_programs); !folder.empty()) {
        return programs{std::move(folder)};
    }
    return error{
        errc::database_unavailable,
        major ? not_installed(*major, cluster, newer.has_value())
              : "PostgreSQL 15 or newer is not installed; install it, or give a database URL "
                "(REELSD_DATABASE_URL)"};
}

// ---- Folders

result<fs::path> make_data_dir(const fs::path& data_dir, bool for_other_user) {
    std::error_code problem;
    const auto absolute = fs::absolute(data_dir, problem);
    const bool is_new = !problem && fs::create_directories(absolute, problem);
    if (problem) return storage_error(data_dir, "cannot be created: " + problem.message());
    auto folder = fs::canonical(absolute, problem);
    if (problem) return storage_error(data_dir, problem.message());
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        return storage_error(folder, "cannot be written: " + numbered_errno_text(errno));
    }
    if (is_new) {
        fs::permissions(folder, fs::perms::owner_all, problem);
    }
    if (for_other_user && !problem) {
        // Lets the server's user traverse this folder. The folders above are not changed.
        const auto through = fs::perms::group_exec | fs::perms::others_exec;
        fs::permissions(folder, through, fs::perm_options::add, problem);
    }
    if (problem) return storage_error(folder, problem.message());
    return folder;
}

/// Refuses another user's cluster, which could be neither read nor run.
result<void> check_owner(const fs::path& cluster, uid_t server_user) {
    struct stat status = {};
    if (::stat(cluster.c_str(), &status) != 0 || status.st_uid == server_user) return {};
    // An empty folder that root created in advance is not yet a cluster. Only root can look inside.
    const bool is_cluster =
        ::geteuid() != 0 || ::access((cluster / "PG_VERSION").c_str(), F_OK) == 0;
    if (!is_cluster) return {};
    return storage_error(
        cluster,
        fmt::format(
            "belongs to user {}; run as that user, or stop its server and change the owner as "
            "root: chown -R {} {}",
            account_of(status.st_uid, status.st_gid).name,
            account_of(server_user, server_user).name,
            cluster.parent_path().string()));
}

result<void> check_reachable(const account& user, const fs::path& folder) {
    std::vector<fs::path> chain;
    for (fs::path next = folder; next.has_relative_path(); next = next.parent_path()) {
        chain.push_back(next);
    }
    std::reverse(chain.begin(), chain.end());
    const auto blocked = first_unreachable(user, chain);
    if (!blocked) return blocked.error();
    if (!*blocked) return {};
    return storage_error(
        **blocked,
        fmt::format(
            "user {}, who runs PostgreSQL for root, may not enter this folder; choose another "
            "--data-dir, such as /srv/reelsd",
            user.name));
}

}  // namespace

error storage_error(const fs::path& at, const std::string& why) {
    return error{errc::storage_failed, fmt::format("{}: {}", at.string(), why)};
}

fs::path socket_folder_for(const fs::path& data_dir, uid_t server_user) {
    constexpr std::string_view socket_name = "/.s.PGSQL.5432";
    auto near = data_dir / "run";
    const bool fits = near.native().size() + socket_name.size() <= socket_path_bytes_max;
    // libpq treats a comma as a separator of hosts, even if it is quoted.
    if (fits && near.native().find(',') == std::string::npos) return near;
    return fmt::format("/tmp/reelsd-{}-{:016x}", server_user, hash_of(data_dir.native()));
}

bool has_programs(const fs::path& folder, program_names programs) {
    return std::all_of(programs.begin(), programs.end(), [&folder](std::string_view name) {
        return ::access((folder / name).c_str(), X_OK) == 0;
    });
}

std::vector<installation> installations_of(program_names programs, const fs::path& folder) {
    std::vector<installation> installed;
    std::error_code missing;  // No such folder: no installations.
    for (const auto& entry : fs::directory_iterator{folder, missing}) {
        const auto major = parse_number<int>(entry.path().filename().native());
        auto binaries = entry.path() / "bin";
        if (major && has_programs(binaries, programs)) {
            installed.push_back({*major, std::move(binaries)});
        }
    }
    return installed;
}

fs::path folder_on_path(program_names programs) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes the environment
    const char* const path = std::getenv("PATH");
    const std::string_view all = path == nullptr ? "" : path;
    for (const auto part : std::views::split(all, ':')) {
        fs::path folder{part.begin(), part.end()};
        if (folder.is_absolute() && has_programs(folder, programs)) return folder;
    }
    return {};
}

std::optional<installation> choose_installation(
    std::span<const installation> installed, std::optional<int> cluster_major) {
    constexpr int major_min = 15;
    std::optional<installation> best;
    for (const auto& next : installed) {
        const bool fits = cluster_major ? next.major == *cluster_major : next.major >= major_min;
        if (fits && (!best || next.major > best->major)) best = next;
    }
    return best;
}

std::optional<pid_t> postmaster_in(std::string_view pid_file) {
    const auto line = pid_file.substr(0, pid_file.find('\n'));
    const auto number = parse_number<pid_t>(line);
    return number && *number > 0 ? number : std::nullopt;
}

std::string connection_string_for(const fs::path& socket_folder, std::string_view database) {
    return fmt::format(
        "{} port=5432 user=reelsd {}",
        connection_option("host", socket_folder.native()),
        connection_option("dbname", database));
}

std::string cause_in(std::string_view log) {
    constexpr std::size_t characters_max = 300;
    std::string_view cause;
    std::string_view full_disk;
    std::string_view previous;
    for (const auto part : std::views::split(log, '\n')) {
        const std::string_view line{part.begin(), part.end()};
        const auto message = message_in(line);
        if (cause.empty()) cause = message;
        // Also as a LOG line, before a FATAL line that only says that the server stops.
        if (full_disk.empty() && line.find(full_disk_text) != std::string_view::npos) {
            full_disk = message.empty() ? line : message;
        }
        // pg_upgrade marks only the end of its message.
        if (line == "Failure, exiting" && cause.empty()) cause = previous;
        if (!line.empty()) previous = line;
    }
    return std::string{(full_disk.empty() ? cause : full_disk).substr(0, characters_max)};
}

std::vector<std::string> server_arguments(const server_settings& settings) {
    std::vector<std::string> arguments{"-D", settings.cluster.native()};
    const auto set = [&arguments](std::string_view name, std::string_view value) {
        arguments.emplace_back("-c");
        arguments.push_back(fmt::format("{}={}", name, value));
    };
    // Reachable only through the private folder.
    set("listen_addresses", "");
    set("port", "5432");
    set("unix_socket_directories", quoted_element(settings.socket_folder.native()));
    set("unix_socket_permissions", "0700");
    // Loaded when the server starts. A minor upgrade replaces the files of a running server, and a
    // new library may need functions that only the new server has. A session that loads one later
    // would fail (58P01).
    set("shared_preload_libraries", "plpgsql,dict_snowball");
    // A few daemons with 4 connections each, and their commands.
    set("max_connections", "60");
    set("shared_buffers", "64MB");
    // For the disk of a small installation: the WAL stays below a quarter of a gigabyte.
    set("min_wal_size", "32MB");
    set("max_wal_size", "256MB");
    // The program's statements take microseconds; compiling them would take milliseconds.
    set("jit", "off");
    // Vacuumed pages allow index-only scans in searches. Measured at 10,000 reels: the slowest
    // searches take a quarter of the time.
    set("autovacuum_naptime", "15s");
    // The log contains only problems, so that it stays small.
    set("logging_collector", "off");
    set("log_checkpoints", "off");
    set("log_timezone", "UTC");
    set("log_line_prefix", "%m [%p] ");
    set("lc_messages", "C");
    set("synchronous_commit", "on");
    set("fsync", settings.durable ? "on" : "off");
    set("full_page_writes", settings.durable ? "on" : "off");
    return arguments;
}

std::vector<std::string> initdb_arguments(
    const server_settings& settings, std::string_view locale) {
    std::vector<std::string> arguments{
        "-D",
        settings.cluster.native(),
        "--username=reelsd",
        "--encoding=UTF8",
        fmt::format("--locale={}", locale),
        // Access to the socket's folder is the only authentication.
        "--auth-local=trust",
        "--auth-host=reject"};
    // Checksums detect corrupt pages instead of serving them.
    arguments.emplace_back(settings.durable ? "--data-checksums" : "--no-sync");
    return arguments;
}

std::string read_small_file(const fs::path& file, std::uintmax_t begin) {
    constexpr std::size_t bytes_max = std::size_t{64} * 1024;
    std::ifstream stream{file, std::ios::binary};
    stream.seekg(static_cast<std::streamoff>(begin));
    std::string text(bytes_max, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

bool cluster_layout::initialised() const {
    return ::access((cluster / "PG_VERSION").c_str(), F_OK) == 0;
}

result<void> make_private_folder(const fs::path& folder, const std::optional<account>& owner) {
    constexpr mode_t all_mine = S_IRWXU;
    const uid_t owner_id = owner ? owner->uid : ::geteuid();
    if (::mkdir(folder.c_str(), all_mine) == 0) {
        if (owner && ::chown(folder.c_str(), owner->uid, owner->gid) != 0) {
            return storage_error(
                folder, "its owner cannot be changed: " + numbered_errno_text(errno));
        }
        return {};
    }
    if (errno != EEXIST)
        return storage_error(folder, "cannot be created: " + numbered_errno_text(errno));

    struct stat status = {};
    if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        return storage_error(folder, "is not a folder");
    }
    if (status.st_uid != owner_id || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return storage_error(
            folder, "belongs to another user or is open to others; remove it, or run as its owner");
    }
    return {};
}

result<cluster_layout> lay_out(const cluster_options& options) {
    std::error_code none;
    const auto unresolved = fs::absolute(options.data_dir, none);
    const auto user = server_user(unresolved);
    if (!user) return user.error();
    const auto found = find_programs(options, unresolved / "postgres");
    if (!found) return found.error();
    const auto data_dir = make_data_dir(options.data_dir, user->has_value());
    if (!data_dir) return data_dir.error();
    if (*user) {
        const auto reached = check_reachable(**user, *data_dir);
        if (!reached) return reached.error();
    }

    const uid_t uid = *user ? (*user)->uid : ::geteuid();
    cluster_layout layout{
        .data_dir = *data_dir,
        .cluster = *data_dir / "postgres",
        .socket_folder = socket_folder_for(*data_dir, uid),
        .log_file = *data_dir / "postgres.log",
        .lock_file = *data_dir / "postgres.lock",
        .run_as = *user,
        .initdb = found->binaries / "initdb",
        .postgres = found->binaries / "postgres",
        .major = found->major,
        .newer = found->newer};
    const auto owned = check_owner(layout.cluster, uid);
    if (!owned) return owned.error();
    const auto socket = make_private_folder(layout.socket_folder, layout.run_as);
    if (!socket) return socket.error();
    return layout;
}

}  // namespace reelsd::db
