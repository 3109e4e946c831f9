#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/process/child_run.hpp>

namespace reelsd::media {

/// The object that a run of the helper wrote; its members are not validated. Errors: those that
/// the helper reports (`unsupported_format`, `video_too_long`, `media_failed`, `conflict`) in clean
/// text of at most 500 bytes; `unsupported_format` when it crashed, computed until its deadline or
/// wrote too much; `media_failed` when it could not be run, was killed from outside, or wrote
/// anything else; `timed_out` when it got too little time; `cancelled`. Pure.
[[nodiscard]] result<json> document_of(const process::child_end& end);

}  // namespace reelsd::media
