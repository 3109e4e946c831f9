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

/// A video on our disk.
struct media_file {
    std::filesystem::path file;
    std::uint64_t size_bytes = 0;
    std::string sha256;  ///< 64 hexadecimal digits in lower case.
    /// The sound, where it is a file of its own: beside `file`, to be put together with it.
    std::optional<std::filesystem::path> sound = {};
};

/// A file that is on our disk already, counted and hashed. errc::storage_failed.
[[nodiscard]] result<media_file> describe_file(const std::filesystem::path& file);

/// Writes `target` (created or overwritten, mode 0600; removed again on failure) piece by piece;
/// an empty piece ends it. Errors: those of `next`, video_too_large, unsupported_format (no MP4,
/// MOV or WebM), storage_failed.
[[nodiscard]] result<media_file> write_video(
    const std::filesystem::path& target, std::uint64_t bytes_max,
    const std::function<result<std::vector<std::byte>>()>& next);

/// The media address no longer serves: its signature ran out or the file has moved. Resolve the
/// post once more and download again; when that happens with a fresh post, `if_fresh` is the error
/// to report.
struct stale_media {
    error if_fresh;
};

using download_outcome = std::variant<media_file, stale_media>;

struct downloader_settings {
    std::uint64_t bytes_max = std::uint64_t{100} * 1024 * 1024;
    std::string user_agent = {};
    /// Slower downloads are given up. At the usual limit a video of 4 MB would take over an hour.
    net::speed_floor slowest{.bytes_per_second = 1024, .during = std::chrono::seconds{15}};
};

/// Streams a post's video to disk. Blocking; safe from any thread.
class downloader {
public:
    /// `client` outlives this; its policy says which media hosts are allowed.
    downloader(const net::http_client& client, downloader_settings settings);

    /// Writes `target` (created or overwritten, mode 0600; removed again on failure), and
    /// `target`.sound where the sound is a file of its own; both together within the limit of
    /// bytes. A body that
    /// breaks off is resumed, at most 3 requests in all. Errors: video_too_large,
    /// unsupported_format (no MP4, MOV or WebM), storage_failed, address_refused (also a
    /// redirect's), connection_failed (also slower than the limit), timed_out,
    /// platform_rate_limited, platform_failed, cancelled.
    [[nodiscard]] result<download_outcome> download(
        const post& subject, const std::filesystem::path& target, deadline by,
        const std::stop_token& stop) const;

private:
    const net::http_client& client_;
    downloader_settings settings_;
};

}  // namespace reelsd::platform
