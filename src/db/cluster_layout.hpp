#pragma once

#include "child_process.hpp"
#include "cluster_paths.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace reelsd::db {

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

/// Returns at most 64 KiB of a file from byte `begin` on; empty if it cannot be read.
[[nodiscard]] std::string read_small_file(
    const std::filesystem::path& file, std::uintmax_t begin = 0);

}  // namespace reelsd::db
