// Goal: the number of an account's active jobs is limited exactly, although it is not counted each
// time, and the queue's statements never scan a whole table, even with plans for an empty one.
// Method: random steps on the database and on a model of all jobs; PostgreSQL's statistics show
// what was read.
#include "job_store_fixture.hpp"
#include <reelsd/domain/jobs/operations_store.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>

namespace reelsd::jobs {
namespace {

using outcome = submission_result::outcome;
using namespace std::chrono_literals;

constexpr db::query bound_query{"test.bound", R"sql(
    SELECT account.active_jobs_at_most AS bound,
           (SELECT count(*) FROM job
             WHERE account_id = account.id AND status IN ('pending', 'processing')) AS active
      FROM account WHERE id = $1)sql"};
// A submission that began before the limit existed.
constexpr db::query admit_unaware_query{"test.admit_unaware", R"sql(
    WITH made AS (
        INSERT INTO job (account_id, url)
        VALUES ($1, 'https://www.instagram.com/reel/DYa0IXPgnP5/') RETURNING account_id)
    UPDATE account SET bucket_tokens = 1000, bucket_at = clock_timestamp()
      FROM made WHERE account.id = made.account_id)sql"};
constexpr db::query earlier_query{"test.earlier", R"sql(
    SELECT outcome FROM submit_jobs(
        ARRAY[$1, $1]::bigint[], ARRAY[$2, $2], ARRAY[false, false], ARRAY[NULL, NULL]::text[],
        ARRAY[false, false], ARRAY[NULL, NULL]::text[], 10, 3))sql"};
constexpr db::query fill_query{"test.fill", R"sql(
    INSERT INTO job (account_id, url, run_at, turn, waits_for)
    SELECT $1, 'https://www.instagram.com/reel/DYa0IXPgnP5/', now() + $3::interval, number,
           CASE WHEN $3::interval > interval '0' THEN 'time' END
      FROM generate_series(1, $2) AS number)sql"};
// Reads of this session: the test's pool has one connection. They are reported at the end of the
// calling transaction.
constexpr db::query index_reads_query{"test.reads", R"sql(
    SELECT (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'job') AS in_sequence,
           (SELECT idx_tup_read FROM pg_stat_user_indexes
             WHERE indexrelname = 'job_active') AS active,
           (SELECT idx_tup_read FROM pg_stat_user_indexes
             WHERE indexrelname = 'job_ready') AS ready,
           (SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables
             WHERE relname = 'job') AS rows)sql"};

class ActiveJobs : public job_store_test {
protected:
    struct bounds {
        std::optional<std::int64_t> bound;
        std::int64_t active;
    };
    [[nodiscard]] bounds bounds_of(account_id owner) {
        const auto found = run(pool().run(soon(), bound_query, owner));
        const auto row = found.one();
        return {
            .bound = row.as<std::optional<std::int64_t>>("bound"),
            .active = row.as<std::int64_t>("active")};
    }

    /// One statement, with different links.
    [[nodiscard]] std::vector<submission_result> asked(
        const std::vector<account_id>& callers, std::int32_t limit) {
        std::vector<callers_submission> submissions;
        for (const auto caller : callers) {
            const auto url = "https://www.instagram.com/reel/DY" + std::to_string(++links_) + "/";
            submissions.push_back({.caller = caller, .request = {.url = url}});
        }
        std::vector<submission_result> decided;
        const default_limits limits{.submissions_per_minute = 1000000, .concurrent_jobs = limit};
        for (auto& one : run(store_.submit_all(submissions, limits, soon()))) {
            decided.push_back(std::move(one).value());
        }
        return decided;
    }

    void end_all(const std::vector<claimed_job>& jobs, const transition& how) {
        for (const auto& job : jobs) EXPECT_TRUE(run(queue_.report(lease_of(job), how, soon())));
    }

    operations_store operations_{pool()};
    const transition failure_ = failed{.code = job_error_code::unavailable, .text = "unavailable"};

private:
    int links_ = 1000;
};

TEST_F(ActiveJobs, ThatHaveEndedDoNotCount) {
    EXPECT_EQ(bounds_of(ann_).bound, std::nullopt);
    for (const auto& one : asked({ann_, ann_}, 3)) EXPECT_EQ(one.decided, outcome::accepted);
    EXPECT_EQ(bounds_of(ann_).bound, 2);
    end_all(claimed(2), failure_);
    EXPECT_EQ(bounds_of(ann_).bound, 2) << "ending a job does not write the account's row";
    const auto three = asked({ann_, ann_, ann_}, 3);
    for (const auto& one : three) EXPECT_EQ(one.decided, outcome::accepted);
    EXPECT_EQ(bounds_of(ann_).bound, 3);
    EXPECT_EQ(asked({ann_}, 3).front().decided, outcome::too_many_jobs);
    EXPECT_TRUE(run(store_.remove(ann_, three[1].job, soon())));
    EXPECT_EQ(asked({ann_}, 3).front().decided, outcome::accepted);
    EXPECT_EQ(asked({ann_}, 3).front().decided, outcome::too_many_jobs);
}

TEST_F(ActiveJobs, ACountThatStopsAtALowerLimitIsNotTheTotal) {
    for (const auto& one : asked({ann_, ann_, ann_, ann_, ann_}, 9))
        EXPECT_EQ(one.decided, outcome::accepted);
    EXPECT_EQ(asked({ann_}, 2).front().decided, outcome::too_many_jobs);
    EXPECT_EQ(asked({ann_}, 6).front().decided, outcome::accepted);
    EXPECT_EQ(asked({ann_}, 6).front().decided, outcome::too_many_jobs);
}

TEST_F(ActiveJobs, ThatAnAdministratorResubmitsCountToo) {
    const auto three = asked({ann_, ann_, ann_}, 9);
    end_all(claimed(3), failure_);
    EXPECT_EQ(asked({ann_}, 3).front().decided, outcome::accepted);
    EXPECT_EQ(bounds_of(ann_).bound, 1);
    EXPECT_EQ(run(operations_.resubmit({three[0].job, three[1].job}, soon())).size(), 2U);
    EXPECT_EQ(bounds_of(ann_).bound, 3);
    EXPECT_EQ(asked({ann_}, 3).front().decided, outcome::too_many_jobs);
}

TEST_F(ActiveJobs, ThatAnOlderFunctionAcceptsCountToo) {
    EXPECT_EQ(asked({ann_}, 3).front().decided, outcome::accepted);
    run(pool().run(soon(), admit_unaware_query, ann_));
    const auto two = asked({ann_, ann_}, 3);
    EXPECT_EQ(two[0].decided, outcome::accepted);
    EXPECT_EQ(two[1].decided, outcome::too_many_jobs);
}

TEST_F(ActiveJobs, ThatEarlierReleasesSubmitCountToo) {
    EXPECT_EQ(asked({ann_}, 3).front().decided, outcome::accepted);
    const auto earlier = run(pool().run(soon(), earlier_query, ann_, std::string_view{link}));
    for (const db::row row : earlier) EXPECT_EQ(row.as<std::string>("outcome"), "admitted");
    EXPECT_EQ(bounds_of(ann_).bound, 3);
    EXPECT_EQ(asked({ann_}, 3).front().decided, outcome::too_many_jobs);
}

/// Expected state of the accounts' jobs after the same steps.
class jobs_model {
public:
    [[nodiscard]] std::int64_t active(account_id owner) const {
        return std::count_if(jobs_.begin(), jobs_.end(), [&](const auto& one) {
            return one.second.owner == owner && one.second.is_active;
        });
    }
    void add(account_id owner, job_id made) { jobs_[made] = {.owner = owner, .is_active = true}; }
    void end(job_id one) { jobs_.at(one).is_active = false; }
    void remove(job_id one) { jobs_.erase(one); }
    [[nodiscard]] account_id owner(job_id one) const { return jobs_.at(one).owner; }
    [[nodiscard]] std::vector<job_id> all() const {
        std::vector<job_id> ids;
        for (const auto& [id, state] : jobs_) ids.push_back(id);
        return ids;
    }
    [[nodiscard]] std::vector<job_id> ended() const {
        std::vector<job_id> ids;
        for (const auto& [id, state] : jobs_) {
            if (!state.is_active) ids.push_back(id);
        }
        return ids;
    }

private:
    struct job {
        account_id owner;
        bool is_active = false;
    };
    std::map<job_id, job> jobs_;
};

TEST_F(ActiveJobs, AreLimitedExactly) {
    std::mt19937 dice{20261123};
    const auto below = [&dice](int end) { return static_cast<int>(dice() % unsigned(end)); };
    const std::array owners{ann_, bob_};
    jobs_model model;
    int refused = 0;
    for (int step = 0; step < 400; ++step) {
        switch (below(8)) {
            case 0: {  // Ended, retried or released.
                const auto held = claimed(1 + below(4));
                const auto how = below(3);
                if (how == 0) end_all(held, retried{0s});
                if (how == 1) end_all(held, released{});
                if (how == 2) {
                    end_all(held, failure_);
                    for (const auto& one : held) model.end(one.id);
                }
                break;
            }
            case 1: {
                const auto all = model.all();
                if (all.empty()) break;
                const auto job = all[static_cast<std::size_t>(below(int(all.size())))];
                EXPECT_TRUE(run(store_.remove(model.owner(job), job, soon())));
                model.remove(job);
                break;
            }
            case 2: {
                auto ended = model.ended();
                ended.resize(std::min<std::size_t>(ended.size(), std::size_t(below(4))));
                if (ended.empty()) break;
                for (const auto& made : run(operations_.resubmit(ended, soon())))
                    model.add(model.owner(made.failed), made.new_id);
                break;
            }
            default: {
                std::vector<account_id> callers;
                for (int more = below(5); more >= 0; --more)
                    callers.push_back(owners.at(std::size_t(below(2))));
                const int limit = 1 + below(9);
                const auto decided = asked(callers, limit);
                for (std::size_t at = 0; at < callers.size(); ++at) {
                    const bool has_room = model.active(callers[at]) < limit;
                    EXPECT_EQ(
                        decided[at].decided, has_room ? outcome::accepted : outcome::too_many_jobs);
                    if (has_room) model.add(callers[at], decided[at].job);
                    refused += has_room ? 0 : 1;
                }
            }
        }
        for (const auto owner : owners) {
            const auto found = bounds_of(owner);
            ASSERT_EQ(found.active, model.active(owner)) << "step " << step;
            ASSERT_GE(found.bound.value_or(found.active), found.active) << "step " << step;
        }
    }
    EXPECT_GT(refused, 100);
}

/// On one connection, so that all statements are of one session, with its plans.
class StatementCosts : public ActiveJobs {
protected:
    struct reads {
        std::int64_t in_sequence;
        std::int64_t active;
        std::int64_t ready;
        std::int64_t rows;  ///< However they were found.
    };

    void SetUp() override {
        ActiveJobs::SetUp();
        single_.start();
        store_ = job_store{single_};
        queue_ = queue_store{single_};
    }
    [[nodiscard]] reads reads_so_far() {
        run(single_.run(soon(), flush_reads_query));
        const auto found = run(single_.run(soon(), index_reads_query));
        const auto row = found.one();
        return {
            .in_sequence = row.as<std::int64_t>("in_sequence"),
            .active = row.as<std::int64_t>("active"),
            .ready = row.as<std::int64_t>("ready"),
            .rows = row.as<std::int64_t>("rows")};
    }
    void fill(std::int64_t jobs, std::string_view due_in) {
        run(single_.run(soon(), fill_query, ann_, jobs, due_in));
    }
    /// One job through the queue: claimed, renewed and failed.
    std::size_t work_on(int most) {
        const auto held = claimed(most);
        std::vector<lease> kept;
        std::vector<ended_attempt> ended;
        for (const auto& job : held) {
            kept.push_back(lease_of(job));
            ended.push_back({.held = lease_of(job), .ended = failure_});
        }
        EXPECT_EQ(run(queue_.renew(kept, 60s, soon())).renewed.size(), held.size());
        run(queue_.report_all(ended, soon()));
        return held.size();
    }

private:
    [[nodiscard]] db::pool_options options() const {
        db::pool_options options;
        options.connection_string = connection_string();
        options.connections = 1;
        options.statement_timeout = test::patience;
        return options;
    }

    db::pool single_{loop().context().get_executor(), options(), log::logger::silent()};
};

TEST_F(StatementCosts, ASubmissionDoesNotReadActiveJobs) {
    EXPECT_EQ(asked({ann_}, 100000).front().decided, outcome::accepted);
    fill(500, "1 day");
    const auto before = reads_so_far();
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(asked({ann_}, 100000).front().decided, outcome::accepted);
    const auto after = reads_so_far();
    EXPECT_LE(after.active - before.active, 20) << "only the last job, for its turn";
    EXPECT_LE(after.rows - before.rows, 40) << "not all jobs of the account, by another index";
}

TEST_F(StatementCosts, PlansMadeForAnEmptyQueueAreGoodForAFullOne) {
    // A prepared statement keeps its plan from the sixth execution on.
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(asked({ann_, bob_}, 1).size(), 2U);
        EXPECT_EQ(work_on(10), 2U);
    }
    fill(5000, "0 s");
    const auto before = reads_so_far();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(work_on(100), 100U);
    EXPECT_EQ(asked({ann_, bob_}, 100000).size(), 2U);
    EXPECT_EQ(reads_so_far().in_sequence - before.in_sequence, 0);
}

// An entry of the index that an open snapshot may still need is read by every scan that passes it.
TEST_F(StatementCosts, AClaimDoesNotReadJobsOfLowerTurnsWhileAnOldSnapshotIsOpen) {
    constexpr std::int64_t worked_on = 400;
    for (int i = 0; i < 10; ++i) {  // From the sixth time on a prepared statement keeps its plan.
        EXPECT_EQ(asked({ann_, bob_}, 1).size(), 2U);
        EXPECT_EQ(work_on(10), 2U);
    }
    fill(worked_on + 40, "0 s");
    auto dump = open_transaction("SELECT count(*) FROM job");
    std::int64_t last_turn = 0;
    for (int done = 0; done < worked_on; done += 100) {
        const auto held = claimed(100);
        ASSERT_EQ(held.size(), 100U);
        last_turn = held.back().turn;
        end_all(held, failure_);
    }
    const auto first = reads_so_far().ready;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(claimed(1).size(), 1U);
    const auto second = reads_so_far().ready;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(claimed(1, last_turn).size(), 1U);
    const auto third = reads_so_far().ready;
    EXPECT_GE(second - first, 10 * worked_on) << "cost of an unbounded claim";
    EXPECT_LE(third - second, 10 * 50) << "jobs claimed since, and this one";
    end_transaction(dump);
}

TEST_F(StatementCosts, TheQueueIsCountedUpToABoundAndEstimatedBeyond) {
    EXPECT_EQ(asked({ann_, bob_}, 1).size(), 2U);
    EXPECT_EQ(claimed(1).size(), 1U);
    fill(30, "-1 minute");
    fill(20, "1 day");
    const auto short_queue = run(store_.look_at_queue(soon()));
    EXPECT_EQ(short_queue.pending, 51);
    EXPECT_EQ(short_queue.due, 31);
    EXPECT_EQ(short_queue.processing, 1);
    EXPECT_GE(short_queue.oldest_due, seconds_f{60.0});

    fill(3 * queue_counted_max, "-1 hour");
    run(pool().run(soon(), analyze_query));
    const auto before = reads_so_far().rows;
    const auto long_queue = run(store_.look_at_queue(soon()));
    EXPECT_LE(reads_so_far().rows - before, 2 * queue_counted_max + 100);
    EXPECT_EQ(long_queue.due, queue_counted_max);
    EXPECT_EQ(long_queue.processing, 1);
    EXPECT_NEAR(
        static_cast<double>(long_queue.pending), 3.0 * queue_counted_max, 0.1 * queue_counted_max);
}

}  // namespace
}  // namespace reelsd::jobs
