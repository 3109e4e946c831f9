#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <filesystem>
#include <stop_token>

namespace reelsd::media {
class media_client;
}

// Pictures of the key moments of a result.
namespace reelsd::work {

/// Makes a small picture for each key moment of a result. No moments, no pictures. Errors: those of
/// media_client::stills().
[[nodiscard]] result<jobs::frame_set> take_frames(
    const media::media_client& media, const json& document, const std::filesystem::path& video,
    deadline by, const std::stop_token& stop);

/// Sets the path of each picture as `frame` of its key moment, in a result of `job`. Removes
/// `frame` from moments without one. Pure.
void show_frames(json& document, job_id job, const jobs::frame_set& frames);

}  // namespace reelsd::work
