#include "dashboard/sign_in_throttle.hpp"

#include <gtest/gtest.h>

#include <string>

// Goal: guessing is slow, and users with the right password are not affected. Method: a manual
// clock.
namespace reelsd::dashboard {
namespace {

using namespace std::chrono_literals;

struct SignInThrottle : ::testing::Test {
    /// How many of `attempts` are allowed now.
    int accepted(int attempts, const std::string& email, const std::string& remote) {
        int count = 0;
        for (int i = 0; i < attempts; ++i)
            count += throttle.take({.email = email, .remote = remote}, now) == 0 ? 1 : 0;
        return count;
    }

    sign_in_throttle throttle;
    sign_in_throttle::time_point now{1h};
};

TEST_F(SignInThrottle, AllowsABurstOfGuessesThenOneAMinute) {
    EXPECT_EQ(accepted(20, "ann@example.com", "10.0.0.1"), 8);
    EXPECT_EQ(throttle.take({.email = "ann@example.com", .remote = "10.0.0.1"}, now), 60);
    now += 59s;
    EXPECT_EQ(throttle.take({.email = "Ann@Example.com", .remote = "10.0.0.1"}, now), 1)
        << "letter case does not matter";
    now += 1s;
    EXPECT_EQ(accepted(5, "ann@example.com", "10.0.0.1"), 1);
}

TEST_F(SignInThrottle, DoesNotCountSuccessfulSignIns) {
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(throttle.take({.email = "ann@example.com", .remote = "10.0.0.1"}, now), 0) << i;
        throttle.give_back({.email = "ann@example.com", .remote = "10.0.0.1"});
    }
}

TEST_F(SignInThrottle, DoesNotCountAbandonedAttempts) {
    for (int count = 0; count < 30; ++count) {
        ASSERT_EQ(throttle.take({.email = "ann@x", .remote = "10.0.0.1"}, now), 0);
        const taken_attempt unused{throttle, {.email = "ann@x", .remote = "10.0.0.1"}};
    }
    int used = 0;
    for (; throttle.take({.email = "ann@x", .remote = "10.0.0.1"}, now) == 0; ++used) {
        taken_attempt attempt{throttle, {.email = "ann@x", .remote = "10.0.0.1"}};
        attempt.use();
    }
    EXPECT_EQ(used, 8);
}

TEST_F(SignInThrottle, GuessesFromOtherNetworksDoNotLockOutTheOwner) {
    EXPECT_EQ(accepted(50, "ann@example.com", "10.0.0.1"), 8);
    EXPECT_EQ(throttle.take({.email = "ann@example.com", .remote = "10.0.0.2"}, now), 0);
}

TEST_F(SignInThrottle, LimitsANetworkOverAllAccounts) {
    int count = 0;
    for (int i = 0; i < 100; ++i) {
        const auto email = std::to_string(i) + "@example.com";
        const auto remote = "2001:db8:1:2::" + std::to_string(i);
        count += throttle.take({.email = email, .remote = remote}, now) == 0 ? 1 : 0;
    }
    EXPECT_EQ(count, 40) << "a /64 counts as one address";
    EXPECT_EQ(throttle.take({.email = "x@example.com", .remote = "2001:db8:1:3::1"}, now), 0);
}

TEST_F(SignInThrottle, TreatsEveryNotationOfANetworkAsOne) {
    const std::string email = "ann@example.com";
    EXPECT_EQ(accepted(8, email, "2001:db8::a:b:c:d"), 8);
    EXPECT_EQ(accepted(1, email, "2001:db8:0:0:1:2:3:4"), 0);
    EXPECT_EQ(accepted(1, email, "2001:db8::1"), 0);
    EXPECT_EQ(accepted(1, email, "2001:db8:0:1::1"), 1) << "the next network";
}

TEST_F(SignInThrottle, ADistributedAttackDoesNotLockOutAKnownBrowser) {
    const std::string email = "ann@example.com";
    for (int i = 0; i < 200; ++i) accepted(1, email, "10.0.1." + std::to_string(i));
    EXPECT_GT(throttle.take({.email = email, .remote = "10.0.0.1"}, now), 0);
    const guess known{.email = email, .remote = "10.0.0.1", .device = "proof"};
    for (int i = 0; i < 8; ++i) EXPECT_EQ(throttle.take(known, now), 0) << i;
    EXPECT_EQ(throttle.take(known, now), 60) << "it has the same limit";
    throttle.give_back(known);
    EXPECT_EQ(throttle.take(known, now), 0);
}

TEST_F(SignInThrottle, AFloodOfAddressesEvictsOnlyTheOldest) {
    const auto guess_at = [this](int account, int attempts) {
        const auto number = std::to_string(account);
        return accepted(attempts, "ann" + number + "@example.com", "10.0.0." + number);
    };
    now += 1min;
    int accounts = 0;
    int unexpected = 0;
    for (int i = 0; i < 20'000; ++i) {
        now += 1ms;
        const auto network = std::to_string(i / 1000) + ":" + std::to_string(i % 1000);
        accepted(1, std::to_string(i) + "@example.com", "2001:db8:" + network + "::");
        if (i % 500 != 0) continue;
        // New buckets are distributed over the whole table.
        for (int known = 0; known < accounts; ++known) unexpected += guess_at(known, 1);
        EXPECT_EQ(guess_at(accounts++, 9), 8);
    }
    EXPECT_LE(throttle.size(), 30'003U);
    EXPECT_EQ(unexpected, 0) << "later attempts are still counted";
}

TEST_F(SignInThrottle, LimitsAnAccountOverAllNetworks) {
    int count = 0;
    for (int i = 0; i < 200; ++i) {
        count += accepted(1, "ann@example.com", "10.0.1." + std::to_string(i));
    }
    EXPECT_EQ(count, 100);
}

TEST_F(SignInThrottle, RemovesRefilledBuckets) {
    for (int i = 0; i < 30; ++i) {
        accepted(1, std::to_string(i) + "@example.com", "10.0.2." + std::to_string(i));
    }
    EXPECT_EQ(throttle.size(), 90U);
    now += 2min;
    accepted(1, "ann@example.com", "10.0.0.1");
    EXPECT_EQ(throttle.size(), 3U);
}

TEST_F(SignInThrottle, DoesNotRefillWhileTheClockStandsStill) {
    accepted(8, "ann@example.com", "10.0.0.1");
    EXPECT_GT(throttle.take({.email = "ann@example.com", .remote = "10.0.0.1"}, now - 1h), 0);
}

}  // namespace
}  // namespace reelsd::dashboard
