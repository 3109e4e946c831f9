// Goal: a reel's picture is stored and deleted with the reel, and visible only to its owner.
#include "job_store_fixture.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace reelsd::jobs {
namespace {

using jpeg_bytes = std::vector<std::byte>;

constexpr db::query count_query{"test.count_thumbnails", R"sql(
    SELECT count(*) AS thumbnails FROM reel_thumbnail)sql"};
constexpr db::query remove_account_query{"test.remove_account", R"sql(
    DELETE FROM account WHERE id = $1)sql"};

/// All byte values repeatedly; the database does not check that it is a JPEG.
jpeg_bytes bytes_of_size(std::size_t size) {
    jpeg_bytes bytes(size);
    for (std::size_t at = 0; at < size; ++at) bytes[at] = static_cast<std::byte>(at);
    return bytes;
}

reel_thumbnail picture_of_sizes(std::size_t large, std::size_t small) {
    return {.jpeg = bytes_of_size(large), .small_jpeg = bytes_of_size(small)};
}

/// As stored before small ones existed.
reel_thumbnail old_picture_of_size(std::size_t large) {
    return {.jpeg = bytes_of_size(large)};
}

class JobThumbnail : public job_store_test {
protected:
    bool report(const claimed_job& job, std::optional<reel_thumbnail> thumbnail) {
        const completed ended{
            .result = "{}",
            .post_key = "DYa0IXPgnP5",
            .analyzer = "local/1",
            .thumbnail = std::move(thumbnail)};
        return run(queue_.report(lease_of(job), ended, soon()));
    }
    /// Completes a job of ann's; false if that was refused.
    job_id done(std::optional<reel_thumbnail> thumbnail) {
        EXPECT_GT(submitted(ann_).value, 0);
        const auto job = claimed(1).at(0);
        EXPECT_TRUE(report(job, std::move(thumbnail)));
        return job.id;
    }
    std::optional<jpeg_bytes> find(
        account_id caller, job_id id, thumbnail_size size = thumbnail_size::large) {
        return run(store_.find_thumbnail(caller, id, size, soon()));
    }
    std::optional<jpeg_bytes> find_small(account_id caller, job_id id) {
        return find(caller, id, thumbnail_size::small);
    }
    std::int64_t count() {
        const auto counted = run(pool().run(soon(), count_query));
        return counted.one().as<std::int64_t>("thumbnails");
    }
};

TEST_F(JobThumbnail, IsStoredWithTheReel) {
    const auto with = done(picture_of_sizes(30'000, 4'000));
    const auto without = done(std::nullopt);
    EXPECT_EQ(find(ann_, with), bytes_of_size(30'000));
    EXPECT_EQ(find_small(ann_, with), bytes_of_size(4'000));
    for (const auto size : {thumbnail_size::large, thumbnail_size::small}) {
        EXPECT_EQ(find(ann_, without, size), std::nullopt);
        EXPECT_EQ(find(bob_, with, size), std::nullopt);
        EXPECT_EQ(find(ann_, job_id{without.value + 1}, size), std::nullopt);
    }
    EXPECT_EQ(count(), 1);
}

TEST_F(JobThumbnail, FallsBackToTheLargeOne) {
    const auto old = done(old_picture_of_size(30'000));
    EXPECT_EQ(find(ann_, old), bytes_of_size(30'000));
    EXPECT_EQ(find_small(ann_, old), bytes_of_size(30'000));
}

TEST_F(JobThumbnail, OfAnEndedClaimIsNotStored) {
    EXPECT_GT(submitted(ann_).value, 0);
    const auto job = claimed(1).at(0);
    EXPECT_TRUE(run(queue_.report(lease_of(job), released{}, soon())));
    ASSERT_EQ(claimed(1).size(), 1U);
    EXPECT_FALSE(report(job, picture_of_sizes(100, 10)));
    EXPECT_EQ(find(ann_, job.id), std::nullopt);
}

TEST_F(JobThumbnail, IsDeletedWithTheReel) {
    const auto first = done(picture_of_sizes(100, 10));
    const auto second = done(picture_of_sizes(200, 20));
    EXPECT_TRUE(run(store_.remove(ann_, first, soon())));
    EXPECT_EQ(find(ann_, first), std::nullopt);
    EXPECT_EQ(find_small(ann_, first), std::nullopt);
    EXPECT_EQ(find(ann_, second), bytes_of_size(200));
    run(pool().run(soon(), remove_account_query, ann_));
    EXPECT_EQ(count(), 0);
}

TEST_F(JobThumbnail, HasABoundedSize) {
    const auto most = done(picture_of_sizes(40'960, 4'096));
    EXPECT_EQ(find(ann_, most), bytes_of_size(40'960));
    EXPECT_EQ(find_small(ann_, most), bytes_of_size(4'096));
    EXPECT_EQ(find_small(ann_, done(picture_of_sizes(4, 4))), bytes_of_size(4));
    struct test_case {
        std::size_t large;
        std::size_t small;
    };
    constexpr test_case cases[] = {
        {0, 100}, {3, 100}, {40'961, 100}, {1'000, 0}, {1'000, 3}, {1'000, 4'097}};
    for (const auto& [large, small] : cases) {
        SCOPED_TRACE(::testing::Message() << large << ", " << small);
        EXPECT_GT(submitted(ann_).value, 0);
        const auto job = claimed(1).at(0);
        EXPECT_THROW(report(job, picture_of_sizes(large, small)), db::refused);
        // All or nothing.
        EXPECT_EQ(read(ann_, job.id).status, job_status::processing);
        EXPECT_TRUE(report(job, std::nullopt));
    }
    EXPECT_EQ(count(), 2);
}

TEST_F(JobThumbnail, IsCopiedWithAnEarlierAnalysis) {
    const auto look = [this] {
        return run(store_.find_earlier_analysis(ann_, "DYa0IXPgnP5", {"local/1"}, soon())).value();
    };
    for (const auto& first : {old_picture_of_size(400), picture_of_sizes(500, 50)}) {
        done(first);
        const auto found = look();
        EXPECT_EQ(found.thumbnail, first);
        const auto copy = done(found.thumbnail);
        EXPECT_EQ(find(ann_, copy), first.jpeg);
        EXPECT_EQ(find_small(ann_, copy), first.small_jpeg.value_or(first.jpeg));
    }

    // The latest analysis counts, even without a picture.
    done(std::nullopt);
    EXPECT_EQ(look().thumbnail, std::nullopt);
}

}  // namespace
}  // namespace reelsd::jobs
