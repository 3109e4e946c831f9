#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::jobs {

/// As in SQL (`job_status`) and JSON.
enum class job_status : std::uint8_t { pending, processing, done, error };

/// Why a job ended in `error`, as in SQL (`job_error_code`) and JSON. Source: contract section 4.
enum class job_error_code : std::uint8_t {
    unavailable,
    rate_limited,
    model_failed,
    unsupported_format,
    storage_error,
    video_too_long,
    download_failed,
    internal,
};

/// Whether the job is done or has failed.
[[nodiscard]] constexpr bool has_ended(job_status status) noexcept {
    return status == job_status::done || status == job_status::error;
}

[[nodiscard]] std::string_view name_of(job_status status) noexcept;
[[nodiscard]] std::string_view name_of(job_error_code code) noexcept;
/// Decode at the edge; `internal` for an unknown name, which means a schema newer than this
/// program.
[[nodiscard]] result<job_status> job_status_from(std::string_view name);
[[nodiscard]] result<job_error_code> job_error_code_from(std::string_view name);

/// Whether the same submission may succeed later or elsewhere. `cause` is the name of the errc that
/// ended the last attempt; empty when it is not known. Source: contract section 13.
[[nodiscard]] bool is_retryable(job_error_code code, std::string_view cause) noexcept;

/// What lists and searches show of a done job without reading its result.
struct reel_brief {
    std::string code;     ///< Of the post.
    std::string author;   ///< The account's name; "" if unknown.
    std::string summary;  ///< One sentence; "" if nothing could be said.
};

/// The place of a pending job among its account's pending jobs.
struct queue_place {
    std::int32_t position = 1;  ///< 1: the next to start.
    /// An estimate; nothing when no job was done yet.
    std::optional<time_point> expected_start_at = {};
};

/// A job as its owner sees it.
struct job {
    job_id id;
    std::string url;
    job_status status = job_status::pending;
    time_point created_at;
    std::optional<time_point> started_at;
    std::optional<time_point> finished_at;
    std::optional<job_error_code> error_code;
    std::string error;          ///< Text for people; empty unless `error`.
    bool is_retryable = false;  ///< As is_retryable(); only when `error`.
    /// From `finished_at` on, before which another submission would fail as well; when known.
    std::optional<std::int32_t> retry_after_seconds = {};
    std::optional<queue_place> place = {};  ///< Only when `pending`, where it is read.
    std::optional<std::string> result;      ///< The five sections as JSON text; only when `done`.
    std::optional<reel_brief> brief = {};   ///< Instead of the result, where lists are read.
    /// Older jobs on the same post, counted up to 1,000; only in lists of the newest jobs.
    std::optional<std::int64_t> earlier = {};
};

/// A job that a worker holds. `claim` names the holding: reports apply only while it is the current
/// one.
struct claimed_job {
    job_id id;
    account_id account;
    std::string url;
    std::int32_t claim = 0;
    int attempt = 1;  ///< From 1 on.
    time_point created_at;
    bool fresh = false;      ///< The caller wants no earlier analysis of the same post.
    bool is_upload = false;  ///< The video was uploaded; see upload_store.
    /// The resolver that it may ask once, now; empty when it has to ask for a permit.
    std::string permit = {};
    /// Since when it has been put off for cool-downs alone; nothing when it was not the last time.
    std::optional<time_point> cooling_since = {};
    std::int64_t turn = 0;  ///< Its place in the order of the queue.
};

/// What a reel looks like: one picture in two sizes, JPEGs.
struct reel_thumbnail {
    std::vector<std::byte> jpeg;  ///< 4 to 40,960 bytes.
    /// For the rows of lists, 4 to 4,096 bytes; nothing for reels from before there were such.
    std::optional<std::vector<std::byte>> small_jpeg = {};

    friend bool operator==(const reel_thumbnail&, const reel_thumbnail&) = default;
};

/// Which of the two.
enum class thumbnail_size : std::uint8_t { small, large };

/// The result of an earlier job on the same post, which may stand for a new analysis.
struct earlier_analysis {
    std::string result;                            ///< The five sections as JSON text.
    time_point analyzed_at;                        ///< When it was really made.
    std::optional<reel_thumbnail> thumbnail = {};  ///< If it has one.
};

/// A job as clients see it (contract section 4), as JSON text; with `brief`, as it stands in lists.
/// The stored result goes in as it is: it is valid JSON already, and taking it apart would cost
/// every read.
[[nodiscard]] std::string job_view(const job& job);

}  // namespace reelsd::jobs
