#include "dashboard/resources.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

// Goal: any caption results in valid server-sent events. Method: literal texts.
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

std::string text_of(const jobs::job_change& change) {
    return events_text({.changed = {change}, .deleted = {}, .position = {}});
}

TEST(ChangeEvents, ContainTheJobAsInLists) {
    EXPECT_EQ(
        text_of(processing_job()),
        "event: reel\n"
        R"(data: {"id":42,"url":"https://www.instagram.com/reel/a/","status":"processing",)"
        R"("created_at":"1970-01-01T00:00:00Z","step":"download"})"
        "\n\n");
}

TEST(ChangeEvents, OfOnePollEndWithThePosition) {
    const jobs::account_changes changes{
        .changed = {},
        .deleted = {{account_id{7}, job_id{42}, at(1s)}},
        .is_incomplete = true,
        .position = at(2s)};
    EXPECT_EQ(
        events_text(changes),
        "event: reset\ndata: {}\n\n"
        "event: deleted\ndata: {\"id\":42}\n\n"
        "id: 2000000\n\n");
    EXPECT_EQ(events_text({}), "");
}

TEST(ChangeEvents, ALineBreakInASummaryCannotEndAnEvent) {
    auto change = processing_job();
    change.step.clear();
    change.job.brief = {.code = "a", .author = "x", .summary = "one\n\nevent: reset\ndata: {}\r\n"};
    const auto text = text_of(change);
    EXPECT_EQ(text.find('\n'), text.find("\ndata: "));
    EXPECT_EQ(text.find("\n\n"), text.size() - 2);
    EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ChangeEvents, PositionsSurviveTheRoundTrip) {
    const auto now =
        std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
    const auto text = events_text({.changed = {}, .deleted = {}, .position = now});
    ASSERT_TRUE(text.starts_with("id: ") && text.ends_with("\n\n"));
    EXPECT_EQ(position_in(text.substr(4, text.size() - 6)), now);
    for (const char* strange :
         {"", "0", "01", "-5", "abc", "1x", " 1", "9223372036854775807", "99999999999999999999"}) {
        EXPECT_EQ(position_in(strange), std::nullopt) << strange;
    }
}

}  // namespace
}  // namespace reelsd::dashboard
