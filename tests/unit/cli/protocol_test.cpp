#include "cli/protocol.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Goal: events are parsed as in browsers, and incomplete exports are detected, for chunks of any
// size. Method: each stream whole and in small chunks.
namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

struct reading {
    std::vector<server_event> events;
    std::string last_event_id;
    std::optional<std::chrono::milliseconds> retry;
};

reading read(std::string_view stream, std::size_t chunk_bytes) {
    event_reader reader{1000};
    reading all;
    for (; !stream.empty(); stream.remove_prefix(std::min(chunk_bytes, stream.size()))) {
        const auto events = reader.take(stream.substr(0, chunk_bytes));
        EXPECT_TRUE(events);
        all.events.insert(all.events.end(), events->begin(), events->end());
    }
    all.last_event_id = reader.last_event_id();
    all.retry = reader.retry();
    return all;
}

TEST(EventReader, ParsesAsBrowsersDo) {
    struct test_case {
        const char* name;
        std::string stream;
        std::vector<server_event> events;
        const char* id;
    };
    const test_case cases[] = {
        {"one event",
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
        {"incomplete", "data: a\n\ndata: b\n", {{"message", "a"}}, ""},
        {"the id of an incomplete event",
         "id: 1\ndata: a\n\nid: 2\ndata: b\n",
         {{"message", "a"}},
         "1"},
        {"an id stays", "id: 1\ndata: a\n\ndata: b\n\n", {{"message", "a"}, {"message", "b"}}, "1"},
        {"an id is removed",
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
        {"a byte order mark that is not first",
         "\n\xEF\xBB\xBF"
         "data: a\n\n",
         {},
         ""},
        {"empty", "", {}, ""},
    };
    for (const auto& expected : cases) {
        for (const std::size_t chunk_bytes : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
            const auto all = read(expected.stream, chunk_bytes);
            EXPECT_EQ(all.events, expected.events) << expected.name << " by " << chunk_bytes;
            EXPECT_EQ(all.last_event_id, expected.id) << expected.name << " by " << chunk_bytes;
        }
    }
}

TEST(EventReader, ReportsTheServersDelay) {
    EXPECT_EQ(read("retry: 2000\n\n", 100).retry, 2000ms);
    EXPECT_EQ(read("retry: 1\nretry: 0\n", 100).retry, 0ms);
    for (const char* invalid :
         {"", "retry:\n", "retry: -1\n", "retry: 1.5\n", "retry: 99999999999\n"}) {
        EXPECT_EQ(read(invalid, 100).retry, std::nullopt) << invalid;
    }
}

TEST(EventReader, BoundsAnEvent) {
    const std::string line = "data: " + std::string(494, 'a') + "\n";  // 495 bytes of data.
    event_reader reader{1000};
    ASSERT_TRUE(reader.take(line + "\n"));
    ASSERT_TRUE(reader.take(line + "\n")) << "the limit is per event";
    ASSERT_TRUE(reader.take(line));
    ASSERT_TRUE(reader.take(line));
    const auto too_long = reader.take(line);
    ASSERT_FALSE(too_long);
    EXPECT_EQ(too_long.error().code(), errc::connection_failed);
    EXPECT_TRUE(event_reader{1000}.take(std::string(1000, 'x')));
    EXPECT_FALSE(event_reader{1000}.take(std::string(1001, 'x')));
}

const std::string account = R"({"type":"account","id":1})"
                            "\n";
const std::string end_of_one = R"({"type":"end","lines":1})"
                               "\n";

std::optional<std::int64_t> lines_of(std::string_view text, std::size_t piece) {
    export_lines lines;
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
        lines.take(text.substr(0, piece));
    }
    return lines.count_if_complete();
}

TEST(ExportLines, AcceptsACompleteExport) {
    for (const std::size_t piece : {1U, 2U, 7U, 1000U}) {
        EXPECT_EQ(lines_of(account + end_of_one, piece), 1) << piece;
    }
}

TEST(ExportLines, DetectsTruncation) {
    const auto whole = account + end_of_one;
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        EXPECT_FALSE(lines_of(whole.substr(0, bytes), 5)) << bytes;
    }
}

TEST(ExportLines, DetectsMissingLines) {
    EXPECT_FALSE(lines_of(end_of_one, 100));
    EXPECT_FALSE(lines_of(account + account + end_of_one, 100));
}

TEST(ExportLines, RequiresAValidLastLine) {
    EXPECT_FALSE(lines_of(account + end_of_one + account, 100));
    EXPECT_FALSE(lines_of("end\n", 100));
    EXPECT_FALSE(lines_of("{\"type\":\"end\"}\n", 100));
    EXPECT_FALSE(lines_of("{\"type\":1,\"lines\":0}\n", 100));
}

TEST(ExportLines, CountsLongLines) {
    const auto reel = R"({"type":"reel","x":")" + std::string(1'000'000, 'x') + "\"}\n";
    EXPECT_EQ(lines_of(reel + end_of_one, 4096), 1);
}

}  // namespace
}  // namespace reelsd::cli
