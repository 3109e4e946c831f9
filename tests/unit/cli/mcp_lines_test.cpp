// Goal: lines are read and written whole, and no wait is endless. Method: chunks of every length;
// real pipes.
#include "cli/mcp/lines.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace reelsd::cli::mcp {
namespace {

using ::testing::ElementsAre;

struct taken_lines {
    std::vector<std::string> lines;
    line_splitter splitter;

    explicit taken_lines(std::size_t bytes_max)
        : splitter{
              bytes_max,
              {.on_line = [this](std::string_view line) { lines.emplace_back(line); },
               .on_long_line = [this] { lines.emplace_back("(long)"); }}} {}

    read_end read(int descriptor, const std::stop_token& stop = {}) {
        const auto feed = [this](std::string_view bytes) { splitter.feed(bytes); };
        return read_all(descriptor, feed, stop);
    }
};

struct pipe_ends {
    unique_fd read;
    unique_fd write;

    pipe_ends() {
        int ends[2] = {-1, -1};
        EXPECT_EQ(::pipe(ends), 0);
        read = unique_fd{ends[0]};
        write = unique_fd{ends[1]};
    }
};

TEST(McpLines, AreSplitFromChunksOfAnySize) {
    const std::string stream = "one\n\ntwo\r\n12345\n123456\n1234567890123\nlast";
    for (std::size_t length = 1; length <= stream.size(); ++length) {
        taken_lines taken{5};
        for (std::size_t at = 0; at < stream.size(); at += length) {
            taken.splitter.feed(std::string_view{stream}.substr(at, length));
        }
        taken.splitter.finish();
        EXPECT_THAT(taken.lines, ElementsAre("one", "two\r", "12345", "(long)", "(long)", "last"));
    }
}

TEST(McpLines, AreReadUntilTheStreamEnds) {
    pipe_ends pipe;
    ASSERT_EQ(::write(pipe.write.get(), "a\nb", 3), 3);
    pipe.write.close();
    taken_lines taken{100};
    EXPECT_EQ(taken.read(pipe.read.get()), read_end::closed);
    taken.splitter.finish();
    EXPECT_THAT(taken.lines, ElementsAre("a", "b"));
}

TEST(McpLines, AreReadUntilAStop) {
    pipe_ends pipe;
    std::stop_source stop;
    taken_lines taken{100};
    std::thread stopper{[&stop] { stop.request_stop(); }};
    EXPECT_EQ(taken.read(pipe.read.get(), stop.get_token()), read_end::stopped);
    stopper.join();
    EXPECT_EQ(taken.read(-1, stop.get_token()), read_end::stopped);
}

TEST(McpLines, AReadErrorIsReported) {
    const unique_fd folder{::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    taken_lines taken{100};
    EXPECT_EQ(taken.read(folder.get()), read_end::failed);
}

TEST(McpLines, AreWrittenWholeByConcurrentThreads) {
    constexpr int writers = 4;
    constexpr std::size_t bytes = 100'000;  // More than a pipe holds.
    pipe_ends pipe;
    line_writer out{pipe.write.get(), std::stop_token{}, [] { FAIL(); }};
    std::vector<std::thread> threads;
    for (int number = 0; number < writers; ++number) {
        threads.emplace_back(
            [&out, number] { out.write(std::string(bytes, static_cast<char>('a' + number))); });
    }
    taken_lines taken{bytes};
    std::thread reader{[&] { EXPECT_EQ(taken.read(pipe.read.get()), read_end::closed); }};
    for (auto& thread : threads) thread.join();
    pipe.write.close();
    reader.join();
    ASSERT_EQ(taken.lines.size(), static_cast<std::size_t>(writers));
    for (const auto& line : taken.lines) EXPECT_EQ(line, std::string(bytes, line.front()));
}

TEST(McpLines, AStopEndsABlockedWriter) {
    pipe_ends pipe;
    std::stop_source stop;
    int broken = 0;
    line_writer out{pipe.write.get(), stop.get_token(), [&broken] { ++broken; }};
    out.write("fits");
    EXPECT_EQ(broken, 0);
    std::thread stopper{[&stop] { stop.request_stop(); }};
    out.write(std::string(1'000'000, 'x'));
    out.write("never sent");
    stopper.join();
    EXPECT_EQ(broken, 1);
}

TEST(McpLines, AClosedReaderIsReported) {
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    pipe_ends pipe;
    int broken = 0;
    line_writer out{pipe.write.get(), std::stop_token{}, [&broken] { ++broken; }};
    pipe.read.close();
    out.write("lost");
    EXPECT_EQ(broken, 1);
    std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace reelsd::cli::mcp
