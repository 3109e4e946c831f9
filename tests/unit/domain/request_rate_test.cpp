#include <reelsd/domain/accounts/request_rate.hpp>

#include <gtest/gtest.h>

namespace reelsd::accounts {
namespace {

using namespace std::chrono_literals;

constexpr account_id alice{1};
constexpr account_id bob{2};

TEST(RequestRate, AllowsABurstOfTheLimitAndThenRefills) {
    request_rate rate;
    const request_rate::time_point start{1000s};
    for (int i = 0; i < 60; ++i) EXPECT_EQ(rate.take(alice, 60, start), 0) << i;
    EXPECT_EQ(rate.take(alice, 60, start), 1);
    EXPECT_EQ(rate.take(bob, 60, start), 0);
    EXPECT_EQ(rate.take(alice, 60, start + 999ms), 1);
    EXPECT_EQ(rate.take(alice, 60, start + 1001ms), 0);
    EXPECT_EQ(rate.take(alice, 60, start + 1002ms), 1);
}

TEST(RequestRate, ReportsTheWaitForASlowBucket) {
    request_rate rate;
    const request_rate::time_point start{1000s};
    EXPECT_EQ(rate.take(alice, 1, start), 0);
    EXPECT_EQ(rate.take(alice, 1, start), 60);
    EXPECT_EQ(rate.take(alice, 1, start + 45s), 15);
    EXPECT_EQ(rate.take(alice, 1, start + 60s), 0);
}

TEST(RequestRate, ForgetsIdleAccounts) {
    request_rate rate;
    const request_rate::time_point start{1000s};
    for (std::int64_t id = 1; id <= 1000; ++id) {
        EXPECT_EQ(rate.take(account_id{id}, 600, start), 0);
    }
    EXPECT_EQ(rate.take(alice, 600, start + 61s), 0);
    EXPECT_EQ(rate.size(), 1U);
}

}  // namespace
}  // namespace reelsd::accounts
