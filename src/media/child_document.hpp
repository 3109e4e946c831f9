#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/process/child_run.hpp>

namespace reelsd::media {

/// What a run of the helper has come to: the object that it wrote, whose members nobody has looked
/// at yet. Errors: its own (unsupported_format, video_too_long, media_failed), as far as they are
/// told in clean text of at most 500 bytes; unsupported_format when it crashed, computed to the end
/// of its time or wrote too much, for that is the video's doing; media_failed when it could not be
/// run, was ended from outside, or wrote anything else; timed_out when it got no core; cancelled.
/// Pure.
[[nodiscard]] result<json> document_of(const process::child_end& end);

}  // namespace reelsd::media
