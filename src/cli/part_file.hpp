#pragma once

#include "api_client.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace reelsd::cli {

/// A file that is being downloaded. Until it is complete, its bytes are in another file of the same
/// folder, whose name contains the ETag: "clip.mp4.%22a1b2%22.part". A later download reads it
/// there. Errors of all functions: storage_failed, with a detail for the user.
class part_file {
public:
    /// Finds the part that an earlier download left.
    explicit part_file(std::filesystem::path target);

    /// What has been received.
    [[nodiscard]] download_position position() const { return {.bytes = received_, .etag = etag_}; }
    /// Size of the whole file, once it is known.
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept { return size_; }

    /// Opens the part. At offset 0 it becomes empty, and parts of other ETags are removed. Fails
    /// while another download writes the part.
    [[nodiscard]] result<void> begin(const download_part& part);
    [[nodiscard]] result<void> write(std::span<const std::byte> bytes);
    /// Renames the complete part to the target. Also connection_failed if bytes are missing.
    [[nodiscard]] result<void> finish();

private:
    std::filesystem::path target_;
    std::filesystem::path part_;
    std::string etag_;
    unique_fd file_;
    std::uint64_t received_ = 0;
    std::optional<std::uint64_t> size_;
};

/// The error storage_failed of a file that cannot be written. `reason`: an errno.
[[nodiscard]] error cannot_write(const std::filesystem::path& file, int reason);

/// Writes a whole small file, so that it is never seen incomplete.
[[nodiscard]] result<void> write_file(const std::filesystem::path& target, std::string_view bytes);

}  // namespace reelsd::cli
