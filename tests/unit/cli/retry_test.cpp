#include "cli/retry.hpp"

#include <gtest/gtest.h>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

// Goal: what is repeated, when, and when no more. Method: pure function, table.
TEST(DelayBeforeNext, FollowsTheSpecification) {
    struct test_case {
        const char* name;
        int attempts_made;
        attempt_outcome outcome;
        std::optional<std::chrono::seconds> delay;
    };
    const test_case cases[] = {
        {"no answer", 1, {}, 1s},
        {"the delay doubles", 2, {}, 2s},
        {"three attempts are all", 3, {}, std::nullopt},
        {"too many requests", 1, {.status = 429, .retry_after = {}}, 1s},
        {"server error", 1, {.status = 500, .retry_after = {}}, 1s},
        {"bad gateway", 1, {.status = 502, .retry_after = {}}, 1s},
        {"unavailable", 1, {.status = 503, .retry_after = {}}, 1s},
        {"not implemented stays so", 1, {.status = 501, .retry_after = {}}, std::nullopt},
        {"a success stands", 1, {.status = 200, .retry_after = {}}, std::nullopt},
        {"a bad request stands", 1, {.status = 400, .retry_after = {}}, std::nullopt},
        {"a bad token stands", 1, {.status = 401, .retry_after = {}}, std::nullopt},
        {"the server's longer wish wins", 1, {.status = 429, .retry_after = 6s}, 6s},
        {"our longer delay wins", 2, {.status = 503, .retry_after = 1s}, 2s},
        {"at the bound", 1, {.status = 429, .retry_after = 60s}, 60s},
        {"past the bound", 1, {.status = 429, .retry_after = 61s}, std::nullopt},
        {"a wish on the last attempt", 3, {.status = 429, .retry_after = 1s}, std::nullopt},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(delay_before_next({}, expected.attempts_made, expected.outcome), expected.delay);
    }
}

TEST(DelayBeforeNext, NeverGrowsPastItsBound) {
    const retry_policy patient{.attempts_max = 1000, .first_delay = 1s, .delay_max = 60s};
    EXPECT_EQ(delay_before_next(patient, 6, {}), 32s);
    EXPECT_EQ(delay_before_next(patient, 7, {}), std::nullopt);
    EXPECT_EQ(delay_before_next(patient, 999, {}), std::nullopt);
}

}  // namespace
}  // namespace reelsd::cli
