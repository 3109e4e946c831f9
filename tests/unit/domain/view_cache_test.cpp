#include <reelsd/domain/reels/view_cache.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

// Goal: the memory of a daemon is bounded whatever is read, and what is read often stays.
namespace reelsd::reels {
namespace {

constexpr std::size_t text_bytes = 1000;

reel_view view_of(int number, std::size_t bytes = text_bytes) {
    return {
        .text = std::make_shared<const std::string>(bytes, 'x'),
        .owner = account_id{1},
        .version = std::to_string(number)};
}

TEST(ViewCache, GivesWhatItWasGivenLast) {
    view_cache cache{100'000};
    EXPECT_FALSE(cache.find(job_id{7}));
    cache.keep(job_id{7}, view_of(1));
    cache.keep(job_id{7}, view_of(2));
    EXPECT_EQ(cache.find(job_id{7})->version, "2");
    cache.forget(job_id{7});
    cache.forget(job_id{7});
    EXPECT_FALSE(cache.find(job_id{7}));
    EXPECT_EQ(cache.bytes(), 0U);
}

TEST(ViewCache, StaysWithinItsBound) {
    constexpr std::size_t most = 20'000;
    view_cache cache{most};
    for (int number = 0; number < 1000; ++number) {
        cache.keep(job_id{number % 300}, view_of(number, static_cast<std::size_t>(number) * 7));
        ASSERT_LE(cache.bytes(), most);
        static_cast<void>(cache.find(job_id{number % 13}));
    }
    EXPECT_GT(cache.bytes(), most / 2);
    cache.keep(job_id{7}, view_of(1, most));
    EXPECT_FALSE(cache.find(job_id{7})) << "larger than all";
    view_cache none{0};
    none.keep(job_id{7}, view_of(1));
    EXPECT_FALSE(none.find(job_id{7}));
}

TEST(ViewCache, WhatIsReadStaysLonger) {
    view_cache cache{15'000};
    for (int number = 0; number < 200; ++number) {
        cache.keep(job_id{number}, view_of(number));
        EXPECT_TRUE(cache.find(job_id{0})) << number;
    }
    EXPECT_FALSE(cache.find(job_id{1}));
    EXPECT_TRUE(cache.find(job_id{199}));
}

// The loop that makes room must end when each has been read.
TEST(ViewCache, MakesRoomAmongOnesThatWereAllRead) {
    view_cache cache{15'000};
    for (int number = 0; number < 100; ++number) {
        cache.keep(job_id{number}, view_of(number));
        for (int known = 0; known <= number; ++known) static_cast<void>(cache.find(job_id{known}));
    }
    EXPECT_TRUE(cache.find(job_id{99}));
}

}  // namespace
}  // namespace reelsd::reels
