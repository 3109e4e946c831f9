// Goal: concurrent calls for one key run once. Method: real threads that wait for a common start;
// also run under ThreadSanitizer.
#include "platform/single_flight.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>
#include <vector>

namespace reelsd::platform {
namespace {

using namespace std::chrono_literals;

constexpr auto share = [](int /*value*/) { return true; };

deadline patience() {
    return deadline::after(60s);
}

class SingleFlight : public ::testing::Test {
protected:
    /// A thread that runs the call for "key" until the start.
    std::future<std::optional<int>> lead(int value, bool is_shared = true) {
        std::promise<void> started;
        auto is_started = started.get_future();
        auto leader = std::async(std::launch::async, [this, value, is_shared, &started] {
            return flights_.run(
                "key",
                patience(),
                {},
                [&] {
                    ++calls_;
                    started.set_value();
                    gate_.get_future().wait();
                    if (value < 0) throw std::runtime_error{"crashed"};
                    return value;
                },
                [is_shared](int /*value*/) { return is_shared; });
        });
        is_started.wait();
        return leader;
    }

    std::optional<int> join(int value, deadline by = patience(), std::stop_token stop = {}) {
        return flights_.run(
            "key",
            by,
            stop,
            [&] {
                ++calls_;
                return value;
            },
            share);
    }

    single_flight<int> flights_;
    std::promise<void> gate_;
    std::atomic<int> calls_{0};
};

TEST_F(SingleFlight, SharesTheResultOfOneThread) {
    auto leader = lead(7);
    std::vector<std::future<std::optional<int>>> others;
    for (int i = 0; i < 8; ++i) {
        others.push_back(std::async(std::launch::async, [this] { return join(8); }));
    }
    // Another key does not wait.
    const auto call = [] { return 9; };
    EXPECT_EQ(flights_.run("other", patience(), {}, call, share), 9);
    EXPECT_EQ(calls_, 1);
    gate_.set_value();
    EXPECT_EQ(leader.get(), 7);
    // A thread that comes later makes its own call.
    for (auto& other : others) {
        const auto got = other.get();
        EXPECT_TRUE(got == 7 || got == 8);
    }
}

TEST_F(SingleFlight, EndsWithItsResult) {
    EXPECT_EQ(join(1), 1);
    EXPECT_EQ(join(2), 2);
    EXPECT_EQ(calls_, 2);
}

TEST_F(SingleFlight, GivesUpWaiting) {
    auto leader = lead(7);
    EXPECT_EQ(join(8, deadline::after(0s)), std::nullopt);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(join(8, patience(), stop.get_token()), std::nullopt);
    EXPECT_EQ(calls_, 1);
    gate_.set_value();
    EXPECT_EQ(leader.get(), 7);
}

TEST_F(SingleFlight, TriesAgainWhenTheFirstCallFails) {
    for (const int value : {-1, 7}) {
        SCOPED_TRACE(value);
        gate_ = {};
        calls_ = 0;
        auto leader = lead(value, false);
        auto other = std::async(std::launch::async, [this] { return join(8); });
        gate_.set_value();
        EXPECT_EQ(other.get(), 8);
        EXPECT_EQ(calls_, 2);
        if (value < 0) {
            EXPECT_THROW(leader.get(), std::runtime_error);
        } else {
            EXPECT_EQ(leader.get(), value);
        }
    }
}

}  // namespace
}  // namespace reelsd::platform
