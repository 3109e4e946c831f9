// Goal: submissions with `queue` wait beyond the account's concurrent jobs, start in order and in
// turns with other accounts, and cost claims and submissions no more than a short queue does.
// Method: the queue's statements on PostgreSQL, one worker at a time; PostgreSQL's statistics show
// what was read.
#include "job_store_fixture.hpp"
#include <reelsd/domain/jobs/operations_store.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace reelsd::jobs {
namespace {

using outcome = submission_result::outcome;
using namespace std::chrono_literals;

constexpr db::query refill_query{"test.refill", R"sql(
    UPDATE account SET bucket_tokens = NULL, bucket_at = NULL)sql"};
constexpr db::query limit_query{"test.limit", R"sql(
    UPDATE account SET concurrent_jobs = $2, queued_jobs = $3 WHERE id = $1)sql"};
constexpr db::query in_work_query{"test.in_work", R"sql(
    SELECT coalesce(max(counted), 0) AS most
      FROM (SELECT count(*) AS counted FROM job WHERE status = 'processing'
             GROUP BY account_id) AS of_accounts)sql"};
constexpr db::query took_query{"test.took", R"sql(
    UPDATE job SET started_at = finished_at - interval '30 seconds' WHERE status = 'done')sql"};
constexpr db::query reads_query{"test.reads", R"sql(
    SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_user_tables
     WHERE relname = 'job')sql"};

class QueuedJobs : public job_store_test {
protected:
    [[nodiscard]] std::vector<submission_result> asked(
        account_id caller, int count, bool queue = true, bool is_list = true) {
        std::vector<callers_submission> submissions;
        for (int i = 0; i < count; ++i) {
            submission request{.url = link, .queue = queue};
            if (is_list) request.list = list_element{.request_hash = "", .position = i};
            submissions.push_back({.caller = caller, .request = std::move(request)});
        }
        std::vector<submission_result> decided;
        for (auto& one : run(store_.submit_all(submissions, {}, soon()))) {
            decided.push_back(std::move(one).value());
        }
        return decided;
    }
    /// Submits this many, in lists.
    void fill(account_id caller, int count) {
        for (int left = count; left > 0; left -= 50) {
            for (const auto& one : asked(caller, std::min(left, 50)))
                ASSERT_EQ(one.decided, outcome::accepted);
            run(pool().run(soon(), refill_query));
        }
    }
    [[nodiscard]] static std::size_t accepted(const std::vector<submission_result>& decided) {
        return static_cast<std::size_t>(
            std::count_if(decided.begin(), decided.end(), [](const auto& one) {
                return one.decided == outcome::accepted;
            }));
    }
    void end(const claimed_job& job) {
        EXPECT_TRUE(run(queue_.report(lease_of(job), failure_, soon())));
    }
    [[nodiscard]] std::int64_t most_in_work() {
        const auto found = run(pool().run(soon(), in_work_query));
        return found.one().as<std::int64_t>("most");
    }
    void limit(account_id account, int concurrent, std::optional<int> queued) {
        run(pool().run(soon(), limit_query, account, concurrent, queued));
    }
    void disable(account_id account, bool is_disabled) {
        accounts::account_store accounts{pool()};
        const auto changed = run(accounts.change(account, {.disabled = is_disabled}, soon()));
        EXPECT_TRUE(changed) << changed.error().to_string();
    }

    const transition failure_ = failed{.code = job_error_code::unavailable, .text = "unavailable"};
};

TEST_F(QueuedJobs, AListCostsOneSubmission) {
    EXPECT_EQ(accepted(asked(ann_, 50)), 50U);
    EXPECT_EQ(asked(ann_, 1).front().rate_remaining, 8);
    EXPECT_EQ(accepted(asked(bob_, 5, false)), 3U);
    EXPECT_EQ(asked(bob_, 1).front().rate_remaining, 6) << "without queue, each link costs one";
    EXPECT_EQ(accepted(asked(bob_, 8, true, false)), 6U) << "single links are not a list";
}

TEST_F(QueuedJobs, FiveHundredLinksFitIntoAMinutesSubmissions) {
    for (int i = 0; i < 10; ++i) EXPECT_EQ(accepted(asked(ann_, 50)), 50U);
    EXPECT_EQ(asked(ann_, 1).front().decided, outcome::rate_limited);
}

TEST_F(QueuedJobs, WithoutQueueTheLimitApplies) {
    fill(ann_, 10);
    const auto refused = asked(ann_, 1, false).front();
    EXPECT_EQ(refused.decided, outcome::too_many_jobs);
    EXPECT_EQ(refused.job_limit, 3);
}

TEST_F(QueuedJobs, TheQueueHasALimit) {
    limit(ann_, 2, 5);
    const auto decided = asked(ann_, 9);
    EXPECT_EQ(accepted(decided), 7U);
    EXPECT_EQ(decided.back().decided, outcome::queue_full);
    EXPECT_EQ(decided.back().job_limit, 5);
    EXPECT_GT(decided.back().retry_after, 0);
    end(claimed(1).at(0));
    EXPECT_EQ(accepted(asked(ann_, 2)), 1U);
}

TEST_F(QueuedJobs, AccountsAlternateAndKeepTheirOrder) {
    fill(ann_, 200);
    fill(bob_, 1);
    std::map<account_id, std::int64_t> last;
    std::vector<account_id> order;
    for (auto batch = claimed(1); !batch.empty(); batch = claimed(1)) {
        const auto& job = batch.front();
        EXPECT_LT(last[job.account], job.id.value);
        last[job.account] = job.id.value;
        order.push_back(job.account);
        end(job);
    }
    ASSERT_EQ(order.size(), 201U);
    EXPECT_LE(std::find(order.begin(), order.end(), bob_) - order.begin(), 1);
}

TEST_F(QueuedJobs, TwoQueuesStartAlternately) {
    fill(ann_, 40);
    for (int i = 0; i < 10; ++i) end(claimed(1).at(0));
    fill(bob_, 30);
    end(claimed(1).at(0));
    end(claimed(1).at(0));
    std::optional<account_id> before;
    int repeated = 0;
    for (int i = 0; i < 40; ++i) {
        const auto job = claimed(1).at(0);
        if (before == job.account) ++repeated;
        before = job.account;
        end(job);
    }
    EXPECT_LE(repeated, 3) << "at most those that were claimable before";
}

TEST_F(QueuedJobs, RunsNoMoreThanTheConcurrentJobs) {
    fill(ann_, 20);
    limit(bob_, 5, std::nullopt);
    fill(bob_, 20);
    auto held = claimed(100);
    EXPECT_EQ(held.size(), 8U);
    EXPECT_TRUE(claimed(100).empty());
    for (int done = 0; !held.empty(); ++done) {
        // Fails and deletes alternately.
        const auto job = held.front();
        held.erase(held.begin());
        if (done % 2 == 0) {
            end(job);
        } else {
            EXPECT_TRUE(run(store_.remove(job.account, job.id, soon())));
        }
        for (auto& next : claimed(100)) held.push_back(std::move(next));
        EXPECT_LE(most_in_work(), 5);
        if (done < 12) {
            EXPECT_EQ(held.size(), 8U);
        }
    }
    EXPECT_TRUE(run(store_.list(ann_, {.status = job_status::pending}, soon())).jobs.empty());
}

TEST_F(QueuedJobs, ARaisedLimitTakesEffect) {
    fill(ann_, 20);
    EXPECT_EQ(claimed(100).size(), 3U);
    limit(ann_, 7, std::nullopt);
    rescued({});
    EXPECT_EQ(claimed(100).size(), 4U);
}

TEST_F(QueuedJobs, AChangedDefaultTakesEffect) {
    limit(bob_, 2, std::nullopt);
    fill(ann_, 20);
    fill(bob_, 5);
    EXPECT_EQ(claimed(100).size(), 5U);
    const rescue_request request{.exhausted_text = "x", .concurrent_jobs_default = 7};
    EXPECT_THAT(run(queue_.rescue(request, soon())), ::testing::IsEmpty());
    const auto more = claimed(100);
    EXPECT_EQ(more.size(), 4U) << "not of an account with a limit of its own";
    for (const auto& job : more) end(job);
    EXPECT_EQ(claimed(100).size(), 4U) << "the end of a job uses it as well";
}

TEST_F(QueuedJobs, ThoseOfADisabledAccountWaitUntilItIsEnabled) {
    fill(ann_, 20);
    const auto begun = claimed(100);
    disable(ann_, true);
    for (const auto& job : begun) end(job);
    rescued({});
    EXPECT_THAT(claimed(100), ::testing::IsEmpty());
    disable(ann_, false);
    rescued({});
    EXPECT_EQ(claimed(100).size(), 3U);
}

TEST_F(QueuedJobs, ResubmittedJobsWaitToo) {
    fill(ann_, 5);
    std::vector<job_id> failed_ones;
    for (int i = 0; i < 5; ++i) {
        const auto job = claimed(1).at(0);
        failed_ones.push_back(job.id);
        end(job);
    }
    fill(bob_, 1);
    operations_store operations{pool()};
    run(operations.resubmit({failed_ones[0]}, soon()));
    EXPECT_EQ(claimed(100).size(), 2U);
}

TEST_F(QueuedJobs, APendingJobReportsItsPosition) {
    fill(ann_, 10);
    const auto all = run(store_.list(ann_, {.jobs_max = 100}, soon())).jobs;
    ASSERT_EQ(all.size(), 10U);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].place.value().position, 10 - static_cast<int>(i)) << "newest first";
        EXPECT_EQ(read(ann_, all[i].id).place.value().position, 10 - static_cast<int>(i));
        EXPECT_FALSE(all[i].place->expected_start_at) << "no job is done yet";
    }
    const auto first = claimed(1).at(0);
    EXPECT_FALSE(read(ann_, first.id).place) << "it has started";
    EXPECT_EQ(read(ann_, all.front().id).place.value().position, 9);
    EXPECT_TRUE(run(store_.remove(ann_, all[5].id, soon())));
    EXPECT_EQ(read(ann_, all.front().id).place.value().position, 8);
    const auto pending = run(store_.list(ann_, {.status = job_status::pending}, soon())).jobs;
    EXPECT_EQ(pending.front().place.value().position, 8);
    const auto same_post = run(store_.list(ann_, {.post_of = first.id}, soon())).jobs;
    EXPECT_EQ(same_post.front().place.value().position, 8);

    const completed success{.result = "{}"};
    EXPECT_TRUE(run(queue_.report(lease_of(first), success, soon())));
    run(pool().run(soon(), took_query));
    const auto before = std::chrono::system_clock::now();
    const auto last = read(ann_, all.front().id).place.value();
    ASSERT_TRUE(last.expected_start_at);
    EXPECT_NEAR(seconds_f(*last.expected_start_at - before).count(), 7 * 30, 25);
}

TEST_F(QueuedJobs, CostsDoNotGrowWithTheQueue) {
    db::pool_options options;
    options.connection_string = connection_string();
    options.connections = 1;
    db::pool single{loop().context().get_executor(), options, log::logger::silent()};
    single.start();
    store_ = job_store{single};
    queue_ = queue_store{single};
    const auto reads = [&] {
        run(single.run(soon(), flush_reads_query));
        const auto found = run(single.run(soon(), reads_query));
        return found.one().as<std::int64_t>("rows");
    };
    fill(ann_, 900);
    fill(bob_, 1);
    end(claimed(1).at(0));
    EXPECT_EQ(accepted(asked(ann_, 1)), 1U) << "counts the jobs once";
    const auto before = reads();
    for (int i = 0; i < 20; ++i) end(claimed(1).at(0));
    const auto worked = reads();
    EXPECT_LE(worked - before, 20 * 40) << "a claim and an end";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(accepted(asked(ann_, 1)), 1U);
    EXPECT_LE(reads() - worked, 5 * 40) << "a submission";
}

}  // namespace
}  // namespace reelsd::jobs
