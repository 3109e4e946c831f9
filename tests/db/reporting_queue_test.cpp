#include "job_store_fixture.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>

#include <future>
#include <string>
#include <utility>

// Goal: reports that share a statement are stored as if each were alone. Method: real statements,
// all of one turn of the loop.
namespace reelsd::jobs {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr db::query due_query{"test.due", "UPDATE job SET run_at = now() - interval '1 second'"};

class ReportingQueue : public job_store_test {
protected:
    [[nodiscard]] std::future<bool> reported(lease held, transition ended) {
        return asio::co_spawn(
            loop().context(), queue_.report(held, std::move(ended), soon()), asio::use_future);
    }
    [[nodiscard]] bool written(std::future<bool>& answer) {
        loop().wait_for(answer);
        return answer.get();
    }
    [[nodiscard]] std::uint64_t statements() { return pool().metrics().at("jobs.report").count; }

    async::task_group tasks_{loop().context().get_executor(), [](auto, const auto&) { FAIL(); }};
    reporting_queue queue_{loop().context().get_executor(), tasks_, pool()};
};

TEST_F(ReportingQueue, StoresEachReportIndependently) {
    for (int i = 0; i < 6; ++i) static_cast<void>(submitted(ann_));
    const auto held = claimed(6);
    ASSERT_EQ(held.size(), 6U);
    auto late = lease_of(held[4]);
    --late.claim;
    auto failure =
        reported(lease_of(held[0]), failed{job_error_code::unavailable, "Gone \"é\", {}"});
    auto later = reported(lease_of(held[1]), retried{3600s});
    auto back = reported(lease_of(held[2]), released{});
    auto snoozed_job = reported(lease_of(held[3]), snoozed{3600s});
    auto too_late = reported(late, failed{job_error_code::internal, "x"});
    auto done = reported(lease_of(held[5]), completed{.result = R"({"visual":{}})"});
    EXPECT_TRUE(written(failure));
    EXPECT_TRUE(written(later));
    EXPECT_TRUE(written(back));
    EXPECT_TRUE(written(snoozed_job));
    EXPECT_FALSE(written(too_late));
    EXPECT_TRUE(written(done));
    EXPECT_EQ(statements(), 1U);

    const auto gone = read(ann_, held[0].id);
    EXPECT_EQ(gone.status, job_status::error);
    EXPECT_EQ(gone.error_code, job_error_code::unavailable);
    EXPECT_EQ(gone.error, "Gone \"é\", {}");
    EXPECT_TRUE(gone.finished_at);
    EXPECT_EQ(read(ann_, held[4].id).status, job_status::processing);
    EXPECT_EQ(read(ann_, held[5].id).status, job_status::done);

    const auto at_once = claimed(6);
    ASSERT_EQ(at_once.size(), 1U) << "only what was released is due";
    EXPECT_EQ(at_once[0].id, held[2].id);
    EXPECT_EQ(at_once[0].attempt, 1);
    run(pool().run(soon(), due_query));
    for (const auto& again : claimed(6)) {
        EXPECT_EQ(again.attempt, again.id == held[1].id ? 2 : 1);
        EXPECT_EQ(again.claim, 2);
    }
}

// A refused report must not affect the others.
TEST_F(ReportingQueue, ARefusedReportDoesNotAffectOthers) {
    for (int i = 0; i < 3; ++i) static_cast<void>(submitted(ann_));
    const auto held = claimed(3);
    auto first = reported(lease_of(held[0]), failed{job_error_code::internal, "x"});
    auto strange =
        reported(lease_of(held[1]), failed{job_error_code::internal, std::string("\0", 1)});
    auto last = reported(lease_of(held[2]), released{});
    EXPECT_TRUE(written(first));
    EXPECT_TRUE(written(last));
    loop().wait_for(strange);
    EXPECT_THROW(strange.get(), db::refused);
    EXPECT_EQ(read(ann_, held[1].id).status, job_status::processing);
}

}  // namespace
}  // namespace reelsd::jobs
