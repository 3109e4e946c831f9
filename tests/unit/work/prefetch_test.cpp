#include <reelsd/work/engine/claim_planning.hpp>

#include <gtest/gtest.h>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;

class Prefetch : public ::testing::Test {
protected:
    Prefetch() { claim(2ms, 0, 1ms); }

    /// One claim, and the attempts that end during it.
    void claim(
        monotonic_clock::duration took, int attempts, monotonic_clock::duration each,
        std::size_t starved = 0) {
        ahead_.note_claim();
        for (int i = 0; i < attempts; ++i) ahead_.note_attempt(each);
        ahead_.note_claim_answer(took, starved);
    }

    prefetch ahead_;
};

TEST_F(Prefetch, InitiallyOnlyIdleWorkersGetJobs) {
    EXPECT_EQ(ahead_.most(), 0U);
    EXPECT_EQ(ahead_.to_claim(3, 0), 3U);
    EXPECT_EQ(ahead_.to_claim(0, 0), 0U);
}

TEST_F(Prefetch, AsManyAsEndedDuringTheLastClaim) {
    claim(2ms, 7, 1ms);
    EXPECT_EQ(ahead_.most(), 7U);
    EXPECT_EQ(ahead_.to_claim(2, 0), 9U);
}

TEST_F(Prefetch, MoreWhileWorkersWait) {
    claim(2ms, 7, 1ms, 3);
    EXPECT_EQ(ahead_.most(), 10U);
    claim(2ms, 7, 1ms, 16);
    EXPECT_EQ(ahead_.most(), 14U) << "twice as many as have ended";
}

// All workers wait for their first jobs, which may be long.
TEST_F(Prefetch, NoneOnlyBecauseWorkersWait) {
    claim(2ms, 0, 1ms, 16);
    EXPECT_EQ(ahead_.most(), 0U);
}

TEST_F(Prefetch, AtMostOneClaim) {
    claim(2ms, 100, 10us, 100);
    EXPECT_EQ(ahead_.most(), prefetch::jobs_max);
}

// Workers that began together end together: that is no reason to hold jobs ready.
TEST_F(Prefetch, NoneForAttemptsLongerThanAClaim) {
    claim(2ms, 15, 2001us, 15);
    EXPECT_EQ(ahead_.most(), 0U);
}

TEST_F(Prefetch, NoLongAttemptIsShortOnASlowServer) {
    claim(5s, 0, 1ms);
    claim(5s, 15, 51ms);
    EXPECT_EQ(ahead_.most(), 0U);
    claim(5s, 15, 50ms);
    EXPECT_EQ(ahead_.most(), 15U);
}

TEST_F(Prefetch, FadesWhenAttemptsBecomeLonger) {
    claim(2ms, 16, 1ms);
    for (const std::size_t left : {8U, 4U, 2U, 1U, 0U}) {
        claim(2ms, 16, 1s);
        EXPECT_EQ(ahead_.most(), left);
    }
}

TEST_F(Prefetch, NoneAfterALateJob) {
    claim(2ms, 16, 1ms);
    ahead_.note_late();
    EXPECT_EQ(ahead_.to_claim(0, 0), 0U);
    EXPECT_EQ(ahead_.to_claim(1, 0), 1U);
}

TEST_F(Prefetch, JobsToHoldReadyAreClaimedTogether) {
    claim(2ms, 16, 1ms);
    EXPECT_EQ(ahead_.to_claim(0, 16), 0U);
    EXPECT_EQ(ahead_.to_claim(0, 9), 0U);
    EXPECT_EQ(ahead_.to_claim(0, 8), 16U);
    EXPECT_EQ(ahead_.to_claim(0, 0), 16U);
    EXPECT_EQ(ahead_.to_claim(0, 24), 0U);
}

}  // namespace
}  // namespace reelsd::work
