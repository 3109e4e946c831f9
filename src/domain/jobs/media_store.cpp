#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(object_range, (), (object, offset, bytes))
BOOST_DESCRIBE_STRUCT(kept_file, (), (id, size_bytes, sha256, content_type, object))
BOOST_DESCRIBE_STRUCT(post_file, (), (file, result))
BOOST_DESCRIBE_STRUCT(kept_media_state, (), (videos, video_bytes, unwanted_objects))

namespace {

constexpr db::query find_frame_query{"media.find_frame", R"sql(
    SELECT jpeg, object_id::text AS object, object_offset::bigint AS "offset",
           size_bytes::bigint AS bytes
      FROM reel_frame WHERE account_id = $1 AND job_id = $2 AND number = $3)sql"};

constexpr db::query frames_of_query{"media.frames_of", R"sql(
    SELECT number, size_bytes, jpeg, object_id::text AS object_id
      FROM reel_frame WHERE job_id = $1 ORDER BY number)sql"};

constexpr db::query find_video_query{"media.find_video", R"sql(
    SELECT id, size_bytes, sha256, content_type, object_id::text AS object
      FROM upload WHERE job_id = $2 AND account_id = $1 AND kept_at IS NOT NULL)sql"};

constexpr db::query find_reel_query{"media.find_reel", R"sql(
    SELECT id FROM job WHERE id = $2 AND account_id = $1)sql"};

constexpr db::query find_video_of_post_query{"media.find_video_of_post", R"sql(
    SELECT latest.id, latest.size_bytes, latest.sha256, latest.content_type,
           latest.object_id::text AS object, job.result
      FROM (SELECT * FROM upload
             WHERE account_id = $1 AND post_key = $2 AND kept_at IS NOT NULL
               AND sha256 = coalesce($3, sha256)
             ORDER BY kept_at DESC LIMIT 1) AS latest
      JOIN job ON job.id = latest.job_id AND job.status = 'done')sql"};

constexpr db::query read_query{"media.read", R"sql(
    SELECT substr(bytes, $3::integer + 1, $4::integer) AS bytes
      FROM upload_chunk WHERE upload_id = $1 AND number = $2)sql"};

constexpr db::query begin_file_query{"media.begin_file", R"sql(
    WITH held AS (
        SELECT id, account_id FROM job
         WHERE id = $1 AND claim = $2 AND status = 'processing' FOR KEY SHARE),
    earlier AS (
        DELETE FROM upload WHERE job_id = (SELECT id FROM held))
    SELECT id FROM held)sql"};

constexpr db::query add_file_query{"media.add_file", R"sql(
    INSERT INTO upload (account_id, job_id, size_bytes, sha256)
    VALUES ($1, $2, $3, $4) RETURNING id)sql"};

constexpr db::query register_object_query{"media.register_object", R"sql(
    SELECT register_object($1, $2, $3, $4::uuid[])::text AS id)sql"};

constexpr db::query expire_videos_query{"media.expire_videos", R"sql(
    SELECT expire_videos($1, $2, $3) AS removed)sql"};

constexpr db::query take_unwanted_query{"media.take_unwanted", R"sql(
    UPDATE media_object SET delete_at = now() + make_interval(secs => $3)
     WHERE id IN (
           SELECT id FROM media_object
            WHERE job_id IS NULL AND delete_at <= now() AND store = $1
            ORDER BY delete_at LIMIT $2
              FOR UPDATE SKIP LOCKED)
    RETURNING id::text AS id)sql"};

constexpr db::query forget_query{"media.forget", R"sql(
    WITH gone AS (
        DELETE FROM media_object
         WHERE id = ANY ($1::uuid[]) AND job_id IS NULL
           AND registered_at < now() - make_interval(secs => $2))
    UPDATE media_object SET delete_at = registered_at + make_interval(secs => $2)
     WHERE id = ANY ($1::uuid[]) AND job_id IS NULL
       AND registered_at >= now() - make_interval(secs => $2))sql"};

// Objects that were deleted once are not counted while they wait for the second time.
constexpr db::query state_query{"media.state", R"sql(
    SELECT count(*) AS videos, coalesce(sum(size_bytes), 0)::bigint AS video_bytes,
           (SELECT count(*) FROM media_object
             WHERE job_id IS NULL
               AND delete_at <> registered_at + make_interval(secs => $1)) AS unwanted_objects
      FROM upload WHERE kept_at IS NOT NULL)sql"};

}  // namespace

awaitable<std::optional<kept_frame>> media_store::find_frame(
    account_id caller, job_id id, std::int32_t number, deadline by) const {
    const auto found = co_await run(by, find_frame_query, caller, id, number);
    co_return found.map_one([](const db::row& row) {
        kept_frame frame;
        if (row.is_null("object")) {
            frame.jpeg = row.as<std::vector<std::byte>>("jpeg");
        } else {
            frame.in_object = row.to<object_range>();
        }
        return frame;
    });
}

awaitable<frame_set> media_store::frames_of(job_id id, deadline by) const {
    const auto found = co_await run(by, frames_of_query, id);
    frame_set frames;
    for (const db::row row : found) {
        frames.numbers.push_back(row.as<std::int32_t>("number"));
        frames.sizes.push_back(row.as<std::int32_t>("size_bytes"));
        frames.object = row.as<std::optional<std::string>>("object_id");
        const auto jpeg = row.as<std::optional<std::vector<std::byte>>>("jpeg");
        if (jpeg) frames.jpegs.insert(frames.jpegs.end(), jpeg->begin(), jpeg->end());
    }
    co_return frames;
}

awaitable<std::optional<kept_file>> media_store::find_video(
    account_id caller, job_id id, deadline by) const {
    return read_optional<kept_file>(by, find_video_query, caller, id);
}

awaitable<bool> media_store::has_reel(account_id caller, job_id id, deadline by) const {
    const auto known = co_await read_optional<job_id>(by, find_reel_query, caller, id);
    co_return known.has_value();
}

awaitable<std::optional<post_file>> media_store::find_video_of_post(
    account_id caller, std::string post_key, std::optional<std::string> sha256, deadline by) const {
    return read_optional<post_file>(by, find_video_of_post_query, caller, post_key, sha256);
}

awaitable<std::vector<std::byte>> media_store::read(
    upload_id id, std::int64_t offset, std::int64_t bytes, deadline by) const {
    constexpr auto row_bytes = static_cast<std::int64_t>(upload_chunk_bytes);
    const auto in_row = offset % row_bytes;
    auto piece = co_await read_optional<std::vector<std::byte>>(
        by, read_query, id, offset / row_bytes, in_row, std::min(bytes, row_bytes - in_row));
    co_return std::move(piece).value_or(std::vector<std::byte>{});
}

awaitable<std::optional<upload_id>> media_store::begin_file(
    const claimed_job& job, std::int64_t size_bytes, std::string sha256, deadline by) const {
    // The second statement sees that the first one has removed the row of an earlier attempt.
    const auto held = co_await run(by, begin_file_query, job.id, job.claim);
    if (held.empty()) co_return std::nullopt;
    co_return co_await read_one<upload_id>(
        by, add_file_query, job.account, job.id, size_bytes, sha256);
}

awaitable<std::optional<std::string>> media_store::register_object(
    const claimed_job& job, std::string store_name, std::vector<std::string> others,
    deadline by) const {
    return read_one<std::optional<std::string>>(
        by, register_object_query, job.id, job.claim, store_name, others);
}

awaitable<std::int64_t> media_store::expire_videos(
    seconds_f kept, std::int64_t bytes_max, int files_max, deadline by) const {
    return read_one<std::int64_t>(by, expire_videos_query, kept, bytes_max, files_max);
}

awaitable<std::vector<std::string>> media_store::take_unwanted(
    std::string store_name, int objects_max, seconds_f retry_after, deadline by) const {
    return read_all<std::string>(by, take_unwanted_query, store_name, objects_max, retry_after);
}

awaitable<void> media_store::forget(std::vector<std::string> objects, deadline by) const {
    return execute(by, forget_query, objects, object_write_time_max);
}

awaitable<kept_media_state> media_store::state(deadline by) const {
    return read_one<kept_media_state>(by, state_query, object_write_time_max);
}

}  // namespace reelsd::jobs
