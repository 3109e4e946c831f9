#include <reelsd/domain/jobs/job.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::api {
namespace {

using namespace std::chrono_literals;

jobs::job a_job() {
    return {
        .id = {42},
        .url = "https://www.instagram.com/reel/DYa0IXPgnP5/",
        .status = jobs::job_status::pending,
        .created_at = time_point{1779444000s},
        .started_at = std::nullopt,
        .finished_at = std::nullopt,
        .error_code = std::nullopt,
        .error = "",
        .result = std::nullopt};
}

TEST(JobView, OmitsMissingValues) {
    EXPECT_EQ(
        job_view(a_job()),
        R"({"id":42,"url":"https://www.instagram.com/reel/DYa0IXPgnP5/","status":"pending",)"
        R"("created_at":"2026-05-22T10:00:00Z"})");
}

TEST(JobView, APendingJobHasItsQueuePosition) {
    auto job = a_job();
    job.place = jobs::queue_place{.position = 4};
    EXPECT_THAT(
        job_view(job), ::testing::EndsWith(R"(,"queue_position":4,"expected_start_at":null})"));
    job.place->expected_start_at = time_point{1779444031s};
    EXPECT_THAT(
        job_view(job), ::testing::EndsWith(R"("expected_start_at":"2026-05-22T10:00:31Z"})"));
}

TEST(JobView, HasTheOptionsOfItsSubmission) {
    auto job = a_job();
    job.options = R"({"language":"de"})";
    EXPECT_THAT(job_view(job), ::testing::EndsWith(R"(,"options":{"language":"de"}})"));
}

TEST(JobView, ContainsThePathOfAKeptVideo) {
    auto job = a_job();
    job.has_video = true;
    EXPECT_THAT(job_view(job), ::testing::EndsWith(R"(,"video":"/api/v1/reels/42/video"})"));
}

TEST(JobView, ADoneJobContainsTheStoredResultUnchanged) {
    auto job = a_job();
    job.status = jobs::job_status::done;
    job.started_at = time_point{1779444000s + 400ms};
    job.finished_at = time_point{1779444031s};
    job.result = R"({"visual":{}})";
    EXPECT_EQ(
        job_view(job),
        R"({"id":42,"url":"https://www.instagram.com/reel/DYa0IXPgnP5/","status":"done",)"
        R"("created_at":"2026-05-22T10:00:00Z","started_at":"2026-05-22T10:00:00Z",)"
        R"("finished_at":"2026-05-22T10:00:31Z","result":{"visual":{}}})");
}

TEST(JobView, ADoneJobContainsTheExtractOrItsError) {
    auto job = a_job();
    job.status = jobs::job_status::done;
    job.result = "{}";
    job.extract = R"({"name":"a"})";
    EXPECT_THAT(job_view(job), ::testing::EndsWith(R"("result":{},"extract":{"name":"a"}})"));
    job.extract.reset();
    job.extract_error = "A \"reason\".";
    EXPECT_THAT(
        job_view(job), ::testing::EndsWith(R"("result":{},"extract_error":"A \"reason\"."})"));
}

TEST(JobView, ListsContainABriefInsteadOfTheResult) {
    auto job = a_job();
    job.status = jobs::job_status::done;
    job.finished_at = time_point{1779444031s};
    job.brief = {.code = "DYa0IXPgnP5", .author = "ann", .summary = "A soup."};
    EXPECT_EQ(
        job_view(job),
        R"({"id":42,"url":"https://www.instagram.com/reel/DYa0IXPgnP5/","status":"done",)"
        R"("created_at":"2026-05-22T10:00:00Z","finished_at":"2026-05-22T10:00:31Z",)"
        R"("summary":"A soup.","code":"DYa0IXPgnP5","author":"ann"})");
    job.earlier = 0;
    EXPECT_THAT(job_view(job), ::testing::EndsWith(R"("author":"ann","earlier":0})"));
}

TEST(JobView, AFailedJobHasCodeAndText) {
    auto job = a_job();
    job.url = "https://x/\"\n";
    job.status = jobs::job_status::error;
    job.finished_at = time_point{1779444031s};
    job.error_code = jobs::job_error_code::video_too_long;
    job.error = "The video is longer than 90 seconds.";
    EXPECT_EQ(
        job_view(job),
        R"({"id":42,"url":"https://x/\"\n","status":"error","created_at":"2026-05-22T10:00:00Z",)"
        R"("finished_at":"2026-05-22T10:00:31Z","error_code":"video_too_long",)"
        R"("error":"The video is longer than 90 seconds.","retryable":false})");
    job.retry_after_seconds = 900;
    EXPECT_THAT(job_view(job), ::testing::EndsWith(R"(,"retryable":false})"));
    job.is_retryable = true;
    EXPECT_THAT(
        job_view(job), ::testing::EndsWith(R"(,"retryable":true,"retry_after_seconds":900})"));
}

}  // namespace
}  // namespace reelsd::api
