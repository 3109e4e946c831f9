#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/platform/post.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace reelsd::platform {

/// A video on disk.
struct media_file {
    std::filesystem::path file;
    std::uint64_t size_bytes = 0;
    std::string sha256;  ///< 64 hexadecimal digits in lower case.
    /// The sound, if it is a separate file: next to `file`, to be muxed with it.
    std::optional<std::filesystem::path> sound = {};
};

/// Size and hash of an existing file. errc::storage_failed.
[[nodiscard]] result<media_file> describe_file(const std::filesystem::path& file);

/// Writes the pieces of `next` to `target` (created or overwritten, mode 0600; removed on failure)
/// until a piece is empty. Errors: those of `next`, video_too_large, unsupported_format
/// (not an MP4, MOV or WebM), storage_failed.
[[nodiscard]] result<media_file> write_video(
    const std::filesystem::path& target, std::uint64_t bytes_max,
    const std::function<result<std::vector<std::byte>>()>& next);

/// The media URL no longer works: its signature expired or the file has moved. Resolve the post and
/// download again; if that fails in the same way, report `if_fresh`.
struct stale_media {
    error if_fresh;
};

using download_outcome = std::variant<media_file, stale_media>;

struct downloader_settings {
    std::uint64_t bytes_max = std::uint64_t{100} * 1024 * 1024;
    std::string user_agent = {};
    /// Slower downloads are aborted. At the usual limit a video of 4 MB would take over an hour.
    net::speed_floor slowest{.bytes_per_second = 1024, .during = std::chrono::seconds{15}};
};

/// Downloads a post's video to disk. Blocking; safe from any thread.
class downloader {
public:
    /// `client` outlives this; its policy says which media hosts are allowed.
    downloader(const net::http_client& client, downloader_settings settings)
        : client_{client}, settings_{std::move(settings)} {}

    /// Writes `target` (created or overwritten, mode 0600; removed on failure), and `target`.sound
    /// if the sound is a separate file; the limit of bytes is for both together. Resumes an
    /// interrupted body, with at most 3 requests in all. Errors: video_too_large,
    /// unsupported_format (not an MP4, MOV or WebM), storage_failed, address_refused (also of a
    /// redirect), connection_failed (also slower than the limit), timed_out, platform_rate_limited,
    /// platform_failed, cancelled.
    [[nodiscard]] result<download_outcome> download(
        const post& subject, const std::filesystem::path& target, deadline by,
        const std::stop_token& stop) const;

private:
    const net::http_client& client_;
    downloader_settings settings_;
};

}  // namespace reelsd::platform
