#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The private cluster's decisions that need neither disk nor process: pure.
namespace reelsd::db {

/// The socket's path with its NUL has to fit sockaddr_un: 108 bytes on Linux.
inline constexpr std::size_t socket_path_bytes_max = 107;

/// The folder for the server's socket: `run` in the data directory, or where libpq cannot take that
/// (too long, a comma) a folder below /tmp that every process derives alike from data directory and
/// user.
[[nodiscard]] std::filesystem::path socket_folder_for(
    const std::filesystem::path& data_dir, uid_t server_user);

/// An installed PostgreSQL: its major version and the folder of its programs.
struct installation {
    int major;
    std::filesystem::path binaries;
};

/// The installation that fits: the existing cluster's version, or the newest from 15 on for a new
/// one.
[[nodiscard]] std::optional<installation> choose_installation(
    std::span<const installation> found, std::optional<int> cluster_major);

/// The process in the first line of a postmaster.pid; nothing when there is none.
[[nodiscard]] std::optional<pid_t> postmaster_in(std::string_view pid_file);

/// libpq's connection string for a socket folder. Values are quoted: a folder's name may hold
/// anything.
[[nodiscard]] std::string connection_string_for(
    const std::filesystem::path& socket_folder, std::string_view database);

/// The line of a server's log that says why it ended, cut to 300 characters; empty when there is
/// none.
[[nodiscard]] std::string cause_in(std::string_view log);

/// The server's command line, without the program.
struct server_settings {
    std::filesystem::path cluster;
    std::filesystem::path socket_folder;
    bool durable;
};
[[nodiscard]] std::vector<std::string> server_arguments(const server_settings& settings);

/// initdb's command line, without the program. `locale` is one that the system has.
[[nodiscard]] std::vector<std::string> initdb_arguments(
    const server_settings& settings, std::string_view locale);

}  // namespace reelsd::db
