#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/client_program.hpp>

#include <cstdint>
#include <filesystem>
#include <stop_token>

/// Backup files: an archive in the custom format of pg_dump, followed by a seal. The seal is a last
/// line with the SHA-256 of the archive, which has no checksum of its own: a flipped bit in its
/// table of contents would be another schema. pg_restore does not read the seal.
///
/// All functions block. Errors, each with one line of the program's output: internal,
/// storage_failed (disk full), timed_out, cancelled, database_unavailable (the program cannot be
/// run).
namespace reelsd::app {

/// pg_dump writes a snapshot of the whole database to the open descriptor `to`, which is above 2.
[[nodiscard]] result<void> write_archive(
    const db::client_program& pg_dump, int to, deadline by, const std::stop_token& stop);

/// pg_restore reads the whole file. invalid_argument when it is truncated, damaged or not a backup.
[[nodiscard]] result<void> check_archive(
    const db::client_program& pg_restore, const std::filesystem::path& file, deadline by,
    const std::stop_token& stop);

/// The newest migration of the database; invalid_argument for a backup of another program.
[[nodiscard]] result<std::int32_t> schema_version_in(
    const db::client_program& pg_restore, const std::filesystem::path& file, deadline by,
    const std::stop_token& stop);

/// pg_restore loads the archive into the database, in one transaction.
[[nodiscard]] result<void> load_archive(
    const db::client_program& pg_restore, const std::filesystem::path& file, deadline by,
    const std::stop_token& stop);

/// Appends the seal to an open file, after reading it.
[[nodiscard]] result<void> seal_backup(int file, deadline by, const std::stop_token& stop);

/// invalid_argument when the seal is missing or does not match.
[[nodiscard]] result<void> check_seal(
    const std::filesystem::path& file, deadline by, const std::stop_token& stop);

}  // namespace reelsd::app
