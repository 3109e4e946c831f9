// Goal: pictures of moments and videos are kept with a reel, found by its owner alone, and removed
// with it; objects of the media store are registered before they are written, and forgotten last.
#include "job_store_fixture.hpp"
#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::jobs {
namespace {

using octets = std::vector<std::byte>;

constexpr db::query age_objects_query{"test.age_objects", R"sql(
    UPDATE media_object SET registered_at = registered_at - interval '1 hour')sql"};
constexpr db::query make_objects_due_query{"test.make_due", R"sql(
    UPDATE media_object SET delete_at = now())sql"};
constexpr db::query age_videos_query{"test.age_videos", R"sql(
    UPDATE upload SET kept_at = kept_at - interval '2 days' WHERE job_id = $1)sql"};
// As after a crash of PostgreSQL: chunks are committed without waiting for the disk.
constexpr db::query lose_first_chunk_query{"test.lose_first_chunk", R"sql(
    DELETE FROM upload_chunk WHERE upload_id = $1 AND number = 0)sql"};
constexpr db::query silence_uploads_query{"test.silence_uploads", R"sql(
    UPDATE upload SET renewed_at = renewed_at - make_interval(secs => $1))sql"};
constexpr db::query count_uploads_query{"test.count_uploads", R"sql(
    SELECT count(*) AS uploads FROM upload)sql"};
constexpr db::query count_objects_query{"test.count_objects", R"sql(
    SELECT count(*) AS objects FROM media_object)sql"};
constexpr db::query count_chunks_query{"test.count_chunks", R"sql(
    SELECT count(*) AS chunks FROM upload_chunk)sql"};

octets octets_of(std::size_t size, int begin = 0) {
    octets bytes(size);
    for (std::size_t at = 0; at < size; ++at)
        bytes[at] = static_cast<std::byte>(at + static_cast<std::size_t>(begin));
    return bytes;
}

const std::string digest_a(64, 'a');

class KeptMedia : public job_store_test {
protected:
    claimed_job claimed_by_ann() {
        EXPECT_GT(submitted(ann_).value, 0);
        return claimed(1).at(0);
    }
    bool report(const claimed_job& job, frame_set frames, std::optional<kept_video> video = {}) {
        const completed ended{
            .result = R"({"platform_meta": {"code": "x"}})",
            .post_key = "post",
            .analyzer = "local/1",
            .frames = std::move(frames),
            .video = std::move(video)};
        return run(queue_.report(lease_of(job), ended, soon()));
    }
    /// A done job of ann's whose video of `bytes` bytes is in the database.
    job_id with_video(std::size_t bytes) {
        const auto job = claimed_by_ann();
        const auto size = static_cast<std::int64_t>(bytes);
        const auto file = run(media_.begin_file(job, size, digest_a, soon())).value();
        const auto content = octets_of(bytes);
        std::int32_t number = 0;
        for (std::size_t at = 0; at < bytes; at += upload_chunk_bytes) {
            const auto part =
                std::span{content}.subspan(at, std::min(upload_chunk_bytes, bytes - at));
            run(uploads_.add_chunk(file, number++, part, soon()));
        }
        EXPECT_TRUE(report(job, {}, in_database(size)));
        return job.id;
    }
    /// An upload of ann's with two chunks of 10 bytes.
    uploaded_video received() {
        const auto begun = run(uploads_.begin(ann_, {.url = {}}, generous_, soon()));
        const auto id = begun.id.value();
        for (std::int32_t number = 0; number < 2; ++number)
            run(uploads_.add_chunk(id, number, octets_of(10), soon()));
        return {.id = id, .size_bytes = 20, .sha256 = digest_a};
    }
    /// The uploads that another daemon leaves after `seconds` without a renewal.
    std::int64_t uploads_left_after(double seconds) {
        run(pool().run(soon(), silence_uploads_query, seconds));
        upload_store another{pool()};
        run(another.sweep(soon()));
        const auto counted = run(pool().run(soon(), count_uploads_query));
        return counted.one().as<std::int64_t>("uploads");
    }
    static kept_video in_database(std::int64_t bytes) {
        return {
            .size_bytes = bytes,
            .sha256 = digest_a,
            .content_type = "video/mp4",
            .post_key = "post"};
    }
    std::int64_t objects() {
        const auto counted = run(pool().run(soon(), count_objects_query));
        return counted.one().as<std::int64_t>("objects");
    }
    std::int64_t chunks() {
        const auto counted = run(pool().run(soon(), count_chunks_query));
        return counted.one().as<std::int64_t>("chunks");
    }
    std::vector<std::string> unwanted() {
        return run(media_.take_unwanted("s3://b", 10, seconds_f{60}, soon()));
    }

    media_store media_{pool()};
    upload_store uploads_{pool()};
};

TEST_F(KeptMedia, FramesAreStoredWithTheReel) {
    const auto job = claimed_by_ann();
    auto jpegs = octets_of(100);
    const auto second = octets_of(40, 7);
    jpegs.insert(jpegs.end(), second.begin(), second.end());
    const frame_set frames{.numbers = {0, 2}, .sizes = {100, 40}, .jpegs = jpegs};
    ASSERT_TRUE(report(job, frames));

    EXPECT_EQ(run(media_.find_frame(ann_, job.id, 0, soon())).value().jpeg, octets_of(100));
    EXPECT_EQ(run(media_.find_frame(ann_, job.id, 2, soon())).value().jpeg, second);
    EXPECT_FALSE(run(media_.find_frame(ann_, job.id, 1, soon())));
    EXPECT_FALSE(run(media_.find_frame(bob_, job.id, 0, soon())));
    EXPECT_EQ(run(media_.frames_of(job.id, soon())), frames);
    EXPECT_FALSE(run(store_.find(ann_, job.id, soon())).value().has_video);
    EXPECT_TRUE(run(store_.remove(ann_, job.id, soon())));
    EXPECT_FALSE(run(media_.find_frame(ann_, job.id, 0, soon())));
}

TEST_F(KeptMedia, AVideoIsReadInPieces) {
    constexpr std::size_t size = upload_chunk_bytes + 1000;
    const auto job = with_video(size);
    const auto video = run(media_.find_video(ann_, job, soon())).value();
    EXPECT_EQ(video.size_bytes, static_cast<std::int64_t>(size));
    EXPECT_EQ(video.sha256, digest_a);
    EXPECT_EQ(video.content_type, "video/mp4");
    EXPECT_FALSE(run(media_.find_video(bob_, job, soon())));
    EXPECT_TRUE(run(store_.find(ann_, job, soon())).value().has_video);
    uploads_.release(video.id);
    run(uploads_.sweep(soon()));

    octets whole;
    while (whole.size() < size) {
        const auto offset = static_cast<std::int64_t>(whole.size());
        const auto piece = run(media_.read(video.id, offset, 300'000, soon()));
        ASSERT_FALSE(piece.empty());
        whole.insert(whole.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(whole, octets_of(size));
    EXPECT_TRUE(run(store_.remove(ann_, job, soon())));
    EXPECT_TRUE(run(media_.read(video.id, 0, 10, soon())).empty());
    EXPECT_EQ(chunks(), 0);
}

TEST_F(KeptMedia, AnUploadThatLostAPartIsNotDescribed) {
    const auto whole = received();
    EXPECT_TRUE(run(uploads_.describe(whole, soon())));
    const auto damaged = received();
    run(pool().run(soon(), lose_first_chunk_query, damaged.id));
    EXPECT_FALSE(run(uploads_.describe(damaged, soon())));
    run(uploads_.discard(damaged.id, soon()));
    EXPECT_FALSE(run(uploads_.describe(damaged, soon())));
}

TEST_F(KeptMedia, AnUploadThatWasRemovedIsAnOutage) {
    const auto removed = received();
    run(uploads_.discard(removed.id, soon()));
    upload_writer writer{uploads_, removed.id, 100};
    EXPECT_TRUE(run(writer.add("late")));
    try {
        run(writer.finish());
        FAIL() << "the chunk has no upload";
    } catch (const db::failure& failure) {
        EXPECT_EQ(failure.code(), errc::database_unavailable);
    }
}

TEST_F(KeptMedia, ACompleteUploadIsLeftForItsSubmission) {
    const auto whole = received();
    EXPECT_EQ(uploads_left_after(9), 1);
    EXPECT_TRUE(run(uploads_.describe(whole, soon())));
    EXPECT_EQ(uploads_left_after(35), 1);
    EXPECT_EQ(uploads_left_after(6), 0);
    received();
    EXPECT_EQ(uploads_left_after(11), 0);
}

TEST_F(KeptMedia, AVideoThatLostAPartIsNotKept) {
    const auto job = claimed_by_ann();
    const auto file = run(media_.begin_file(job, 20, digest_a, soon())).value();
    for (std::int32_t number = 0; number < 2; ++number)
        run(uploads_.add_chunk(file, number, octets_of(10), soon()));
    run(pool().run(soon(), lose_first_chunk_query, file));
    ASSERT_TRUE(report(job, {}, in_database(20)));
    EXPECT_FALSE(run(media_.find_video(ann_, job.id, soon())));
    EXPECT_FALSE(run(store_.find(ann_, job.id, soon())).value().has_video);
    run(uploads_.sweep(soon()));
    EXPECT_EQ(chunks(), 0);
}

TEST_F(KeptMedia, AFileThatIsNotKeptIsSwept) {
    const auto job = claimed_by_ann();
    const auto file = run(media_.begin_file(job, 10, digest_a, soon())).value();
    run(uploads_.add_chunk(file, 0, octets_of(10), soon()));
    run(uploads_.sweep(soon()));
    EXPECT_EQ(chunks(), 1);  // Its job is in work.
    // Another attempt begins again.
    const auto second = run(media_.begin_file(job, 10, digest_a, soon())).value();
    EXPECT_NE(second, file);
    EXPECT_EQ(chunks(), 0);
    run(uploads_.add_chunk(second, 0, octets_of(10), soon()));
    ASSERT_TRUE(report(job, {}));
    EXPECT_FALSE(run(media_.find_video(ann_, job.id, soon())));
    run(uploads_.sweep(soon()));
    EXPECT_EQ(chunks(), 0);
}

TEST_F(KeptMedia, AClaimThatHasPassedStoresNothing) {
    const auto job = claimed_by_ann();
    EXPECT_TRUE(run(queue_.report(lease_of(job), released{}, soon())));
    EXPECT_FALSE(run(media_.begin_file(job, 10, digest_a, soon())));
    EXPECT_FALSE(run(media_.register_object(job, "s3://b", {}, soon())));
    EXPECT_EQ(objects(), 0);
}

TEST_F(KeptMedia, TheLatestVideoOfAPostIsFound) {
    const auto first = with_video(10);
    const auto second = with_video(20);
    run(pool().run(soon(), age_videos_query, first));
    const auto found = run(media_.find_video_of_post(ann_, "post", {}, soon())).value();
    EXPECT_EQ(found.file.size_bytes, 20);
    EXPECT_NE(found.result.find("platform_meta"), std::string::npos);
    EXPECT_EQ(run(media_.find_video_of_post(ann_, "post", digest_a, soon()))->file.size_bytes, 20);
    EXPECT_FALSE(run(media_.find_video_of_post(ann_, "post", std::string(64, 'b'), soon())));
    EXPECT_FALSE(run(media_.find_video_of_post(ann_, "other", {}, soon())));
    EXPECT_FALSE(run(media_.find_video_of_post(bob_, "post", {}, soon())));
    EXPECT_TRUE(run(store_.remove(ann_, second, soon())));
    EXPECT_EQ(run(media_.find_video_of_post(ann_, "post", {}, soon())).value().file.size_bytes, 10);
}

TEST_F(KeptMedia, VideosExpireByAgeAndBytes) {
    const auto old = with_video(10);
    const auto middle = with_video(20);
    const auto young = with_video(30);
    run(pool().run(soon(), age_videos_query, old));
    const auto day = seconds_f{86'400};
    const auto expire = [&](seconds_f kept, std::int64_t bytes_max) {
        return run(media_.expire_videos(kept, bytes_max, 100, soon()));
    };
    EXPECT_EQ(run(media_.state(soon())).video_bytes, 60);
    EXPECT_EQ(expire(3 * day, 60), 0);
    EXPECT_EQ(expire(day, 60), 1);
    EXPECT_FALSE(run(media_.find_video(ann_, old, soon())));
    EXPECT_EQ(expire(day, 49), 1);
    EXPECT_FALSE(run(media_.find_video(ann_, middle, soon())));
    EXPECT_TRUE(run(media_.find_video(ann_, young, soon())));
    EXPECT_EQ(run(media_.state(soon())).videos, 1);
    EXPECT_EQ(expire(seconds_f{0}, 1000), 1);
    EXPECT_EQ(chunks(), 0);
    EXPECT_EQ(read(ann_, young).status, job_status::done);
}

TEST_F(KeptMedia, AnObjectIsForgottenAfterItsDeletion) {
    const auto job = claimed_by_ann();
    const auto lost = run(media_.register_object(job, "s3://b", {}, soon())).value();
    // Another attempt.
    const auto frames = run(media_.register_object(job, "s3://b", {}, soon())).value();
    const auto video = run(media_.register_object(job, "s3://b", {frames}, soon())).value();
    EXPECT_EQ(unwanted(), std::vector{lost});
    EXPECT_TRUE(unwanted().empty());  // Until the retry.
    run(media_.forget({lost}, soon()));
    // It is young: a late writer may write it again.
    EXPECT_EQ(objects(), 3);
    run(pool().run(soon(), age_objects_query));
    run(media_.forget({lost}, soon()));
    EXPECT_EQ(objects(), 2);

    auto kept = in_database(10);
    kept.object = video;
    ASSERT_TRUE(report(job, {.numbers = {0}, .sizes = {50}, .object = frames}, kept));
    run(uploads_.sweep(soon()));
    EXPECT_TRUE(unwanted().empty());
    const auto frame = run(media_.find_frame(ann_, job.id, 0, soon())).value();
    EXPECT_EQ(frame.in_object.value().object, frames);
    EXPECT_EQ(run(media_.find_video(ann_, job.id, soon())).value().object, video);

    EXPECT_EQ(run(media_.expire_videos(seconds_f{0}, 0, 100, soon())), 1);
    EXPECT_EQ(unwanted(), std::vector{video});
    EXPECT_EQ(run(media_.state(soon())).unwanted_objects, 1);
    EXPECT_TRUE(run(store_.remove(ann_, job.id, soon())));
    EXPECT_EQ(unwanted(), std::vector{frames});
    run(media_.forget({video, frames}, soon()));
    EXPECT_EQ(objects(), 0);
}

TEST_F(KeptMedia, AnObjectOfAFailedJobIsUnwanted) {
    const auto job = claimed_by_ann();
    const auto object = run(media_.register_object(job, "s3://b", {}, soon())).value();
    run(uploads_.sweep(soon()));
    EXPECT_TRUE(unwanted().empty());
    EXPECT_TRUE(run(queue_.report(
        lease_of(job), failed{.code = job_error_code::internal, .text = "x"}, soon())));
    run(uploads_.sweep(soon()));
    run(pool().run(soon(), make_objects_due_query));
    EXPECT_EQ(unwanted(), std::vector{object});
}

}  // namespace
}  // namespace reelsd::jobs
