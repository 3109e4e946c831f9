#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/ids.hpp>

#include <boost/describe/class.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::jobs {

/// As in SQL (`job_status`) and JSON.
BOOST_DEFINE_FIXED_ENUM_CLASS(job_status, std::uint8_t, pending, processing, done, error)
using reelsd::name_of;

/// Why a job ended in `error`, as in SQL (`job_error_code`) and JSON
/// (`error_code`).
BOOST_DEFINE_FIXED_ENUM_CLASS(
    job_error_code, std::uint8_t, unavailable, rate_limited, model_failed, unsupported_format,
    storage_error, video_too_long, download_failed, internal)

[[nodiscard]] constexpr bool has_ended(job_status status) noexcept {
    return status == job_status::done || status == job_status::error;
}

/// Whether the same submission may succeed later. `cause`: name of the errc that ended the last
/// attempt; empty if unknown.
[[nodiscard]] bool is_retryable(job_error_code code, std::string_view cause) noexcept;

/// The part of a done job that lists and searches show.
struct reel_brief {
    std::string code;     ///< The post's code.
    std::string author;   ///< The account's name; empty if unknown.
    std::string summary;  ///< One sentence; may be empty.
};
BOOST_DESCRIBE_STRUCT(reel_brief, (), (code, author, summary))

/// The place of a pending job among its account's pending jobs.
struct queue_place {
    std::int32_t position = 1;  ///< 1: the next to start.
    /// An estimate; empty before the first job is done.
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
    std::string error;          ///< Text for the user; empty unless `error`.
    bool is_retryable = false;  ///< As is_retryable(); only when `error`.
    /// After `finished_at`, until another submission may succeed; if known.
    std::optional<std::int32_t> retry_after_seconds = {};
    std::optional<queue_place> place = {};    ///< Only when `pending`, and not in all queries.
    std::optional<std::string> result;        ///< The five sections as JSON text; only when `done`.
    std::optional<std::string> options = {};  ///< As in `submission`, if it had any.
    /// The answer to the caller's schema as JSON text, or why there is none; only when `done`.
    std::optional<std::string> extract = {};
    std::optional<std::string> extract_error = {};
    bool has_video = false;                ///< Whether its video is kept.
    std::optional<reel_brief> brief = {};  ///< In lists, in place of the result.
    /// Members of a JSON object that only lists show; see list_details_of.sql.
    std::optional<std::string> details = {};
    /// Older jobs on the same post, counted up to 1,000; only in lists of the newest jobs.
    std::optional<std::int64_t> earlier = {};
};

/// A job that a worker has claimed. Reports apply only while `claim` is current.
struct claimed_job {
    job_id id;
    account_id account;
    std::string url;
    std::int32_t claim = 0;
    int attempt = 1;  ///< From 1.
    time_point created_at;
    bool fresh = false;      ///< Does not reuse an earlier analysis of the post.
    bool is_upload = false;  ///< The video was uploaded; see upload_store.
    /// The resolver that it may use once, now; empty when it needs a permit.
    std::string permit = {};
    /// When its current series of snoozes for cool-downs began; empty if there is none.
    std::optional<time_point> cooling_since = {};
    std::int64_t turn = 0;     ///< Its place in the order of the queue.
    std::string options = {};  ///< As in `submission`.
};

/// The picture of a reel in two sizes, as JPEG.
struct reel_thumbnail {
    std::vector<std::byte> jpeg;  ///< 4 to 40,960 bytes.
    /// For lists, 4 to 4,096 bytes; empty for old reels.
    std::optional<std::vector<std::byte>> small_jpeg = {};

    friend bool operator==(const reel_thumbnail&, const reel_thumbnail&) = default;
};

struct kept_video {
    std::int64_t size_bytes = 0;
    std::string sha256;  ///< 64 hexadecimal digits in lower case.
    std::string content_type;
    std::string post_key;  ///< The post and slide that it belongs to; empty for none.
    /// The object of the media store that contains it; empty: the upload of the job does.
    std::optional<std::string> object = {};
};

/// Pictures of key moments. `numbers` and `sizes` have an entry for each.
struct frame_set {
    std::vector<std::int32_t> numbers = {};  ///< Indexes of their moments, ascending.
    std::vector<std::int32_t> sizes = {};    ///< Bytes of each, 4 to 40,960.
    std::vector<std::byte> jpegs = {};       ///< Concatenated; empty if `object` contains them.
    /// The object of the media store that contains them; empty: the database does.
    std::optional<std::string> object = {};

    friend bool operator==(const frame_set&, const frame_set&) = default;
};

enum class thumbnail_size : std::uint8_t { small, large };

/// The result of an earlier job on the same post, which may replace an analysis.
struct earlier_analysis {
    job_id job;
    std::string analyzer;                     ///< Its name, with a digest of the options.
    std::string result;                       ///< The five sections as JSON text.
    std::optional<std::string> extract = {};  ///< As in `job`.
    std::optional<std::string> extract_error = {};
    time_point analyzed_at;                        ///< Time of the analysis.
    std::optional<reel_thumbnail> thumbnail = {};  ///< If it has one.
};

/// Returns a job as JSON (schema `Job` of docs/openapi.yaml); with `brief`, as in lists. Inserts
/// the stored result as text, because parsing it would slow down every read.
[[nodiscard]] std::string job_view(const job& job);

}  // namespace reelsd::jobs
