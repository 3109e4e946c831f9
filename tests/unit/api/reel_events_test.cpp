#include "api/resources.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Goal: a reader receives each change of a reel once, and can reconnect at any point. Method: pure
// functions, tables, and a reader that disconnects after each event.
namespace reelsd::api {
namespace {

using jobs::job_status;

jobs::job_state_view state_of(job_status status, int attempt = 0, std::string step = {}) {
    return {
        .job =
            {.id = job_id{42},
             .url = "https://www.instagram.com/reel/a/",
             .status = status,
             .created_at = time_point{},
             .started_at = std::nullopt,
             .finished_at = std::nullopt,
             .error_code = std::nullopt,
             .error = {},
             .result = std::nullopt},
        .attempt = attempt,
        .step = std::move(step),
        .changed_at = time_point{}};
}

jobs::job_state_view done(std::string result) {
    auto now = state_of(job_status::done, 1);
    now.job.result = std::move(result);
    return now;
}

struct event {
    std::string name;
    std::string id;
    std::string data;
};

/// Parses the text like a browser.
std::vector<event> read(std::string_view text) {
    std::vector<event> events;
    event next;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const auto line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.starts_with("event: ")) next.name = line.substr(7);
        if (line.starts_with("id: ")) next.id = line.substr(4);
        if (line.starts_with("data: ")) next.data = line.substr(6);
        if (line.empty()) events.push_back(std::exchange(next, {}));
    }
    return events;
}

std::string names_of(const std::vector<event>& events) {
    std::string names;
    for (const auto& one : events) names += (names.empty() ? "" : " ") + one.name;
    return names;
}

TEST(EventsUntil, ReportEachChange) {
    using reader = std::optional<sent_events>;
    struct test_case {
        const char* name;
        reader before;
        jobs::job_state_view now;
        const char* events;
    };
    const reader waiting = sent_events{};
    const reader in_download =
        sent_events{.status = job_status::processing, .attempt = 1, .step = "download"};
    const test_case cases[] = {
        {"a new reader", {}, state_of(job_status::pending), "state"},
        {"a new reader in the middle", {}, state_of(job_status::processing, 2, "probe"), "state"},
        {"a new reader of what is over", {}, done("{}"), "state finished"},
        {"nothing", waiting, state_of(job_status::pending), ""},
        {"it begins", waiting, state_of(job_status::processing, 1), "state attempt"},
        {"it has begun",
         waiting,
         state_of(job_status::processing, 1, "resolve"),
         "state attempt step"},
        {"another step", in_download, state_of(job_status::processing, 1, "probe"), "step"},
        {"the same step", in_download, state_of(job_status::processing, 1, "download"), ""},
        {"a step that ended unseen", in_download, state_of(job_status::processing, 1), ""},
        {"it waits for another attempt", in_download, state_of(job_status::pending, 1), "state"},
        {"another attempt, the wait unseen",
         in_download,
         state_of(job_status::processing, 2, "download"),
         "attempt step"},
        {"released", in_download, state_of(job_status::pending, 0), "state"},
        {"released and claimed between two reads",
         in_download,
         state_of(job_status::processing, 1, "resolve"),
         "step"},
        {"all of it unseen", waiting, done("{}"), "state finished"},
        {"the end alone unseen",
         sent_events{.status = job_status::done, .attempt = 1},
         done("{}"),
         "finished"},
    };
    for (const auto& expected : cases) {
        auto sent = expected.before;
        const auto events = read(events_until(sent, expected.now));
        EXPECT_EQ(names_of(events), expected.events) << expected.name;
        EXPECT_EQ(events_until(sent, expected.now), "") << expected.name << ": the same once more";
        const auto left = events.empty() ? sent : sent_in(events.back().id, job_id{42});
        ASSERT_TRUE(left.has_value()) << expected.name;
        EXPECT_EQ(event_id(job_id{42}, *left), event_id(job_id{42}, *sent)) << expected.name;
    }
}

TEST(EventsUntil, AReleasedAttemptIsReportedAgain) {
    std::optional<sent_events> sent;
    static_cast<void>(events_until(sent, state_of(job_status::processing, 1)));
    static_cast<void>(events_until(sent, state_of(job_status::pending, 0)));
    EXPECT_EQ(
        names_of(read(events_until(sent, state_of(job_status::processing, 1)))), "state attempt");
}

TEST(EventsUntil, HaveOneDataLine) {
    std::optional<sent_events> sent = sent_events{};
    const auto begun = read(events_until(sent, state_of(job_status::processing, 1, "resolve")));
    ASSERT_EQ(begun.size(), 3U);
    for (const auto& one : begun) {
        EXPECT_EQ(one.data, R"({"id":42,"status":"processing","attempt":1,"step":"resolve"})");
    }
    sent.reset();
    const auto waiting = read(events_until(sent, state_of(job_status::pending)));
    EXPECT_EQ(waiting.at(0).data, R"({"id":42,"status":"pending","attempt":0})");

    const auto text = events_until(sent, done("{\n \"a\": \"\\n\",\r\n\"b\": 1}"));
    EXPECT_EQ(text.find('\r'), std::string::npos);
    const auto over = read(text);
    ASSERT_EQ(names_of(over), "state finished");
    EXPECT_TRUE(over[1].data.ends_with(R"("result":{  "a": "\n",  "b": 1}})")) << over[1].data;
    EXPECT_EQ(over[1].id, "42:finished");
}

TEST(EventsUntil, ALineBreakInAStepCannotEndTheDataLine) {
    std::optional<sent_events> sent = sent_events{};
    const auto events = events_until(sent, state_of(job_status::processing, 1, "a\n\nevent: x"));
    EXPECT_EQ(names_of(read(events)), "state attempt");
    EXPECT_EQ(deleted_event(job_id{42}), "event: deleted\ndata: {\"id\":42}\n\n");
}

// A reader that disconnects after any event misses none and receives none twice.
TEST(EventsUntil, ResumeAfterEachEventId) {
    std::optional<sent_events> sent = sent_events{};
    const auto now = state_of(job_status::processing, 1, "resolve");
    const auto all = read(events_until(sent, now));
    ASSERT_EQ(all.size(), 3U);
    for (std::size_t seen = 1; seen <= all.size(); ++seen) {
        auto returned = sent_in(all[seen - 1].id, job_id{42});
        ASSERT_TRUE(returned.has_value());
        EXPECT_EQ(read(events_until(returned, now)).size(), all.size() - seen);
    }
}

TEST(ToldIn, ParsesItsOwnIds) {
    for (const auto& sent :
         {sent_events{},
          sent_events{.status = job_status::processing, .attempt = 3, .step = "analyze"},
          sent_events{.status = job_status::error, .attempt = 1},
          sent_events{.is_finished = true}}) {
        EXPECT_EQ(sent_in(event_id(job_id{7}, sent), job_id{7}), sent);
        EXPECT_EQ(sent_in(event_id(job_id{8}, sent), job_id{7}), std::nullopt) << "another's";
    }
    for (const char* strange :
         {"",
          "7",
          "7:",
          "7:pending",
          "7:pending:",
          "7:pending:0",
          "7:asleep:0:",
          "7:pending:-1:",
          "7:pending:01:",
          "7:pending:99999:",
          "7:pending:0:A",
          "7:pending:0:a:b",
          "07:pending:0:",
          " 7:pending:0:",
          "7:finished ",
          "7:pending:0:\n",
          "7:pending:x:",
          "7:pending: 0:"}) {
        EXPECT_EQ(sent_in(strange, job_id{7}), std::nullopt) << strange;
    }
    EXPECT_EQ(sent_in("7:pending:0:" + std::string(33, 'a'), job_id{7}), std::nullopt);
}

}  // namespace
}  // namespace reelsd::api
