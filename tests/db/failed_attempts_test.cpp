#include "job_store_fixture.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/domain/jobs/operations_store.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

// Goal: a job's row records the cause of each counted attempt without a result, and no others.
// Method: real statements; the history is read as for administrators.
namespace reelsd::jobs {
namespace {

using namespace std::chrono_literals;

constexpr db::query expire_query{"test.expire", R"sql(
    UPDATE job SET lease_until = now() - interval '1 second', step = 'analyze'
     WHERE status = 'processing')sql"};
constexpr db::query history_query{"test.history", R"sql(
    SELECT jsonb_array_length(failed_attempts) AS kept,
           (failed_attempts->0->>'attempt')::integer AS first, failed_attempts::text AS text
      FROM job WHERE id = $1)sql"};

class FailedAttempts : public job_store_test {
protected:
    void end(const transition& ended) {
        ASSERT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), ended, soon())));
    }
    [[nodiscard]] std::vector<std::string> stored_attempts() {
        std::vector<std::string> texts;
        const auto failures = run(operations_.failures(1, soon()));
        for (const auto& attempt : failures.recent.at(0).attempts) {
            EXPECT_THAT(attempt.at, ::testing::MatchesRegex("20..-..-..T..:..:..Z"));
            texts.push_back(
                std::to_string(attempt.number) + " " + attempt.worker + " " + attempt.cause + " " +
                attempt.step + " " + attempt.detail);
        }
        return texts;
    }

    operations_store operations_{pool()};
};

TEST_F(FailedAttempts, AreStoredWithTheirCauses) {
    static_cast<void>(submitted(ann_));
    end(retried{0s, {errc::timed_out, "download", "no end: \"é\", {}"}});
    static_cast<void>(claimed(1));
    run(pool().run(soon(), expire_query));
    EXPECT_TRUE(rescued({}).empty());
    end(failed{job_error_code::internal, "Internal error.", {errc::internal, "assemble", "x"}});
    EXPECT_THAT(
        stored_attempts(),
        ::testing::ElementsAre(
            "1 w timed_out download no end: \"é\", {}",
            "2 w lease_expired analyze ",
            "3 w internal assemble x"));
}

TEST_F(FailedAttempts, IncludeAWorkerThatDied) {
    static_cast<void>(submitted(ann_));
    for (int attempt = 1; attempt <= 3; ++attempt) {
        ASSERT_EQ(claimed(1).size(), 1U);
        run(pool().run(soon(), expire_query));
        EXPECT_EQ(rescued({}).size(), attempt == 3 ? 1U : 0U);
    }
    EXPECT_THAT(stored_attempts(), ::testing::SizeIs(3));
}

TEST_F(FailedAttempts, ExcludeReleasesSnoozesAndSuccesses) {
    const auto id = submitted(ann_);
    end(released{});
    end(snoozed{0s});
    end(snoozed{.delay = 0s, .is_cooldown = true});
    end(completed{.result = "{}"});
    const auto history = run(pool().run(soon(), history_query, id));
    EXPECT_EQ(history.one().as<std::string>("text"), "[]");
}

TEST_F(FailedAttempts, DropTheOldestBeyondTheLimit) {
    const auto id = submitted(ann_);
    const std::string longest(bounds::attempt_detail_bytes_max, 'x');
    for (int attempt = 0; attempt <= bounds::failed_attempts_max; ++attempt) {
        end(retried{0s, {errc::platform_rate_limited, "resolve", longest}});
    }
    const auto history = run(pool().run(soon(), history_query, id));
    const auto row = history.one();
    EXPECT_EQ(row.as<std::int32_t>("kept"), bounds::failed_attempts_max);
    EXPECT_EQ(row.as<std::int32_t>("first"), 2);
    EXPECT_LE(row.as<std::string>("text").size(), 16'384U);
}

}  // namespace
}  // namespace reelsd::jobs
