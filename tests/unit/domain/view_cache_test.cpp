#include "domain/jobs/view_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

// Goal: the memory of the cache is bounded for any reads, and views that are read often stay.
namespace reelsd::jobs {
namespace {

constexpr std::size_t text_bytes = 1000;

std::shared_ptr<reel_view> view_of(int number, std::size_t bytes = text_bytes) {
    return std::make_shared<reel_view>(reel_view{
        .text = std::string(bytes, 'x'),
        .owner = account_id{1},
        .version = std::to_string(number),
        .ended_reels_version = "1"});
}

TEST(ViewCache, ReturnsTheLatestView) {
    view_cache cache{100'000};
    EXPECT_FALSE(cache.find(job_id{7}));
    cache.put(job_id{7}, view_of(1));
    cache.put(job_id{7}, view_of(2));
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
        cache.put(job_id{number % 300}, view_of(number, static_cast<std::size_t>(number) * 7));
        ASSERT_LE(cache.bytes(), most);
        static_cast<void>(cache.find(job_id{number % 13}));
    }
    EXPECT_GT(cache.bytes(), most / 2);
    cache.put(job_id{7}, view_of(1, most));
    EXPECT_FALSE(cache.find(job_id{7})) << "larger than the cache";
    view_cache none{0};
    none.put(job_id{7}, view_of(1));
    EXPECT_FALSE(none.find(job_id{7}));
}

// As two consecutive reads from the database.
void keep_wanted(view_cache& cache, int number) {
    cache.put(job_id{number}, view_of(number));
    cache.put(job_id{number}, view_of(number));
}

TEST(ViewCache, EvictsOnlyForAViewThatIsReadTwice) {
    view_cache cache{15'000};
    int fitting = 0;
    for (; cache.bytes() + text_bytes + 500 < 15'000; ++fitting) {
        cache.put(job_id{fitting}, view_of(fitting));
        EXPECT_TRUE(cache.find(job_id{fitting})) << "there is room";
    }
    cache.put(job_id{1000}, view_of(1));
    for (int number = 2000; number < 3000; ++number) {
        cache.put(job_id{number}, view_of(number));
        ASSERT_FALSE(cache.find(job_id{number})) << "read once";
    }
    for (int number = 0; number < fitting; ++number) EXPECT_TRUE(cache.find(job_id{number}));
    cache.put(job_id{1000}, view_of(1));
    EXPECT_TRUE(cache.find(job_id{1000})) << "read twice within a short time";

    // Forgotten, because more other reels were read than are noted.
    cache.put(job_id{5000}, view_of(1));
    for (int number = 10'000; number < 20'000; ++number) {
        cache.put(job_id{number}, view_of(number));
    }
    cache.put(job_id{5000}, view_of(1));
    EXPECT_FALSE(cache.find(job_id{5000}));
}

TEST(ViewCache, ConfirmsOnlyTheRequestedView) {
    view_cache cache{100'000};
    cache.confirm(job_id{7}, "1", "2");
    EXPECT_FALSE(cache.find(job_id{7}));
    cache.put(job_id{7}, view_of(1));
    cache.confirm(job_id{7}, "1", "2");
    EXPECT_EQ(cache.find(job_id{7})->ended_reels_version, "2");
    cache.put(job_id{7}, view_of(4));
    cache.confirm(job_id{7}, "1", "3");
    EXPECT_EQ(cache.find(job_id{7})->ended_reels_version, "1") << "of another version of the row";
}

TEST(ViewCache, DropsViewsOfAnotherServer) {
    view_cache cache{100'000};
    cache.note_server("a");
    cache.put(job_id{7}, view_of(1));
    const auto before = cache.generation();
    cache.note_server("a");
    EXPECT_TRUE(cache.find(job_id{7}));
    EXPECT_EQ(cache.generation(), before);
    cache.note_server("b");
    EXPECT_FALSE(cache.find(job_id{7}));
    EXPECT_EQ(cache.bytes(), 0U);
    EXPECT_NE(cache.generation(), before);
    cache.put(job_id{7}, view_of(2));
    EXPECT_TRUE(cache.find(job_id{7}));
}

// Freeing a gibibyte must not block the loop.
TEST(ViewCache, FreesViewsOfAnotherServerInSteps) {
    view_cache cache{10'000'000};
    cache.note_server("a");
    std::vector<std::weak_ptr<reel_view>> left;
    for (int number = 0; number < 1000; ++number) {
        const auto view = view_of(number);
        left.push_back(view);
        cache.put(job_id{number}, view);
    }
    const auto held = [&left] {
        return std::count_if(
            left.begin(), left.end(), [](const auto& view) { return !view.expired(); });
    };
    cache.note_server("b");
    for (int number = 0; number < 1000; ++number) EXPECT_FALSE(cache.find(job_id{number}));
    EXPECT_EQ(cache.bytes(), 0U);
    auto before = held();
    for (int call = 0; call < 100 && before > 0; ++call) {
        cache.put(job_id{call}, view_of(call));
        cache.note_server("b");
        EXPECT_LT(held(), before);
        EXPECT_LE(before - held(), 20) << "a bounded number at once";
        before = held();
    }
    EXPECT_EQ(before, 0);
    EXPECT_TRUE(cache.find(job_id{0})) << "views added since";
}

TEST(ViewCache, KeepsViewsThatAreReadLonger) {
    view_cache cache{15'000};
    for (int number = 0; number < 200; ++number) {
        keep_wanted(cache, number);
        EXPECT_TRUE(cache.find(job_id{0})) << number;
    }
    EXPECT_FALSE(cache.find(job_id{1}));
    EXPECT_TRUE(cache.find(job_id{199}));
}

// Eviction must terminate when every view was read.
TEST(ViewCache, EvictsEvenIfAllViewsWereRead) {
    view_cache cache{15'000};
    for (int number = 0; number < 100; ++number) {
        keep_wanted(cache, number);
        for (int known = 0; known <= number; ++known) static_cast<void>(cache.find(job_id{known}));
    }
    EXPECT_TRUE(cache.find(job_id{99}));
}

}  // namespace
}  // namespace reelsd::jobs
