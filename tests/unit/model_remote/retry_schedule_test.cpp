// Goal: each kind of failure has its number of tries, no retry is earlier than the server says, and
// no worker waits longer than a minute.
#include "call_failure.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace reelsd::model {
namespace {

constexpr double jitters[] = {0.0, 0.5, 1.0};

/// The number of tries if each fails in this way.
int tries_of(const call_failure& why) {
    int tries = 1;
    while (tries < 100 && std::holds_alternative<try_again>(after_failed_try(why, tries, 0.5)))
        ++tries;
    return tries;
}

TEST(RetrySchedule, EachFailureHasItsNumberOfTries) {
    struct test_case {
        failure_kind kind;
        int tries;
    };
    constexpr test_case cases[] = {
        // Busy: waiting helps.
        {failure_kind::rate_limited, 5},
        {failure_kind::overloaded, 5},
        {failure_kind::file_not_ready, 5},
        {failure_kind::transient, 3},
        // Each may have taken minutes, and may have been billed.
        {failure_kind::slow, 2},
        // The same request would fail again.
        {failure_kind::misconfigured, 1},
        {failure_kind::unauthorized, 1},
        {failure_kind::video_rejected, 1},
        {failure_kind::payload_too_large, 1},
        {failure_kind::schema_refused, 1},
        {failure_kind::thinking_refused, 1},
        {failure_kind::context_exceeded, 1},
        {failure_kind::request_too_large, 1},
        {failure_kind::input_flagged, 1},
        {failure_kind::file_gone, 1},
        {failure_kind::no_calls_left, 1},
        {failure_kind::budget_spent, 1},
        {failure_kind::storage, 1},
        {failure_kind::media_child, 1},
        {failure_kind::no_database, 1},
        {failure_kind::cancelled, 1},
    };
    for (const auto& expected : cases) {
        const call_failure why{.kind = expected.kind};
        EXPECT_EQ(tries_of(why), expected.tries) << name_of(expected.kind);
        EXPECT_TRUE(std::holds_alternative<give_up>(after_failed_try(why, expected.tries, 0.5)))
            << name_of(expected.kind);
    }
}

// Goal: an outage of a second does not use up a job's paid calls.
TEST(RetrySchedule, RequestsThatMayBeBilledAreTriedTwice) {
    for (const auto kind : {failure_kind::transient, failure_kind::slow}) {
        EXPECT_EQ(tries_of({.kind = kind, .may_be_billed = true}), 2) << name_of(kind);
    }
    EXPECT_EQ(tries_of({.kind = failure_kind::video_rejected, .may_be_billed = true}), 1);
}

TEST(RetrySchedule, PausesDoubleAndVary) {
    struct test_case {
        int tries;
        double longest;
    };
    constexpr test_case cases[] = {{1, 1}, {2, 2}, {3, 4}, {4, 8}};
    for (const auto& expected : cases) {
        for (const double jitter : jitters) {
            const auto next =
                after_failed_try({.kind = failure_kind::overloaded}, expected.tries, jitter);
            ASSERT_TRUE(std::holds_alternative<try_again>(next));
            EXPECT_DOUBLE_EQ(
                std::get<try_again>(next).pause.count(), expected.longest * (0.5 + 0.5 * jitter));
        }
    }
}

TEST(RetrySchedule, TheServersDelayReplacesOurs) {
    for (const double seconds : {0.0, 0.9, 31.0, 60.0}) {
        for (const double jitter : jitters) {
            const auto next = after_failed_try(
                {.kind = failure_kind::rate_limited, .server_delay = seconds_f{seconds}},
                3,
                jitter);
            ASSERT_TRUE(std::holds_alternative<try_again>(next)) << seconds;
            // Never earlier than the server says, and not all workers at once.
            EXPECT_DOUBLE_EQ(
                std::get<try_again>(next).pause.count(),
                std::max(seconds, 0.25) * (1 + 0.25 * jitter));
        }
    }
}

TEST(RetrySchedule, ALongDelayReturnsTheJob) {
    for (const double seconds : {60.1, 300.0, 86'400.0}) {
        // After any number of tries.
        for (const int tries : {1, 5}) {
            const auto next = after_failed_try(
                {.kind = failure_kind::rate_limited, .server_delay = seconds_f{seconds}}, tries, 1);
            ASSERT_TRUE(std::holds_alternative<snooze>(next)) << seconds;
            EXPECT_EQ(std::get<snooze>(next).wait.count(), seconds);
        }
    }
}

TEST(RetrySchedule, AnExhaustedQuotaReturnsTheJob) {
    const auto next = after_failed_try(
        {.kind = failure_kind::quota_exhausted, .server_delay = seconds_f{20'000}}, 1, 0.5);
    ASSERT_TRUE(std::holds_alternative<snooze>(next));
    EXPECT_EQ(std::get<snooze>(next).wait.count(), 20'000);
}

TEST(RetrySchedule, AServerMaySayWhetherToRetry) {
    EXPECT_EQ(tries_of({.kind = failure_kind::overloaded, .should_retry = false}), 1);
    EXPECT_EQ(tries_of({.kind = failure_kind::overloaded, .should_retry = true}), 5);
    // The server may know that a fault is transient; the tries remain bounded.
    EXPECT_EQ(tries_of({.kind = failure_kind::misconfigured, .should_retry = true}), 3);
    EXPECT_EQ(tries_of({.kind = failure_kind::slow, .should_retry = true}), 3);
}

TEST(RetrySchedule, ADelayDoesNotCauseARetry) {
    const auto next = after_failed_try(
        {.kind = failure_kind::video_rejected, .server_delay = seconds_f{400}}, 1, 0.5);
    EXPECT_TRUE(std::holds_alternative<give_up>(next));
}

}  // namespace
}  // namespace reelsd::model
