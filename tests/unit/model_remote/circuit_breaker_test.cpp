// Goal: a provider that does not answer gets no requests, for longer each time, and is probed by
// one request. Times are synthetic: nothing waits.
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
    EXPECT_EQ(wait_of(circuit, begin), std::nullopt) << "all requests are admitted";
    EXPECT_EQ(circuit.remaining(begin).count(), 0);
    EXPECT_FALSE(circuit.has_succeeded());
}

TEST(CircuitBreaker, PeekingStartsNoProbe) {
    circuit_breaker circuit;
    EXPECT_FALSE(circuit.peek(begin));
    fail(circuit, 5, begin);
    EXPECT_EQ(circuit.peek(begin).value().wait, 10s);
    EXPECT_FALSE(circuit.peek(begin + 10s)) << "a probe may start";
    EXPECT_FALSE(circuit.peek(begin + 10s)) << "peeking does not start it";
    EXPECT_EQ(wait_of(circuit, begin + 10s), std::nullopt);
    EXPECT_EQ(circuit.peek(begin + 10s).value().wait, 2s) << "during the probe";
}

TEST(CircuitBreaker, OpensAfterFiveFailuresInARow) {
    circuit_breaker circuit;
    fail(circuit, 4, begin);
    EXPECT_EQ(wait_of(circuit, begin), std::nullopt);
    circuit.succeeded();
    fail(circuit, 4, begin);
    EXPECT_EQ(wait_of(circuit, begin), std::nullopt) << "an answer resets the count";
    circuit.failed(begin);
    EXPECT_EQ(wait_of(circuit, begin), seconds_f{10});
    EXPECT_EQ(wait_of(circuit, begin + 4s), seconds_f{6});
    EXPECT_EQ(circuit.remaining(begin + 4s), seconds_f{6});
}

TEST(CircuitBreaker, OneRequestProbesForAll) {
    circuit_breaker circuit;
    fail(circuit, 5, begin);
    EXPECT_EQ(wait_of(circuit, begin + 10s), std::nullopt) << "the probe";
    EXPECT_EQ(wait_of(circuit, begin + 10s), seconds_f{2}) << "others wait for the probe";
    circuit.succeeded();
    EXPECT_EQ(wait_of(circuit, begin + 11s), std::nullopt);
    EXPECT_EQ(wait_of(circuit, begin + 11s), std::nullopt);
    EXPECT_TRUE(circuit.has_succeeded());
    // The count and the waits start again.
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

TEST(CircuitBreaker, EarlierRequestsDoNotExtendIt) {
    circuit_breaker circuit;
    fail(circuit, 5, begin);
    fail(circuit, 10, begin + 1s);
    EXPECT_EQ(wait_of(circuit, begin + 1s), seconds_f{9});
    circuit.misconfigured(begin + 2s);
    EXPECT_EQ(wait_of(circuit, begin + 2s), seconds_f{8});
}

TEST(CircuitBreaker, AWrongKeyOpensItAtOnceForAShortTime) {
    circuit_breaker circuit;
    auto now = begin;
    for (const double wait : {5, 10, 20, 40, 60, 60}) {
        ASSERT_EQ(wait_of(circuit, now), std::nullopt);
        circuit.misconfigured(now);
        EXPECT_EQ(wait_of(circuit, now), seconds_f{wait}) << "the operator repairs it";
        now += std::chrono::duration_cast<circuit_breaker::clock::duration>(seconds_f{wait});
    }
}

TEST(CircuitBreaker, AnAbandonedProbeAdmitsTheNextOne) {
    circuit_breaker circuit;
    fail(circuit, 5, begin);
    ASSERT_EQ(wait_of(circuit, begin + 10s), std::nullopt);
    circuit.abandoned();
    EXPECT_EQ(wait_of(circuit, begin + 10s), std::nullopt);
    EXPECT_EQ(wait_of(circuit, begin + 10s), seconds_f{2});
}

TEST(CircuitBreaker, AProvidersOwnDelayAppliesToAll) {
    circuit_breaker circuit;
    circuit.open_for(600s, begin);
    EXPECT_EQ(wait_of(circuit, begin + 100s), seconds_f{500});
    circuit.open_for(10s, begin + 100s);
    EXPECT_EQ(wait_of(circuit, begin + 100s), seconds_f{500}) << "it is not shortened";
    EXPECT_EQ(wait_of(circuit, begin + 600s), std::nullopt);
    EXPECT_EQ(circuit.remaining(begin + 700s).count(), 0);
}

// A probe may succeed; requests with a wrong key fail alike.
TEST(CircuitBreaker, ReportsAMisconfiguration) {
    circuit_breaker circuit;
    circuit.misconfigured(begin);
    EXPECT_TRUE(circuit.admit(begin + 1s)->is_misconfigured);
    ASSERT_FALSE(circuit.admit(begin + 5s));
    EXPECT_FALSE(circuit.admit(begin + 5s)->is_misconfigured) << "during a probe";
    circuit.open_for(seconds_f{60}, begin + 6s);
    EXPECT_FALSE(circuit.admit(begin + 7s)->is_misconfigured);
}

TEST(CircuitBreaker, ReportsALoneFailure) {
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
