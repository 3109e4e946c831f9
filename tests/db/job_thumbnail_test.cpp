// Goal: a reel's picture comes and goes with the reel, and belongs to its owner alone.
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

/// Every byte there is, over and over: no JPEG, which is not the database's business.
jpeg_bytes bytes_of_size(std::size_t size) {
    jpeg_bytes bytes(size);
    for (std::size_t at = 0; at < size; ++at) bytes[at] = static_cast<std::byte>(at);
    return bytes;
}

class JobThumbnail : public job_store_test {
protected:
    bool report(const claimed_job& job, std::optional<jpeg_bytes> thumbnail) {
        const completed ended{
            .result = "{}",
            .post_key = "DYa0IXPgnP5",
            .analyzer = "local/1",
            .thumbnail = std::move(thumbnail)};
        return run(store_.report(holding_of(job), ended, soon()));
    }
    /// A job of ann's that is done, and whether it was.
    job_id done(std::optional<jpeg_bytes> thumbnail) {
        EXPECT_GT(submitted(ann_).value, 0);
        const auto job = claimed(1).at(0);
        EXPECT_TRUE(report(job, std::move(thumbnail)));
        return job.id;
    }
    std::optional<jpeg_bytes> find(account_id caller, job_id id) {
        return run(store_.find_thumbnail(caller, id, soon()));
    }
    std::int64_t count() {
        const auto counted = run(pool().run(soon(), count_query));
        return counted.one().as<std::int64_t>("thumbnails");
    }
};

TEST_F(JobThumbnail, IsStoredWithTheReel) {
    const auto with = done(bytes_of_size(30'000));
    const auto without = done(std::nullopt);
    EXPECT_EQ(find(ann_, with), bytes_of_size(30'000));
    EXPECT_EQ(find(ann_, without), std::nullopt);
    EXPECT_EQ(find(bob_, with), std::nullopt);
    EXPECT_EQ(find(ann_, job_id{without.value + 1}), std::nullopt);
    EXPECT_EQ(count(), 1);
}

TEST_F(JobThumbnail, OfAClaimThatHasPassedIsNotStored) {
    EXPECT_GT(submitted(ann_).value, 0);
    const auto job = claimed(1).at(0);
    EXPECT_TRUE(run(store_.report(holding_of(job), handed_back{}, soon())));
    ASSERT_EQ(claimed(1).size(), 1U);
    EXPECT_FALSE(report(job, bytes_of_size(100)));
    EXPECT_EQ(find(ann_, job.id), std::nullopt);
}

TEST_F(JobThumbnail, GoesWithTheReel) {
    const auto first = done(bytes_of_size(100));
    const auto second = done(bytes_of_size(200));
    EXPECT_TRUE(run(store_.remove(ann_, first, soon())));
    EXPECT_EQ(find(ann_, first), std::nullopt);
    EXPECT_EQ(find(ann_, second), bytes_of_size(200));
    run(pool().run(soon(), remove_account_query, ann_));
    EXPECT_EQ(count(), 0);
}

TEST_F(JobThumbnail, HasABound) {
    EXPECT_EQ(find(ann_, done(bytes_of_size(40'960))), bytes_of_size(40'960));
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{40'961}}) {
        SCOPED_TRACE(size);
        EXPECT_GT(submitted(ann_).value, 0);
        const auto job = claimed(1).at(0);
        EXPECT_THROW(report(job, bytes_of_size(size)), db::refused);
        // All or nothing.
        EXPECT_EQ(read(ann_, job.id).status, job_status::processing);
        EXPECT_TRUE(report(job, std::nullopt));
    }
    EXPECT_EQ(count(), 1);
}

TEST_F(JobThumbnail, ComesAlongWithAnEarlierAnalysis) {
    const auto look = [this] {
        return run(store_.find_earlier_analysis(ann_, "DYa0IXPgnP5", "local/1", soon())).value();
    };
    done(bytes_of_size(500));
    const auto found = look();
    EXPECT_EQ(found.thumbnail, bytes_of_size(500));
    const auto copy = done(found.thumbnail);
    EXPECT_EQ(find(ann_, copy), bytes_of_size(500));

    // The latest counts, also when no picture could be made for it.
    done(std::nullopt);
    EXPECT_EQ(look().thumbnail, std::nullopt);
}

}  // namespace
}  // namespace reelsd::jobs
