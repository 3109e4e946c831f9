#pragma once

#include "child_process.hpp"
#include "cluster_paths.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace reelsd::db {

/// Where everything of a private cluster lies, and who runs it.
struct cluster_layout {
    std::filesystem::path data_dir;  ///< Absolute, links resolved.
    std::filesystem::path cluster;
    std::filesystem::path socket_folder;
    std::filesystem::path log_file;
    std::filesystem::path lock_file;
    std::optional<account> run_as;  ///< When this process is root.
    std::filesystem::path initdb;
    std::filesystem::path postgres;

    /// True once initdb has done its work: it is renamed into place when complete.
    [[nodiscard]] bool initialised() const;
};

/// Finds the programs, makes the folders and checks that the server's user can reach them. Errors,
/// each one line that names the folder or program: storage_failed, database_unavailable.
[[nodiscard]] result<cluster_layout> lay_out(const cluster_options& options);

/// Makes a folder that only `owner` (nothing: this user) may enter, or checks that it is one: a
/// folder in /tmp may be somebody else's trap.
[[nodiscard]] result<void> make_private_folder(
    const std::filesystem::path& folder, const std::optional<account>& owner);

/// The whole of a small file; empty when it cannot be read.
[[nodiscard]] std::string read_small_file(const std::filesystem::path& file);

}  // namespace reelsd::db
