#include "bot/per_chat_throttle.hpp"

#include <gtest/gtest.h>

#include <chrono>

// Goal: each chat gets one message at a time, and none before the requested wait is over. Method: a
// simulated clock.
namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;

constexpr chats::chat_id ann{1};
constexpr chats::chat_id bob{2};

TEST(PerChatThrottle, OneAtATime) {
    per_chat_throttle all;
    const per_chat_throttle::time_point now{1000s};
    EXPECT_TRUE(all.is_free(ann, now));
    all.take(ann);
    EXPECT_FALSE(all.is_free(ann, now + 1h));
    EXPECT_TRUE(all.is_free(bob, now));
    EXPECT_EQ(all.busy(now), std::set{ann});
    all.finish(ann, {}, now, 0);
    EXPECT_TRUE(all.is_free(ann, now));
    EXPECT_EQ(all.size(), 0U);  // Nothing is kept of who is well.
}

TEST(PerChatThrottle, AWaitIsOneChatsAlone) {
    per_chat_throttle all;
    const per_chat_throttle::time_point now{1000s};
    all.take(ann);
    all.finish(ann, {.what = send_result::outcome::wait, .wait = 30s}, now, 0);
    EXPECT_FALSE(all.is_free(ann, now + 29s));
    EXPECT_EQ(all.busy(now + 29s), std::set{ann});
    EXPECT_TRUE(all.is_free(ann, now + 30s));
    EXPECT_TRUE(all.busy(now + 30s).empty());
    EXPECT_TRUE(all.is_free(bob, now));
}

TEST(PerChatThrottle, FailuresMakeItWaitLongerUntilItGoesWell) {
    per_chat_throttle all;
    per_chat_throttle::time_point now{1000s};
    for (const auto pause : {1s, 2s, 4s}) {
        all.take(ann);
        all.finish(ann, {.what = send_result::outcome::failed}, now, 0);
        EXPECT_FALSE(all.is_free(ann, now + pause - 1ms));
        EXPECT_TRUE(all.is_free(ann, now + pause));
        now += pause;
    }
    all.take(ann);
    all.finish(ann, {}, now, 0);
    EXPECT_TRUE(all.is_free(ann, now));
}

}  // namespace
}  // namespace reelsd::bot
