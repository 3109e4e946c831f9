// Goal: how many children run at once, and so how much memory they take, is bounded.
#include "scripted_helper.hpp"
#include <reelsd/media/media_client.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <thread>
#include <vector>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;

deadline far_away() {
    return deadline::after(60s);
}

/// Waits, with others, until released; counts how many are inside at once.
class crowded_helper : public scripted_helper {
public:
    crowded_helper()
        : scripted_helper{
              "d=$(dirname \"$0\"); touch \"$d/in.$$\"\n"
              "while [ ! -e \"$d/go\" ]; do read -r x <> \"$d/wait\"; done; exit 3"} {
        mkfifo((folder() / "wait").c_str(), 0600);
    }
    [[nodiscard]] int inside() const {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator{folder()}) {
            if (entry.path().filename().string().starts_with("in.")) ++count;
        }
        return count;
    }
};

/// Asks, waits until `count` children in all have come inside, and stops the asking.
template <class Ask>
void enter_and_stop(const crowded_helper& helper, int count, Ask ask) {
    std::stop_source stop;
    const std::jthread asker{[&ask, token = stop.get_token()] { ask(token); }};
    while (helper.inside() < count) std::this_thread::yield();
    stop.request_stop();
}

// Goal: the memory of all children together is bounded. Method: for one analysis, two short calls
// come inside, and a third waits without success.
TEST(MediaClient, LetsOnlySoManyShortCallsRun) {
    const crowded_helper helper;
    auto options = helper.options();
    options.analyses_at_once = 1;
    const media_client client{options};
    std::stop_source stop;
    std::vector<std::jthread> running;
    running.emplace_back([&client, token = stop.get_token()] {
        EXPECT_FALSE(client.probe("/video.mp4", far_away(), token));
    });
    running.emplace_back([&client, token = stop.get_token()] {
        EXPECT_FALSE(client.thumbnail("/video.mp4", far_away(), token));
    });
    while (helper.inside() < 2) std::this_thread::yield();

    const auto target = helper.folder() / "made";
    const auto third = client.probe("/video.mp4", deadline::after(100ms), {});
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code(), errc::timed_out);
    EXPECT_FALSE(client.sound("/video.mp4", target, deadline::after(100ms), {}));
    EXPECT_FALSE(client.join("/video.mp4", "/sound.mp4", target, deadline::after(100ms), {}));
    EXPECT_FALSE(client.check("/video.mp4", {}, deadline::after(100ms), {}));
    EXPECT_EQ(helper.inside(), 2);
    stop.request_stop();
}

TEST(MediaClient, LetsOnlySoManyAnalysesRun) {
    const crowded_helper helper;
    auto options = helper.options();
    options.analyses_at_once = 2;
    const media_client client{options};
    std::stop_source stop;
    std::vector<std::jthread> running;
    for (int number = 0; number < 2; ++number) {
        running.emplace_back([&client, token = stop.get_token()] {
            EXPECT_FALSE(client.analyze("/video.mp4", far_away(), token));
        });
    }
    while (helper.inside() < 2) std::this_thread::yield();

    const auto third = client.analyze("/video.mp4", deadline::after(100ms), {});
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code(), errc::timed_out);
    EXPECT_EQ(helper.inside(), 2);
    // Whatever else decodes pictures for long waits as well.
    const auto frames =
        client.frames("/video.mp4", helper.folder() / "made", {}, deadline::after(100ms), {});
    ASSERT_FALSE(frames);
    EXPECT_EQ(frames.error().code(), errc::timed_out);
    EXPECT_FALSE(client.check("/video.mp4", {1}, deadline::after(100ms), {}));
    EXPECT_EQ(helper.inside(), 2);
    // A probe is no analysis: it does not wait for their places, and so comes inside.
    enter_and_stop(helper, 3, [&client](std::stop_token token) {
        EXPECT_FALSE(client.probe("/video.mp4", far_away(), token));
    });
    stop.request_stop();
    running.clear();
    // The places are free again.
    enter_and_stop(helper, 4, [&client](std::stop_token token) {
        EXPECT_FALSE(client.analyze("/video.mp4", far_away(), token));
    });
}

}  // namespace
}  // namespace reelsd::media
