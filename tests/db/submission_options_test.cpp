// Goal: the options of a submission reach its worker unchanged, and the answer to its schema its
// readers, copies and exports.
#include "job_store_fixture.hpp"

#include <gmock/gmock.h>

namespace reelsd::jobs {
namespace {

using ::testing::HasSubstr;
using SubmissionOptions = job_store_test;

/// The order of members matters, and so does a NUL character, which jsonb refuses.
constexpr const char* wanted_options =
    R"({"language":"de","extract":{"type":"object","properties":{"z\u0000":{},"a":{}}}})";
constexpr const char* extract = R"({"z":1,"a":"\u0000"})";

constexpr db::query fail_query{"test.fail", R"sql(
    UPDATE job SET status = 'error', error_code = 'internal', error = 'x', finished_at = now()
     WHERE id = $1)sql"};
constexpr db::query resubmit_query{"test.resubmit", R"sql(
    SELECT new_id AS id FROM resubmit_failed_jobs(ARRAY[$1::bigint]))sql"};
constexpr db::query claim_in_line_query{"test.claim_in_line", R"sql(
    UPDATE job SET waits_for = 'host.test' WHERE id = $1)sql"};
constexpr db::query both_query{"test.both", R"sql(
    UPDATE job SET extract_error = 'x' WHERE id = $1)sql"};

TEST_F(SubmissionOptions, ReachTheWorker) {
    const std::vector<callers_submission> together{
        {.caller = ann_, .request = {.url = link, .options = wanted_options}},
        {.caller = ann_, .request = {.url = link}}};
    const auto decided = run(store_.submit_all(together, generous_, soon()));
    const auto jobs = claimed(2);
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(jobs[0].id, decided[0]->job);
    EXPECT_EQ(jobs[0].options, wanted_options);
    EXPECT_EQ(jobs[1].options, "");
}

TEST_F(SubmissionOptions, ReachTheWorkerThroughTheLine) {
    const auto id =
        run(store_.submit(ann_, {.url = link, .options = wanted_options}, generous_, soon())).job;
    run(pool().run(soon(), claim_in_line_query, id));
    const claim_request request{.worker = "w", .lease = std::chrono::seconds{60}};
    const platform_line line{
        .host = "host.test", .resolvers = {"page"}, .interval = seconds_f{0.001}};
    const auto answer = run(queue_.claim_in_line(request, line, soon()));
    ASSERT_TRUE(answer.job);
    EXPECT_EQ(answer.job->options, wanted_options);
}

TEST_F(SubmissionOptions, AreSubmittedAgain) {
    const auto id =
        run(store_.submit(ann_, {.url = link, .options = wanted_options}, generous_, soon())).job;
    run(pool().run(soon(), fail_query, id));
    const auto rows = run(pool().run(soon(), resubmit_query, id));
    const auto again = rows.one().as<job_id>("id");
    const auto jobs = claimed(1);
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].id, again);
    EXPECT_EQ(jobs[0].options, wanted_options);
}

TEST_F(SubmissionOptions, TheAnswerIsReadCopiedAndExported) {
    const auto id =
        run(store_.submit(ann_, {.url = link, .options = wanted_options}, generous_, soon())).job;
    completed done{"{}"};
    done.post_key = "DYa0IXPgnP5";
    done.analyzer = "a/1";
    done.extract = extract;
    EXPECT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), done, soon())));
    EXPECT_EQ(read(ann_, id).extract, extract);
    EXPECT_EQ(read(ann_, id).extract_error, std::nullopt);
    EXPECT_THAT(job_view(read(ann_, id)), HasSubstr(R"("result":{},"extract":{"z":1)"));
    EXPECT_EQ(read(ann_, id).options, wanted_options);
    const auto copy =
        run(store_.find_earlier_analysis(ann_, "DYa0IXPgnP5", {"a/1"}, soon())).value();
    EXPECT_EQ(copy.extract, extract);
    const auto page = run(store_.export_page(ann_, job_id{0}, id, 10, soon()));
    ASSERT_EQ(page.size(), 1U);
    EXPECT_EQ(page[0].reel.extract, extract);
    EXPECT_EQ(page[0].reel.options, wanted_options);
    const auto listed = run(store_.list(ann_, {.jobs_max = 10}, soon())).jobs;
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed[0].options, wanted_options);
    EXPECT_THROW(run(pool().run(soon(), both_query, id)), std::exception)
        << "an answer excludes the reason why there is none";
}

TEST_F(SubmissionOptions, TheReasonForNoAnswerIsKept) {
    const auto id = submitted(ann_);
    completed done{"{}"};
    done.extract_error = "No answer.";
    EXPECT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), done, soon())));
    EXPECT_EQ(read(ann_, id).extract, std::nullopt);
    EXPECT_EQ(read(ann_, id).extract_error, "No answer.");
    EXPECT_THAT(job_view(read(ann_, id)), HasSubstr(R"("result":{},"extract_error":"No answer.")"));
}

}  // namespace
}  // namespace reelsd::jobs
