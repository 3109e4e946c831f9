#pragma once

#include <reelsd/base/file_digest.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <boost/core/noncopyable.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::jobs {

/// Uploads that an account may have in progress, over all daemons.
inline constexpr int uploads_max = 2;

/// Bytes of each row of a file but the last. Smaller rows cost statements, larger ones memory.
inline constexpr std::size_t upload_chunk_bytes = std::size_t{512} * 1024;

/// Begins the `url` of a job whose video was uploaded without a link: "upload:<file name>".
inline constexpr std::string_view upload_scheme = "upload:";

/// Returns the label of a file: the last component of its name, without control and direction
/// characters, at most 255 bytes; "video" if nothing is left. Pure.
[[nodiscard]] std::string file_label(std::string_view name);

/// A file that is completely stored.
struct uploaded_video {
    upload_id id;
    std::int64_t size_bytes = 0;
    std::string sha256;  ///< 64 hexadecimal digits in lower case.
    /// The post's link, as given by the caller.
    std::optional<std::string> caption = {};
    std::optional<std::string> author = {};
};

struct begun_upload {
    std::optional<upload_id> id;  ///< Empty when refused.
    submission_result refusal = {};
};

/// Uploaded videos, stored in the database until the end of their job, so that any daemon can
/// analyse them. An upload belongs to the daemon that receives it until its job is submitted;
/// sweep() removes those of daemons that have ended.
class upload_store : public db::store, boost::noncopyable {
public:
    using db::store::store;

    /// Decides like a submission, and creates the upload's row if it would be accepted. Uses only
    /// the key, `costs_money` and `queue` of `request`. Each begun upload is ended by discard(), or
    /// by release() after its submission.
    awaitable<begun_upload> begin(
        account_id caller, const submission& request, default_limits defaults, deadline by);

    /// Adds the next part of the file; `number` counts from 0. A crash of PostgreSQL may lose it
    /// until describe() has returned true, or until the report of a kept video.
    awaitable<void> add_chunk(
        upload_id id, std::int32_t number, std::span<const std::byte> bytes, deadline by);

    /// Describes the whole file and makes it durable. False when the upload or a part is gone.
    awaitable<bool> describe(const uploaded_video& whole, deadline by);

    /// Call when its job is submitted: the file is kept until the job ends.
    void release(upload_id id) noexcept { arriving_.erase(id); }

    /// Removes an upload without a job. Without the database, sweep() removes it later.
    awaitable<void> discard(upload_id id, deadline by);

    /// Renews this daemon's uploads in progress. Removes uploads that were not renewed for 10 s,
    /// after describe() for 40 s, and those whose job has ended.
    awaitable<void> sweep(deadline by);

    /// The file of a job; empty when it has none.
    awaitable<std::optional<uploaded_video>> find(job_id job, deadline by);
    /// A part of the file; empty after the last one.
    awaitable<std::optional<std::vector<std::byte>>> chunk(
        upload_id id, std::int32_t number, deadline by);

private:
    std::set<upload_id> arriving_;  ///< Uploads that this daemon is receiving.
};

/// Writes a file to the store while it arrives; buffers one chunk. Thread: the loop's.
class upload_writer {
public:
    /// `store` outlives it.
    upload_writer(upload_store& store, upload_id id, std::uint64_t bytes_max)
        : store_{store}, id_{id}, bytes_max_{bytes_max} {}

    /// False when the file becomes larger than `bytes_max`. Throws like upload_store;
    /// database_unavailable also when the upload was removed.
    [[nodiscard]] awaitable<bool> add(std::string_view bytes);
    /// Stores the rest and returns the file, without caption and author.
    [[nodiscard]] awaitable<uploaded_video> finish();

    [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

private:
    awaitable<void> flush();

    upload_store& store_;
    upload_id id_;
    std::uint64_t bytes_max_;
    std::uint64_t size_ = 0;
    std::int32_t number_ = 0;
    std::string chunk_;
    file_digest digest_;
};

}  // namespace reelsd::jobs
