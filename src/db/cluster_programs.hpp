#pragma once

#include "cluster_layout.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// PostgreSQL's programs that end by themselves, run as the cluster's user with the cluster's log.
namespace reelsd::db {

/// A program and its arguments; `folder` and `input` as in child_options.
struct cluster_program {
    std::filesystem::path file;
    std::vector<std::string> arguments;
    std::filesystem::path folder = "/";
    std::string input = {};
};

/// Runs a program to its end; when `by` passes first, kills its process group. Errors:
/// database_unavailable with the cause in the log, storage_failed on a full disk, timed_out.
[[nodiscard]] result<void> run_program(
    const cluster_layout& layout, const cluster_program& program, deadline by);

/// The error of a program that failed after the log had `begin` bytes.
[[nodiscard]] error program_failed(
    const std::filesystem::path& program, const std::filesystem::path& log_file,
    std::uintmax_t begin);

/// 0 for a missing file.
[[nodiscard]] std::uintmax_t size_of(const std::filesystem::path& file);

/// A new name for a cluster that is being created in the data directory.
[[nodiscard]] std::filesystem::path unfinished_folder(const cluster_layout& layout);

/// Removes leftovers of killed creations. An initdb may still be cleaning up after itself;
/// therefore each uses a new name.
void remove_unfinished(const cluster_layout& layout);

/// Creates a cluster with `initdb`. Leaves an incomplete folder when it fails. Errors: as
/// run_program().
[[nodiscard]] result<void> create_cluster(
    const cluster_layout& layout, const std::filesystem::path& folder, bool durable, deadline by);

/// Best effort: the next start repeats a rename that a crash lost.
void sync_folder(const std::filesystem::path& folder);

}  // namespace reelsd::db
