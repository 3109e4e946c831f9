#include "cluster_paths.hpp"

#include "connection_string.hpp"
#include <reelsd/base/parse_number.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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

}  // namespace

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

std::vector<installation> installations_of(program_names programs) {
    std::vector<installation> installed;
    std::error_code missing;  // No such folder: no installations.
    for (const auto& entry : fs::directory_iterator{"/usr/lib/postgresql", missing}) {
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
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const auto length = std::min(rest.find(':'), rest.size());
        fs::path folder{rest.substr(0, length)};
        rest.remove_prefix(std::min(length + 1, rest.size()));
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
    while (!log.empty()) {
        const auto length = std::min(log.find('\n'), log.size());
        const auto line = log.substr(0, length);
        log.remove_prefix(std::min(length + 1, log.size()));
        for (const std::string_view mark : {"FATAL: ", "PANIC: ", "error: "}) {
            const auto at = line.find(mark);
            if (at != std::string_view::npos && cause.empty()) cause = line.substr(at);
        }
    }
    return std::string{cause.substr(0, characters_max)};
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

}  // namespace reelsd::db
