#include "dashboard/change_feed.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

// Goal: what goes over the wire is a server-sent event, whatever is in a caption. Method: literal
// texts.
namespace reelsd::dashboard {
namespace {

using namespace std::chrono_literals;

time_point at(std::chrono::seconds since_1970) {
    return time_point{since_1970};
}

jobs::job_change processing_job() {
    return {
        .account = account_id{7},
        .job =
            {.id = job_id{42},
             .url = "https://www.instagram.com/reel/a/",
             .status = jobs::job_status::processing,
             .created_at = at(0s),
             .started_at = std::nullopt,
             .finished_at = std::nullopt,
             .error_code = std::nullopt,
             .error = {},
             .result = std::nullopt},
        .step = "download",
        .at = at(1s)};
}

TEST(ChangeEvents, CarryTheJobAsListsShowIt) {
    EXPECT_EQ(
        event_text(processing_job()),
        "event: reel\n"
        R"(data: {"id":42,"url":"https://www.instagram.com/reel/a/","status":"processing",)"
        R"("created_at":"1970-01-01T00:00:00Z","step":"download"})"
        "\n\n");
    EXPECT_EQ(
        event_text(jobs::job_deletion{account_id{7}, job_id{42}, at(1s)}),
        "event: deleted\ndata: {\"id\":42}\n\n");
}

TEST(ChangeEvents, ASummaryCannotEndAnEvent) {
    auto change = processing_job();
    change.step.clear();
    change.job.brief = {.code = "a", .author = "x", .summary = "one\n\nevent: reset\ndata: {}\r\n"};
    const auto text = event_text(change);
    EXPECT_EQ(text.find('\n'), text.find("\ndata: "));
    EXPECT_EQ(text.find("\n\n"), text.size() - 2);
    EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ChangeEvents, PositionsSurviveTheRoundTrip) {
    const auto now =
        std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
    const auto text = position_event(now);
    ASSERT_TRUE(text.starts_with("id: ") && text.ends_with("\n\n"));
    EXPECT_EQ(position_in(text.substr(4, text.size() - 6)), now);
    for (const char* strange :
         {"", "0", "01", "-5", "abc", "1x", " 1", "9223372036854775807", "99999999999999999999"}) {
        EXPECT_EQ(position_in(strange), std::nullopt) << strange;
    }
}

// An account that has too many changes at each look.
TEST(ResetSchedule, ResetsABusyAccountAtOnceAndThenOnceInAnInterval) {
    const deadline::clock::time_point start{1h};
    const account_id busy{1};
    const account_id other{2};
    reset_schedule resets;
    std::vector<std::chrono::milliseconds> moments;
    for (auto passed = 0ms; passed < 12s; passed += 500ms) {
        resets.request(busy);
        for (const auto account : resets.take_due(start + passed)) {
            EXPECT_EQ(account, busy);
            moments.push_back(passed);
        }
        EXPECT_FALSE(resets.is_requested(other));
    }
    EXPECT_EQ(moments, (std::vector<std::chrono::milliseconds>{0ms, 5s, 10s}));
}

TEST(ResetSchedule, KeepsARequestUntilItsTimeComes) {
    const deadline::clock::time_point start{1h};
    const account_id busy{1};
    const std::vector<account_id> the_busy_one{busy};
    reset_schedule resets;
    resets.request(busy);
    EXPECT_EQ(resets.take_due(start), the_busy_one);
    resets.request(busy);
    EXPECT_TRUE(resets.take_due(start + 1s).empty());
    EXPECT_TRUE(resets.is_requested(busy));
    EXPECT_EQ(resets.take_due(start + reset_interval), the_busy_one);
    EXPECT_FALSE(resets.is_requested(busy));
    EXPECT_TRUE(resets.take_due(start + 1h).empty());
}

}  // namespace
}  // namespace reelsd::dashboard
