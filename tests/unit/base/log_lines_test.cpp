// Goal: no line is lost or truncated, when the file is renamed and when the disk is full. Method:
// real files; /dev/full is a full disk.
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace reelsd::log {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class LogFile : public ::testing::Test {
protected:
    LogFile() { fs::create_directories(folder_); }
    ~LogFile() override { fs::remove_all(folder_); }

    [[nodiscard]] fs::path path(const char* name) const { return folder_ / name; }
    [[nodiscard]] static logger into(const fs::path& file, format shape = format::text) {
        return {level::info, shape, file};
    }

    static std::vector<std::string> lines_of(const fs::path& file) {
        std::ifstream stream{file};
        std::vector<std::string> lines;
        for (std::string line; std::getline(stream, line);) lines.push_back(line);
        return lines;
    }

    static std::string text_of(const fs::path& file) {
        std::string text;
        for (const auto& line : lines_of(file)) text += line + "\n";
        return text;
    }

private:
    fs::path folder_ = fs::path{::testing::TempDir()} / ("log-file-" + std::to_string(::getpid()));
};

TEST_F(LogFile, AppendsToExistingContent) {
    std::ofstream{path("log")} << "from before\n";
    into(path("log")).info("hello", {{"n", 1}});
    const auto lines = lines_of(path("log"));
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0], "from before");
    EXPECT_THAT(lines[1], HasSubstr("info hello n=1"));
}

// Goal: the format of docs/operate/log-lines.md, and the time of each line.
TEST_F(LogFile, LinesBeginWithTimeAndLevel) {
    const std::string time =
        "20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9](:[0-5][0-9]){2}"
        "\\.[0-9]{3}Z";
    using milliseconds = std::chrono::milliseconds;
    const auto now = [] {
        return std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
    };
    for (const auto shape : {format::text, format::json}) {
        const auto log = into(path("log"), shape);
        const auto before = now();
        log.warning("m", {{"n", 1}});
        const auto written = now();
        while (now() == written) std::this_thread::yield();
        log.error("m", {{"n", 1}});
        const auto lines = lines_of(path("log"));
        ASSERT_EQ(lines.size(), 2U);
        const bool is_json = shape == format::json;
        const std::size_t time_begin = is_json ? std::string_view{"{\"time\":\""}.size() : 0;
        const std::string level = "(warning|error)";
        const std::regex form{
            is_json ? "\\{\"time\":\"" + time + "\",\"level\":\"" + level +
                          "\",\"message\":\"m\",\"n\":1\\}"
                    : time + " " + level + " m n=1"};
        for (const auto& line : lines) EXPECT_TRUE(std::regex_match(line, form)) << line;
        const auto time_of = [&](std::size_t at) { return lines[at].substr(time_begin, 24); };
        EXPECT_LT(time_of(0), time_of(1));
        const auto second_of = [](std::string text) { return text.replace(19, 5, "Z"); };
        EXPECT_GE(second_of(time_of(0)), to_rfc3339(before));
        EXPECT_LE(second_of(time_of(1)), to_rfc3339(now()));
        fs::remove(path("log"));
    }
}

TEST_F(LogFile, IsReplacedOnlyByReopen) {
    const auto log = into(path("log"));
    log.info("one");
    fs::rename(path("log"), path("log.1"));
    log.info("two");
    EXPECT_FALSE(fs::exists(path("log")));
    log.reopen();
    log.info("three");
    EXPECT_EQ(fs::status(path("log")).permissions() & fs::perms::others_all, fs::perms::none);
    EXPECT_THAT(text_of(path("log.1")), AllOf(HasSubstr("one"), HasSubstr("two")));
    EXPECT_THAT(text_of(path("log")), AllOf(HasSubstr("three"), Not(HasSubstr("two"))));
}

TEST_F(LogFile, LosesNoLineDuringRotation) {
    constexpr int writers = 4;
    constexpr int lines_each = 2000;
    constexpr int rotations = 20;
    const auto log = into(path("log"));
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer) {
        threads.emplace_back([&log, writer] {
            for (int n = 0; n < lines_each; ++n)
                log.info("line", {{"id", writer * lines_each + n}});
        });
    }
    log.info("begin");
    for (int n = 0; n < rotations; ++n) {
        fs::rename(path("log"), path(("log." + std::to_string(n)).c_str()));
        log.reopen();
    }
    threads.clear();  // Joins them.
    std::multiset<std::string> seen;
    for (int n = -1; n < rotations; ++n) {
        for (const auto& line :
             lines_of(n < 0 ? path("log") : path(("log." + std::to_string(n)).c_str()))) {
            const auto at = line.find(" info line id=");
            if (at != line.npos) seen.insert(line.substr(at));
        }
    }
    EXPECT_EQ(seen.size(), std::size_t{writers} * lines_each);
    for (int id = 0; id < writers * lines_each; ++id) {
        ASSERT_EQ(seen.count(" info line id=" + std::to_string(id)), 1U) << id;
    }
}

TEST_F(LogFile, LinesGoToStandardErrorWhileTheDiskIsFull) {
    fs::create_symlink("/dev/full", path("log"));
    const auto log = into(path("log"), format::json);
    ::testing::internal::CaptureStderr();
    log.info("one");
    log.info("two");
    const auto diverted = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(diverted, AllOf(HasSubstr("\"one\""), HasSubstr("\"two\"")));
    EXPECT_THAT(diverted, HasSubstr("No space left on device"));
    const std::string message = "the log file cannot be written";
    const auto first = diverted.find(message);
    EXPECT_NE(first, diverted.npos);
    EXPECT_EQ(diverted.find(message, first + 1), diverted.npos);

    fs::remove(path("log"));
    log.reopen();
    ::testing::internal::CaptureStderr();
    log.info("three");
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
    EXPECT_THAT(
        text_of(path("log")),
        AllOf(HasSubstr("2 lines went to standard error"), HasSubstr("\"three\"")));
}

/// The lines that a new logger writes to standard error; `journal`: standard error is the journal.
std::string lines_for(bool journal, format shape, const fs::path& file = {}) {
    ::testing::internal::CaptureStderr();
    struct stat here = {};
    EXPECT_EQ(::fstat(STDERR_FILENO, &here), 0);
    const auto stream =
        std::to_string(here.st_dev) + ":" + std::to_string(here.st_ino + (journal ? 0 : 1));
    // NOLINTBEGIN(concurrency-mt-unsafe): one thread
    ::setenv("JOURNAL_STREAM", stream.c_str(), 1);
    const logger log{level::debug, shape, file};
    log.debug("a");
    log.info("b");
    log.warning("c");
    log.error("d");
    ::unsetenv("JOURNAL_STREAM");
    // NOLINTEND(concurrency-mt-unsafe)
    return ::testing::internal::GetCapturedStderr();
}

TEST_F(LogFile, LinesForTheJournalHaveAPriority) {
    const auto seen = lines_for(true, format::text);
    EXPECT_THAT(seen, ::testing::ContainsRegex("^<7>20[^\n]* debug a\n<6>20[^\n]* info b\n"));
    EXPECT_THAT(seen, ::testing::ContainsRegex("\n<4>20[^\n]* warning c\n<3>20[^\n]* error d\n"));
    EXPECT_THAT(lines_for(true, format::json), ::testing::ContainsRegex("\n<6>\\{\"time\""));
}

TEST_F(LogFile, OtherLinesHaveNoPriority) {
    EXPECT_THAT(lines_for(false, format::text), Not(HasSubstr("<")));
    EXPECT_THAT(lines_for(true, format::text, path("log")), IsEmpty());
    EXPECT_THAT(text_of(path("log")), Not(HasSubstr("<")));
}

TEST_F(LogFile, IsWrittenOnceItCanBeOpened) {
    ::testing::internal::CaptureStderr();
    const auto log = into(path("later") / "log");
    log.info("one");
    EXPECT_THAT(
        ::testing::internal::GetCapturedStderr(),
        AllOf(HasSubstr("info one"), HasSubstr("No such file or directory")));
    fs::create_directory(path("later"));
    ::testing::internal::CaptureStderr();
    log.info("two");
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
    EXPECT_THAT(text_of(path("later") / "log"), HasSubstr("info two"));
}

TEST_F(LogFile, KeepsTheOldFileIfReopeningFails) {
    fs::create_directory(path("folder"));
    const auto log = into(path("folder") / "log");
    log.info("one");
    fs::rename(path("folder"), path("moved"));
    ::testing::internal::CaptureStderr();
    log.reopen();
    log.info("two");
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("No such file or directory"));
    EXPECT_THAT(text_of(path("moved") / "log"), AllOf(HasSubstr("one"), HasSubstr("two")));
}

// A limit on the file's size simulates a disk that becomes full within a line.
TEST_F(LogFile, LeavesNoPartialLine) {
    const auto fill = [this] {
        const auto log = into(path("log"));
        rlimit limit{};
        limit.rlim_cur = 1000;
        limit.rlim_max = 1000;
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::exit(2);
        if (std::signal(SIGXFSZ, SIG_IGN) == SIG_ERR) std::exit(2);
        for (int n = 0; n < 30; ++n) log.info("a line of some length", {{"n", n}});
        std::exit(0);
    };
    EXPECT_EXIT(fill(), ::testing::ExitedWithCode(0), "n=29");
    const auto lines = lines_of(path("log"));
    ASSERT_FALSE(lines.empty());
    for (const auto& line : lines) EXPECT_THAT(line, HasSubstr("a line of some length n="));
    EXPECT_LE(fs::file_size(path("log")), 1000U);
    EXPECT_EQ(text_of(path("log")).size(), fs::file_size(path("log")));
}

TEST_F(LogFile, BatchesLinesUntilTheyAreFlushed) {
    const auto log = into(path("log"));
    int flushes = 0;
    log.batch([&flushes] { ++flushes; });
    log.info("a");
    log.info("b");
    EXPECT_THAT(lines_of(path("log")), IsEmpty());
    EXPECT_EQ(flushes, 1) << "requested once for each batch";
    log.flush();
    EXPECT_EQ(lines_of(path("log")).size(), 2U);
    log.info("c");
    EXPECT_EQ(flushes, 2);
    log.warning("d");
    EXPECT_EQ(lines_of(path("log")).size(), 4U);
    log.info("e");
    std::thread{[&log] { log.info("f"); }}.join();
    EXPECT_EQ(lines_of(path("log")).size(), 6U);
    log.info("g");
    log.batch({});
    log.info("h");
    const auto lines = lines_of(path("log"));
    ASSERT_EQ(lines.size(), 8U);
    for (std::size_t at = 0; at < lines.size(); ++at) {
        EXPECT_THAT(lines[at], HasSubstr(std::string{" "} + static_cast<char>('a' + at)));
    }
}

TEST_F(LogFile, ABatchIsBoundedAndIsWrittenAtTheEnd) {
    constexpr int lines = 2000;
    {
        const auto log = into(path("log"));
        log.batch([] {});
        for (int number = 0; number < lines; ++number) {
            log.info("a line of some length", {{"number", number}});
        }
        const auto written = lines_of(path("log")).size();
        EXPECT_GT(written, 0U);
        EXPECT_LT(written, std::size_t{lines});
    }
    EXPECT_EQ(lines_of(path("log")).size(), std::size_t{lines});
}

}  // namespace
}  // namespace reelsd::log
