#pragma once

#include <reelsd/db/store.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::jobs {

struct object_range {
    std::string object;  ///< Its id.
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
};

/// A picture of a key moment: the JPEG, or where it is.
struct kept_frame {
    std::vector<std::byte> jpeg;  ///< Empty if `in_object` is set.
    std::optional<object_range> in_object;
};

/// A video that is kept after the end of its job.
struct kept_file {
    upload_id id;
    std::int64_t size_bytes = 0;
    std::string sha256;  ///< 64 hexadecimal digits in lower case.
    std::string content_type;
    /// The object of the media store that contains it; empty: the database does.
    std::optional<std::string> object = {};
};

/// The latest kept video of a post, and the result of its job.
struct post_file {
    kept_file file;
    std::string result;  ///< The five sections as JSON text.
};

/// For metrics.
struct kept_media_state {
    std::int64_t videos = 0;
    std::int64_t video_bytes = 0;
    std::int64_t unwanted_objects = 0;  ///< Objects that wait for their deletion.
};

/// Longest time from the registration of an object to the end of its writing. An object that is
/// younger is deleted twice, because a writer may not know yet that it is unwanted.
inline constexpr seconds_f object_write_time_max{150.0};

/// Media that is kept with results: where it is, and what of it is to be deleted. Throws like
/// job_queue. A cheap value around the pool, which outlives it. Thread: the loop's.
class media_store : public db::store {
public:
    using db::store::store;

    /// The picture of one moment of the caller's own job; empty if there is none.
    awaitable<std::optional<kept_frame>> find_frame(
        account_id caller, job_id id, std::int32_t number, deadline by) const;

    /// All pictures of a job. If an object contains them, `jpegs` is empty.
    awaitable<frame_set> frames_of(job_id id, deadline by) const;

    /// The video of the caller's own job; empty if none is kept.
    awaitable<std::optional<kept_file>> find_video(account_id caller, job_id id, deadline by) const;
    /// Whether the reel exists and is the caller's own.
    awaitable<bool> has_reel(account_id caller, job_id id, deadline by) const;
    /// The latest kept video of the account's post; with `sha256`, the latest of those bytes.
    awaitable<std::optional<post_file>> find_video_of_post(
        account_id caller, std::string post_key, std::optional<std::string> sha256,
        deadline by) const;

    /// Up to `bytes` bytes from `offset` of a file in the database; fewer at the end of a row, none
    /// when the file is gone.
    awaitable<std::vector<std::byte>> read(
        upload_id id, std::int64_t offset, std::int64_t bytes, deadline by) const;

    /// Begins to store the downloaded video of a job, in place of that of an earlier attempt. Its
    /// parts follow by upload_store::add_chunk(). Empty if the claim has passed.
    awaitable<std::optional<upload_id>> begin_file(
        const claimed_job& job, std::int64_t size_bytes, std::string sha256, deadline by) const;

    /// Registers an object of `store` before it is written, and marks those of earlier attempts for
    /// deletion. `others`: objects of the same attempt. Empty if the claim has passed.
    awaitable<std::optional<std::string>> register_object(
        const claimed_job& job, std::string store, std::vector<std::string> others,
        deadline by) const;

    /// Removes up to `files_max` videos that are older than `kept` or, the oldest first, beyond
    /// `bytes_max` bytes. Returns their number.
    awaitable<std::int64_t> expire_videos(
        seconds_f kept, std::int64_t bytes_max, int files_max, deadline by) const;

    /// Up to `objects_max` objects of `store` to delete. Each is returned again after `retry_after`
    /// unless it is forgotten.
    awaitable<std::vector<std::string>> take_unwanted(
        std::string store, int objects_max, seconds_f retry_after, deadline by) const;
    /// Call when objects are deleted.
    awaitable<void> forget(std::vector<std::string> objects, deadline by) const;

    awaitable<kept_media_state> state(deadline by) const;
};

}  // namespace reelsd::jobs
