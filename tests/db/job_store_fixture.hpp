#pragma once

#include "support/test_database.hpp"
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::jobs {

inline constexpr const char* link = "https://www.instagram.com/reel/DYa0IXPgnP5/";

inline constexpr db::query analyze_query{"test.analyze", "ANALYZE job"};
/// Makes what this session has read visible in the statistics.
inline constexpr db::query flush_reads_query{
    "test.flush_reads", "SELECT pg_stat_force_next_flush()"};

/// Two accounts and a queue.
class job_store_test : public test::database_test {
protected:
    void SetUp() override {
        basic_database_test::SetUp();
        accounts::account_store accounts{pool()};
        ann_ = run(accounts.create("ann@example.com", accounts::role::member, soon())).value();
        bob_ = run(accounts.create("bob@example.com", accounts::role::member, soon())).value();
    }

    [[nodiscard]] job_id submitted(account_id by) {
        const auto decision = run(store_.submit(by, {.url = link}, generous_, soon()));
        EXPECT_EQ(decision.decided, submission_result::outcome::accepted);
        return decision.job;
    }
    [[nodiscard]] std::vector<claimed_job> claimed(int most, std::int64_t from_turn = 0) {
        const claim_request request{
            .worker = "w",
            .jobs_max = most,
            .lease = std::chrono::seconds{60},
            .from_turn = from_turn};
        return run(queue_.claim(request, soon()));
    }
    std::vector<job_id> rescued(std::vector<lease> held, std::string exhausted_text = "x") {
        const rescue_request request{
            .held = std::move(held),
            .attempts_max = 3,
            .exhausted_text = exhausted_text,
            .line_host = "www.instagram.com"};
        return run(queue_.rescue(request, soon()));
    }
    [[nodiscard]] job read(account_id owner, job_id id) {
        return run(store_.find(owner, id, soon())).value();
    }
    [[nodiscard]] static lease lease_of(const claimed_job& job) { return {job.id, job.claim}; }

    job_store store_{pool()};
    queue_store queue_{pool()};
    account_id ann_;
    account_id bob_;
    default_limits generous_{.submissions_per_minute = 1000, .concurrent_jobs = 1000};
};

}  // namespace reelsd::jobs
