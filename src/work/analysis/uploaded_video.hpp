#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/platform/downloader.hpp>
#include <reelsd/platform/post.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <filesystem>
#include <stop_token>
#include <string>

namespace reelsd::work {

/// The uploaded video of a job, for a worker thread. Errors: storage_failed when there is none;
/// database_unavailable.
[[nodiscard]] result<jobs::uploaded_video> find_upload(
    const boost::asio::any_io_executor& loop, jobs::upload_store& store,
    const jobs::claimed_job& job, deadline by);

/// Writes the file to `target`. Errors: those of platform::write_video; storage_failed when its
/// digest does not match; cancelled.
[[nodiscard]] result<platform::media_file> write_upload(
    const boost::asio::any_io_executor& loop, jobs::upload_store& store,
    const jobs::uploaded_video& video, const std::filesystem::path& target, deadline by,
    const std::stop_token& stop);

/// The post as described by the caller. Without a link, its code is "upload-" and the first 12
/// digits of the file's SHA-256. Pure.
[[nodiscard]] platform::post post_of(
    const jobs::claimed_job& job, const jobs::uploaded_video& video);

/// Sets `platform` and `url` of an uploaded video by the link of its job. Pure.
void set_origin(json& platform_meta, const jobs::claimed_job& job);

/// Key of the file together with the caller's description of the post. An analysis with the same
/// key is copied. Pure.
[[nodiscard]] std::string upload_key_of(
    const jobs::uploaded_video& video, const platform::post& post);

}  // namespace reelsd::work
