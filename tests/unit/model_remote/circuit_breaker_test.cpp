// Goal: a provider that does not answer is left alone, for longer each time, and found again by one
// question. Times are made up: nothing waits.
#include <reelsd/model/circuit_breaker.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace reelsd::model {
namespace {

using namespace std::chrono_literals;

const circuit_breaker::clock::time_point begin{1000h};

void fail(circuit_breaker& circuit, int times, circuit_breaker::clock::time_point now) {
    for (int i = 0; i < times; ++i) circuit.failed(now);
}

std::optional<seconds_f> wait_of(circuit_breaker& circuit, circuit_breaker::clock::time_point now) {
    const auto closed = circuit.admit(now);
    if (!closed) return std::nullopt;
    return closed->wait;
}

TEST(CircuitBreaker, IsClosedAtFirst) {
    circuit_breaker circuit;
    EXPECT_EQ(wait_of(circuit, begin), std::nullopt);
    EXPECT_EQ(wait_of(circuit, begin), std::nullopt) << "everybody may ask";
    EXPECT_EQ(circuit.remaining(begin).count(), 0);
    EXPECT_FALSE(circuit.has_succeeded());
}

TEST(CircuitBreaker, IsLookedAtWithoutTakingTheProbe) {
    circuit_breaker circuit;
    EXPECT_FALSE(circuit.peek(begin));
    fail(circuit, 5, begin);
    EXPECT_EQ(circuit.peek(begin).value().wait, 10s);
    EXPECT_FALSE(circuit.peek(begin + 10s)) << "one may ask now";
    EXPECT_FALSE(circuit.peek(begin + 10s)) << "and a look does not take its place";
    EXPECT_EQ(wait_of(circuit, begin + 10s), std::nullopt);
    EXPECT_EQ(circuit.peek(begin + 10s).value().wait, 2s) << "while it asks";
}

TEST(CircuitBreaker, OpensAfterFiveFailuresInARow) {
    circuit_breaker circuit;
    fail(circuit, 4, begin);
    EXPECT_EQ(wait_of(circuit, begin), std::nullopt);
    circuit.succeeded();
    fail(circuit, 4, begin);
    EXPECT_EQ(wait_of(circuit, begin), std::nullopt) << "an answer between them counts";
    circuit.failed(begin);
    EXPECT_EQ(wait_of(circuit, begin), seconds_f{10});
    EXPECT_EQ(wait_of(circuit, begin + 4s), seconds_f{6});
    EXPECT_EQ(circuit.remaining(begin + 4s), seconds_f{6});
}

TEST(CircuitBreaker, OneAsksAfterwardsForAll) {
    circuit_breaker circuit;
    fail(circuit, 5, begin);
    EXPECT_EQ(wait_of(circuit, begin + 10s), std::nullopt) << "the one";
    EXPECT_EQ(wait_of(circuit, begin + 10s), seconds_f{2}) << "the others wait for it";
    circuit.succeeded();
    EXPECT_EQ(wait_of(circuit, begin + 11s), std::nullopt);
    EXPECT_EQ(wait_of(circuit, begin + 11s), std::nullopt);
    EXPECT_TRUE(circuit.has_succeeded());
    // And it is as patient as in the beginning.
    fail(circuit, 4, begin + 12s);
    EXPECT_EQ(wait_of(circuit, begin + 12s), std::nullopt);
    circuit.failed(begin + 12s);
    EXPECT_EQ(wait_of(circuit, begin + 12s), seconds_f{10});
}

TEST(CircuitBreaker, StaysOpenForLongerEachTime) {
    circuit_breaker circuit;
    fail(circuit, 5, begin);
    auto now = begin + 10s;
    for (const double wait : {20, 40, 80, 160, 300, 300}) {
        ASSERT_EQ(wait_of(circuit, now), std::nullopt);
        circuit.failed(now);
        EXPECT_EQ(wait_of(circuit, now), seconds_f{wait});
        now += std::chrono::duration_cast<circuit_breaker::clock::duration>(seconds_f{wait});
    }
}

TEST(CircuitBreaker, QuestionsThatWereUnderWayDoNotLengthenIt) {
    circuit_breaker circuit;
    fail(circuit, 5, begin);
    fail(circuit, 10, begin + 1s);
    EXPECT_EQ(wait_of(circuit, begin + 1s), seconds_f{9});
    circuit.misconfigured(begin + 2s);
    EXPECT_EQ(wait_of(circuit, begin + 2s), seconds_f{8});
}

TEST(CircuitBreaker, AWrongKeyOpensItAtOnceButNotForLong) {
    circuit_breaker circuit;
    auto now = begin;
    for (const double wait : {5, 10, 20, 40, 60, 60}) {
        ASSERT_EQ(wait_of(circuit, now), std::nullopt);
        circuit.misconfigured(now);
        EXPECT_EQ(wait_of(circuit, now), seconds_f{wait}) << "somebody mends it";
        now += std::chrono::duration_cast<circuit_breaker::clock::duration>(seconds_f{wait});
    }
}

TEST(CircuitBreaker, AQuestionThatTellsNothingLetsTheNextOneAsk) {
    circuit_breaker circuit;
    fail(circuit, 5, begin);
    ASSERT_EQ(wait_of(circuit, begin + 10s), std::nullopt);
    circuit.abandoned();
    EXPECT_EQ(wait_of(circuit, begin + 10s), std::nullopt);
    EXPECT_EQ(wait_of(circuit, begin + 10s), seconds_f{2});
}

TEST(CircuitBreaker, AProvidersOwnDelayHoldsForAll) {
    circuit_breaker circuit;
    circuit.open_for(600s, begin);
    EXPECT_EQ(wait_of(circuit, begin + 100s), seconds_f{500});
    circuit.open_for(10s, begin + 100s);
    EXPECT_EQ(wait_of(circuit, begin + 100s), seconds_f{500}) << "it is not shortened";
    EXPECT_EQ(wait_of(circuit, begin + 600s), std::nullopt);
    EXPECT_EQ(circuit.remaining(begin + 700s).count(), 0);
}

// Whoever waits for a probe may find good news; behind a wrong key everybody hears the same.
TEST(CircuitBreaker, TellsWhetherAskingWouldFailAlike) {
    circuit_breaker circuit;
    circuit.misconfigured(begin);
    EXPECT_TRUE(circuit.admit(begin + 1s)->is_misconfigured);
    ASSERT_FALSE(circuit.admit(begin + 5s));
    EXPECT_FALSE(circuit.admit(begin + 5s)->is_misconfigured) << "another is finding out";
    circuit.open_for(seconds_f{60}, begin + 6s);
    EXPECT_FALSE(circuit.admit(begin + 7s)->is_misconfigured);
}

TEST(CircuitBreaker, ALoneFailureMayBeOneVideos) {
    circuit_breaker circuit;
    circuit.failed(begin);
    EXPECT_TRUE(circuit.is_lone_failure());
    circuit.failed(begin);
    EXPECT_FALSE(circuit.is_lone_failure());
    circuit.succeeded();
    EXPECT_TRUE(circuit.is_lone_failure());
}

}  // namespace
}  // namespace reelsd::model
