// Goal: the number of concurrent children is limited, and with it their memory.
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

/// A helper that waits until released, and counts the running ones.
class waiting_helper : public scripted_helper {
public:
    waiting_helper()
        : scripted_helper{
              "d=$(dirname \"$0\"); touch \"$d/in.$$\"\n"
              "while [ ! -e \"$d/go\" ]; do read -r x <> \"$d/wait\"; done; exit 3"} {
        mkfifo((folder() / "wait").c_str(), 0600);
    }
    [[nodiscard]] int started() const {
        int count = 0;
        for (const auto& entry : std::filesystem::directory_iterator{folder()}) {
            if (entry.path().filename().string().starts_with("in.")) ++count;
        }
        return count;
    }
};

/// Makes a call, waits until `count` children in all have started, and stops the call.
template <class Ask>
void start_and_stop(const waiting_helper& helper, int count, Ask ask) {
    std::stop_source stop;
    const std::jthread asker{[&ask, token = stop.get_token()] { ask(token); }};
    while (helper.started() < count) std::this_thread::yield();
    stop.request_stop();
}

// Method: with one analysis, two short calls run, and a third times out.
TEST(MediaClient, LimitsShortCalls) {
    const waiting_helper helper;
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
    while (helper.started() < 2) std::this_thread::yield();

    const auto target = helper.folder() / "made";
    const auto third = client.probe("/video.mp4", deadline::after(100ms), {});
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code(), errc::timed_out);
    EXPECT_FALSE(client.sound("/video.mp4", target, deadline::after(100ms), {}));
    EXPECT_FALSE(client.join("/video.mp4", "/sound.mp4", target, deadline::after(100ms), {}));
    EXPECT_FALSE(client.check("/video.mp4", {}, deadline::after(100ms), {}));
    EXPECT_EQ(helper.started(), 2);
    stop.request_stop();
}

TEST(MediaClient, LimitsAnalyses) {
    const waiting_helper helper;
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
    while (helper.started() < 2) std::this_thread::yield();

    const auto third = client.analyze("/video.mp4", deadline::after(100ms), {});
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code(), errc::timed_out);
    EXPECT_EQ(helper.started(), 2);
    // Other calls that decode all pictures wait too.
    const auto frames =
        client.frames("/video.mp4", helper.folder() / "made", {}, deadline::after(100ms), {});
    ASSERT_FALSE(frames);
    EXPECT_EQ(frames.error().code(), errc::timed_out);
    EXPECT_FALSE(client.check("/video.mp4", {1}, deadline::after(100ms), {}));
    EXPECT_EQ(helper.started(), 2);
    // A probe does not wait for the slots of analyses.
    start_and_stop(helper, 3, [&client](std::stop_token token) {
        EXPECT_FALSE(client.probe("/video.mp4", far_away(), token));
    });
    stop.request_stop();
    running.clear();
    // The slots are free again.
    start_and_stop(helper, 4, [&client](std::stop_token token) {
        EXPECT_FALSE(client.analyze("/video.mp4", far_away(), token));
    });
}

}  // namespace
}  // namespace reelsd::media
