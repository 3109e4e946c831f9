#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/media/report.hpp>
#include <reelsd/platform/downloader.hpp>
#include <reelsd/platform/post.hpp>
#include <reelsd/work/analysis/scratch.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::media {
class media_client;
}
namespace reelsd::net {
class s3_store;
}
namespace reelsd::platform {
struct link;
}
namespace reelsd::jobs {
class upload_store;
}

namespace reelsd::work {

/// Dependencies of kept_media. They outlive it.
struct kept_media_dependencies {
    /// The loop of the stores. It runs while worker threads wait for them.
    boost::asio::any_io_executor loop;
    const media::media_client& media;
    const scratch_space& scratch;
    jobs::media_store store;
    jobs::upload_store& uploads;
    const net::s3_store* objects = nullptr;  ///< Null: the database stores media.
    bool frames = true;                      ///< Whether pictures of key moments are made.
    std::int64_t videos_bytes_max = 0;       ///< Of all kept videos; 0: none is kept.
    /// As in api::submission_service. Any thread.
    std::function<result<void>(std::uint64_t bytes)> check_space;
    log::logger log;
};

struct attempt_limits {
    deadline by;
    std::stop_token stop;
};

/// A video on disk, and what is known about its post.
struct fetched {
    platform::post post;
    platform::media_file video;
    scratch_folder scratch;  ///< Contains the file.
    /// The section of the result, if the video was kept from an earlier one; else null.
    json platform_meta = nullptr;
};

struct stored_media {
    jobs::frame_set frames = {};
    std::optional<jobs::kept_video> video = {};
};

/// Makes the pictures of a result's key moments, and stores them and the video until the result is
/// reported. What fails is logged and left out, because an analysis costs more. What a stop cuts
/// short is not left out: the error is `cancelled`, and a later attempt repeats the step. Blocking,
/// for worker threads; thread-safe.
class kept_media {
public:
    explicit kept_media(kept_media_dependencies parts) : parts_{std::move(parts)} {}

    /// The analyzer's thumbnail, or one made by a separate child process. Empty if that fails.
    [[nodiscard]] result<std::optional<jobs::reel_thumbnail>> thumbnail(
        const jobs::claimed_job& job, std::optional<media::thumbnail_report> by_analyzer,
        const platform::media_file& video, const attempt_limits& within) const;

    [[nodiscard]] bool makes_frames() const noexcept { return parts_.frames; }

    /// Stores the media of a new result, and sets `frame` of its key moments. `stills`: the
    /// analyzer's pictures; a separate child makes them unless there is one of each key moment.
    /// `post_key`: the post and slide that the video belongs to; empty for none.
    [[nodiscard]] result<stored_media> store(
        const jobs::claimed_job& job, json& document,
        const std::vector<std::vector<std::byte>>& stills, const platform::media_file& video,
        const std::string& post_key, const attempt_limits& within) const;

    /// The same for a copy of the result of `earlier`.
    [[nodiscard]] result<stored_media> copy(
        const jobs::claimed_job& job, json& document, job_id earlier, const std::string& post_key,
        const attempt_limits& within) const;

    /// Writes the kept video of the account's post to disk, if videos are kept. Empty if there is
    /// none, and on a failure, which is logged: the platform may have the video.
    [[nodiscard]] result<std::optional<fetched>> fetch(
        const jobs::claimed_job& job, const std::string& post_key,
        const attempt_limits& within) const;

private:
    [[nodiscard]] result<std::optional<jobs::post_file>> find(
        const jobs::claimed_job& job, const std::string& post_key,
        std::optional<std::string> sha256, const attempt_limits& within) const;
    [[nodiscard]] result<std::optional<fetched>> read(
        const jobs::claimed_job& job, const jobs::post_file& kept,
        const attempt_limits& within) const;
    [[nodiscard]] result<platform::media_file> write(
        const jobs::kept_file& file, const std::filesystem::path& target,
        const attempt_limits& within) const;
    /// Runs one statement on the loop and waits for it.
    template <class Statement>
    [[nodiscard]] auto ask(const attempt_limits& within, const Statement& statement) const;
    /// Repeats a step while the database is unavailable, until the deadline.
    template <class Step>
    [[nodiscard]] auto retried(const attempt_limits& within, const Step& step) const;
    /// The value of a step. Empty on a failure, which is logged; `cancelled` after a stop.
    template <class Value>
    [[nodiscard]] result<Value> value_or_none(
        std::string_view step, const jobs::claimed_job& job, result<Value> outcome,
        const attempt_limits& within) const;
    /// Stores frames. None on a failure.
    [[nodiscard]] result<jobs::frame_set> stored_or_none(
        const jobs::claimed_job& job, jobs::frame_set frames, const attempt_limits& within) const;
    [[nodiscard]] result<jobs::frame_set> store_frames(
        const jobs::claimed_job& job, jobs::frame_set frames, const attempt_limits& within) const;
    [[nodiscard]] result<jobs::frame_set> frames_of(job_id job, const attempt_limits& within) const;
    [[nodiscard]] result<std::optional<jobs::kept_video>> store_video(
        const jobs::claimed_job& job, const platform::media_file& video,
        const std::string& post_key, const std::vector<std::string>& others,
        const attempt_limits& within) const;
    [[nodiscard]] result<void> write_rows(
        const jobs::claimed_job& job, const platform::media_file& video,
        const attempt_limits& within) const;
    [[nodiscard]] result<std::string> register_object(
        const jobs::claimed_job& job, const std::vector<std::string>& others,
        const attempt_limits& within) const;
    [[nodiscard]] result<std::optional<jobs::kept_video>> copy_video(
        const jobs::claimed_job& job, const std::string& post_key, std::string sha256,
        const std::vector<std::string>& others, const attempt_limits& within) const;

    kept_media_dependencies parts_;
};

/// Key of a link's post and slide, which are analysed at most once a day. Empty for test links,
/// which must run every step. Pure.
[[nodiscard]] std::string post_key_of(const platform::link& link);

/// The post that a job's video is kept for. An upload belongs to the post that its caller has
/// named. Pure.
[[nodiscard]] std::string media_key_of(const jobs::claimed_job& job, const std::string& post_key);

}  // namespace reelsd::work
