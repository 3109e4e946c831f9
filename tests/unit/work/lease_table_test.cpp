#include <reelsd/work/engine/lease_table.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;

constexpr jobs::lease first{{1}, 1};
constexpr jobs::lease second{{2}, 5};
constexpr lease_table::time_point start{};

TEST(LeaseTable, IsSafeForFourFifthsOfTheLease) {
    lease_table leases{10s};
    leases.add(first, start);
    EXPECT_TRUE(leases.is_lease_safe(first.job, start + 7999ms));
    EXPECT_FALSE(leases.is_lease_safe(first.job, start + 8s));
    EXPECT_FALSE(leases.is_lease_safe(second.job, start));
}

TEST(LeaseTable, ReportsOnlyExpiredLeases) {
    lease_table leases{10s};
    leases.add(first, start);
    leases.add(second, start + 1s);
    EXPECT_TRUE(leases.expired(start + 7s).empty());
    EXPECT_EQ(leases.expired(start + 8s), std::vector{first.job});
    EXPECT_EQ(leases.expired(start + 9s), (std::vector{first.job, second.job}));
}

TEST(LeaseTable, CountsARenewedLeaseFromWhenTheRenewalWasSent) {
    lease_table leases{10s};
    leases.add(first, start);
    const auto lost =
        leases.apply_renewal({first}, {.renewed = {first}, .skipped = {}}, start + 3s);
    EXPECT_TRUE(lost.empty());
    EXPECT_TRUE(leases.is_lease_safe(first.job, start + 10s));
    EXPECT_FALSE(leases.is_lease_safe(first.job, start + 11s));
}

TEST(LeaseTable, KeepsASkippedLeaseAsItWas) {
    lease_table leases{10s};
    leases.add(first, start);
    const auto lost =
        leases.apply_renewal({first}, {.renewed = {}, .skipped = {first}}, start + 3s);
    EXPECT_TRUE(lost.empty());
    EXPECT_FALSE(leases.is_lease_safe(first.job, start + 8s));
}

TEST(LeaseTable, ReportsALeaseThatIsInNeitherListAsLost) {
    lease_table leases{10s};
    leases.add(first, start);
    leases.add(second, start);
    const auto lost =
        leases.apply_renewal({first, second}, {.renewed = {second}, .skipped = {}}, start + 3s);
    EXPECT_EQ(lost, std::vector{first.job});
}

// Goal: a late answer changes nothing for a later claim. Method: the renewal is sent for claim 1;
// before its answer comes, the job is reported and claimed again as claim 2.
TEST(LeaseTable, IgnoresALateAnswerForALaterClaim) {
    constexpr jobs::lease again{{1}, 2};
    lease_table leases{10s};
    leases.add(first, start);
    leases.remove(first.job);
    leases.add(again, start + 1s);
    EXPECT_TRUE(leases.apply_renewal({first}, {}, start + 3s).empty());
    const auto lost =
        leases.apply_renewal({first}, {.renewed = {first}, .skipped = {}}, start + 5s);
    EXPECT_TRUE(lost.empty());
    EXPECT_FALSE(leases.is_lease_safe(again.job, start + 9s));
    EXPECT_FALSE(leases.contains(first));
    EXPECT_TRUE(leases.contains(again));
}

TEST(LeaseTable, ForgetsARemovedLease) {
    lease_table leases{10s};
    leases.add(first, start);
    leases.add(second, start);
    leases.remove(first.job);
    EXPECT_EQ(leases.leases(), std::vector{second});
    EXPECT_EQ(leases.expired(start + 1min), std::vector{second.job});
    EXPECT_TRUE(leases.apply_renewal({first}, {}, start).empty());
}

TEST(LeaseTable, ChecksAtLeastOnceASecond) {
    EXPECT_EQ(lease_table{10s}.check_interval(), 500ms);
    EXPECT_EQ(lease_table{60s}.check_interval(), 1s);
    EXPECT_EQ(lease_table{60s}.renew_interval(), 15s);
}

}  // namespace
}  // namespace reelsd::work
