#include "cli/event_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Goal: events are read as browsers read them, however the bytes are cut, and none may be endless.
// Method: pure; each stream whole and byte by byte.
namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

struct reading {
    std::vector<server_event> events;
    std::string last_event_id;
    std::optional<std::chrono::milliseconds> retry;
};

reading read(std::string_view stream, std::size_t bytes_at_once) {
    event_reader reader{1000};
    reading all;
    for (; !stream.empty(); stream.remove_prefix(std::min(bytes_at_once, stream.size()))) {
        const auto events = reader.take(stream.substr(0, bytes_at_once));
        EXPECT_TRUE(events);
        all.events.insert(all.events.end(), events->begin(), events->end());
    }
    all.last_event_id = reader.last_event_id();
    all.retry = reader.retry();
    return all;
}

TEST(EventReader, ReadsWhatBrowsersRead) {
    struct test_case {
        const char* name;
        std::string stream;
        std::vector<server_event> events;
        const char* id;
    };
    const test_case cases[] = {
        {"one",
         "event: state\nid: 42:pending:0:\ndata: {}\n\n",
         {{"state", "{}"}},
         "42:pending:0:"},
        {"without a name", "data: a\n\n", {{"message", "a"}}, ""},
        {"carriage returns",
         "event: a\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n",
         {{"a", "b"}, {"message", "c"}, {"message", "d"}},
         ""},
        {"several lines", "data: a\ndata:\ndata:  b\ndata\n\n", {{"message", "a\n\n b\n"}}, ""},
        {"comments", ": keep-alive\n\n:\n\ndata: a\n: in between\n\n", {{"message", "a"}}, ""},
        {"no data", "event: a\nid: 1\n\ndata: b\n\n", {{"message", "b"}}, "1"},
        {"not whole", "data: a\n\ndata: b\n", {{"message", "a"}}, ""},
        {"an id of an event that is not whole",
         "id: 1\ndata: a\n\nid: 2\ndata: b\n",
         {{"message", "a"}},
         "1"},
        {"an id stays", "id: 1\ndata: a\n\ndata: b\n\n", {{"message", "a"}, {"message", "b"}}, "1"},
        {"an id is taken away",
         "id: 1\ndata: a\n\nid\ndata: b\n\n",
         {{"message", "a"}, {"message", "b"}},
         ""},
        {"an id with a zero",
         std::string{"id: 1\n\nid: 2\0\ndata: a\n\n", 24},
         {{"message", "a"}},
         "1"},
        {"unknown fields", "colour: blue\nDATA: x\n data: x\ndata: a\n\n", {{"message", "a"}}, ""},
        {"a byte order mark",
         "\xEF\xBB\xBF"
         "data: a\n\n",
         {{"message", "a"}},
         ""},
        {"one that is not first",
         "\n\xEF\xBB\xBF"
         "data: a\n\n",
         {},
         ""},
        {"nothing", "", {}, ""},
    };
    for (const auto& expected : cases) {
        for (const std::size_t at_once : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
            const auto all = read(expected.stream, at_once);
            EXPECT_EQ(all.events, expected.events) << expected.name << " by " << at_once;
            EXPECT_EQ(all.last_event_id, expected.id) << expected.name << " by " << at_once;
        }
    }
}

TEST(EventReader, KnowsTheServersWish) {
    EXPECT_EQ(read("retry: 2000\n\n", 100).retry, 2000ms);
    EXPECT_EQ(read("retry: 1\nretry: 0\n", 100).retry, 0ms);
    for (const char* strange :
         {"", "retry:\n", "retry: -1\n", "retry: 1.5\n", "retry: 99999999999\n"}) {
        EXPECT_EQ(read(strange, 100).retry, std::nullopt) << strange;
    }
}

TEST(EventReader, NoEventIsEndless) {
    const std::string line = "data: " + std::string(494, 'a') + "\n";  // 495 bytes of data.
    event_reader reader{1000};
    ASSERT_TRUE(reader.take(line + "\n"));
    ASSERT_TRUE(reader.take(line + "\n")) << "each begins anew";
    ASSERT_TRUE(reader.take(line));
    ASSERT_TRUE(reader.take(line));
    const auto too_long = reader.take(line);
    ASSERT_FALSE(too_long);
    EXPECT_EQ(too_long.error().code(), errc::connection_failed);
    EXPECT_TRUE(event_reader{1000}.take(std::string(1000, 'x')));
    EXPECT_FALSE(event_reader{1000}.take(std::string(1001, 'x')));
}

}  // namespace
}  // namespace reelsd::cli
