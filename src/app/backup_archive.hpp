#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/client_program.hpp>

#include <cstdint>
#include <filesystem>
#include <stop_token>

/// Backups as PostgreSQL's own programs write and read them: the custom format of pg_dump. All of
/// this blocks. Errors, each with one line of the program's words: internal, storage_failed (disk
/// full), timed_out, cancelled, database_unavailable (the program cannot be run).
namespace reelsd::app {

/// pg_dump writes all of the database, as it stood at one moment, to the open descriptor `to`,
/// which lies above 2.
[[nodiscard]] result<void> write_archive(
    const db::client_program& pg_dump, int to, deadline by, const std::stop_token& stop);

/// pg_restore reads the whole file. invalid_argument when it is cut short, damaged or something
/// else.
[[nodiscard]] result<void> check_archive(
    const db::client_program& pg_restore, const std::filesystem::path& file, deadline by,
    const std::stop_token& stop);

/// The newest migration that the database had; invalid_argument for a backup of something else.
[[nodiscard]] result<std::int32_t> schema_version_in(
    const db::client_program& pg_restore, const std::filesystem::path& file, deadline by,
    const std::stop_token& stop);

/// pg_restore puts everything into the database, in one transaction.
[[nodiscard]] result<void> load_archive(
    const db::client_program& pg_restore, const std::filesystem::path& file, deadline by,
    const std::stop_token& stop);

}  // namespace reelsd::app
