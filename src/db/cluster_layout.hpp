#pragma once

#include "child_process.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Locations of the private cluster and of PostgreSQL's programs, and the arguments of the
/// programs. Everything except the search for programs is pure.

namespace reelsd::db {

/// The socket's path with its NUL has to fit sockaddr_un: 108 bytes on Linux.
inline constexpr std::size_t socket_path_bytes_max = 107;

/// Returns the folder for the server's socket: `run` in the data directory. If libpq cannot use
/// that (too long, a comma), a folder in /tmp that every process derives from data directory and
/// user.
[[nodiscard]] std::filesystem::path socket_folder_for(
    const std::filesystem::path& data_dir, uid_t server_user);

/// An installed PostgreSQL: its major version and the folder of its programs.
struct installation {
    int major;
    std::filesystem::path binaries;
};

using program_names = std::initializer_list<std::string_view>;

/// Whether a folder contains all of `programs`, executable by this process.
[[nodiscard]] bool has_programs(const std::filesystem::path& folder, program_names programs);

/// Where Debian installs a folder for each major version.
inline constexpr const char* installations_folder = "/usr/lib/postgresql";

/// Returns the installations in `folder` that have all of `programs`.
[[nodiscard]] std::vector<installation> installations_of(
    program_names programs, const std::filesystem::path& folder = installations_folder);

/// Returns the first folder of PATH that has all of `programs`; empty if no folder has.
[[nodiscard]] std::filesystem::path folder_on_path(program_names programs);

/// Chooses the installation with the existing cluster's version, or the newest from 15 on for a new
/// cluster.
[[nodiscard]] std::optional<installation> choose_installation(
    std::span<const installation> installed, std::optional<int> cluster_major);

/// Returns the process in the first line of a postmaster.pid, if any.
[[nodiscard]] std::optional<pid_t> postmaster_in(std::string_view pid_file);

/// Returns libpq's connection string for a socket folder. Quotes values, because a folder's name
/// may contain any character.
[[nodiscard]] std::string connection_string_for(
    const std::filesystem::path& socket_folder, std::string_view database);

/// Part of each message about a full disk.
inline constexpr std::string_view full_disk_text = "No space left";

/// Returns the line of a server's log that explains why it ended, cut to 300 characters; empty if
/// it has no such line. A line about a full disk precedes all others.
[[nodiscard]] std::string cause_in(std::string_view log);

/// The server's command line, without the program.
struct server_settings {
    std::filesystem::path cluster;
    std::filesystem::path socket_folder;
    bool durable;
};
[[nodiscard]] std::vector<std::string> server_arguments(const server_settings& settings);

/// initdb's command line, without the program. `locale` must exist on the system.
[[nodiscard]] std::vector<std::string> initdb_arguments(
    const server_settings& settings, std::string_view locale);

/// Paths of a private cluster, and the user that runs it.
struct cluster_layout {
    std::filesystem::path data_dir;  ///< Absolute, links resolved.
    std::filesystem::path cluster;
    std::filesystem::path socket_folder;
    std::filesystem::path log_file;
    std::filesystem::path lock_file;
    std::optional<account> run_as;  ///< Set if this process is root.
    std::filesystem::path initdb;
    std::filesystem::path postgres;
    int major = 0;  ///< Version of the existing cluster; 0 for a new one.
    /// The newest installation that can upgrade the existing cluster.
    std::optional<installation> newer = {};

    /// True once initdb has finished: a complete cluster is renamed into place.
    [[nodiscard]] bool initialised() const;
};

/// Finds the programs, creates the folders and checks that the server's user can reach them.
/// Errors, each one line that names the folder or program: storage_failed, database_unavailable.
[[nodiscard]] result<cluster_layout> lay_out(const cluster_options& options);

/// Creates a folder that only `owner` (nothing: this user) may enter, or checks an existing one,
/// because another user may have planted a folder in /tmp.
[[nodiscard]] result<void> make_private_folder(
    const std::filesystem::path& folder, const std::optional<account>& owner);

/// storage_failed: "FOLDER: WHY".
[[nodiscard]] error storage_error(const std::filesystem::path& at, const std::string& why);

/// Returns at most 64 KiB of a file from byte `begin` on; empty if it cannot be read.
[[nodiscard]] std::string read_small_file(
    const std::filesystem::path& file, std::uintmax_t begin = 0);

}  // namespace reelsd::db
