#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <filesystem>
#include <stop_token>

/// The last line of a backup: a checksum of all before it. pg_dump's format has none, and a flipped
/// bit in its table of contents would be another schema. pg_restore does not read so far.
/// All of this blocks. Errors: storage_failed, timed_out, cancelled.
namespace reelsd::app {

/// Appends the seal to an open file, which is read for it.
[[nodiscard]] result<void> seal_backup(int file, deadline by, const std::stop_token& stop);

/// invalid_argument when there is no seal, or it does not fit.
[[nodiscard]] result<void> check_seal(
    const std::filesystem::path& file, deadline by, const std::stop_token& stop);

}  // namespace reelsd::app
