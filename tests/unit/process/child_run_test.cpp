// Goal: the caller gets the outcome of any child, and no process is left. Method: shell scripts,
// and a program that misbehaves on request.
#include <reelsd/process/child_run.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace reelsd::process {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// A deadline that no healthy child reaches, even on an overloaded machine.
deadline far_away() {
    return deadline::after(60s);
}

child_command unruly(std::vector<std::string> arguments) {
    return {.program = UNRULY_CHILD, .arguments = std::move(arguments)};
}

child_command script(std::string text) {
    return {
        .program = "/bin/sh",
        .arguments = {"-c", std::move(text)},
        .environment = {"PATH=/usr/bin:/bin"}};
}

std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all{"/proc/self/fd"};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

bool is_alive(pid_t process) {
    std::ifstream status{"/proc/" + std::to_string(process) + "/stat"};
    std::string number;
    std::string name;
    std::string state;
    return (status >> number >> name >> state) && state != "Z";
}

TEST(RunChild, PassesAtMostOneDescriptor) {
    const auto alone = run_child(script("ls /proc/self/fd | wc -l"), far_away(), {});
    auto reader = script("cat <&3; ls /proc/self/fd | wc -l");
    const int file = ::open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
    ASSERT_GE(file, 0);
    reader.passed = file;
    const auto given = run_child(reader, far_away(), {});
    ::close(file);
    std::ifstream comm{"/proc/self/comm"};
    std::string name;
    std::getline(comm, name);
    EXPECT_EQ(given.output, name + "\n" + std::to_string(std::stoi(alone.output) + 1) + "\n");
}

TEST(RunChild, WritesToAPassedDescriptor) {
    const auto path = ::testing::TempDir() + "written-by-a-child";
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    auto writer = script("echo out; echo oh dear >&2; exit 3");
    writer.standard_output = file;
    const auto end = run_child(writer, far_away(), {});
    ::close(file);
    EXPECT_EQ(end.outcome, child_outcome::exited);
    EXPECT_EQ(end.status, 3);
    EXPECT_EQ(end.output, "");
    EXPECT_EQ(end.error_output, "oh dear\n");
    std::ifstream written{path};
    std::string text;
    std::getline(written, text);
    EXPECT_EQ(text, "out");
    std::filesystem::remove(path);
}

TEST(RunChild, RepliesToTheFirstOutput) {
    auto asker = script("echo one; read -r line; echo \"$line\"; cat; echo two");
    std::string first;
    asker.reply = [&first](std::string_view output) {
        first = output;
        return "three\nfour\n";
    };
    const auto end = run_child(asker, far_away(), {});
    EXPECT_EQ(first, "one\n");
    EXPECT_EQ(end.output, "three\nfour\ntwo\n");
    EXPECT_EQ(end.outcome, child_outcome::exited);
}

TEST(RunChild, RepliesToNoneThatEndsBefore) {
    auto silent = script("printf without; exit 3");
    silent.reply = [](std::string_view) -> std::string { throw std::logic_error{"called"}; };
    const auto end = run_child(silent, far_away(), {});
    EXPECT_EQ(end.status, 3);
    EXPECT_EQ(end.output, "without");
}

TEST(RunChild, SurvivesAChildThatEndsBeforeTheReply) {
    const auto descriptors = open_descriptors();
    auto hasty = script("exec 0<&-; echo one; exit 3");
    hasty.reply = [](std::string_view) { return std::string(reply_bytes_max, 'x'); };
    const auto end = run_child(hasty, far_away(), {});
    EXPECT_EQ(end.status, 3);
    EXPECT_EQ(open_descriptors(), descriptors);
}

TEST(RunChild, ReportsTheOutcome) {
    struct test_case {
        child_command command;
        child_outcome outcome;
        int status;
        const char* output;
        const char* error_output;
    };
    const test_case cases[] = {
        {unruly({"echo", "hello"}), child_outcome::exited, 0, "hello", ""},
        {unruly({"echo", "$(id) \"'; a b"}), child_outcome::exited, 0, "$(id) \"'; a b", ""},
        {unruly({"exit", "3"}), child_outcome::exited, 3, "", ""},
        {script("echo out; echo oh dear >&2; exit 1"),
         child_outcome::exited,
         1,
         "out\n",
         "oh dear\n"},
        {unruly({"crash"}), child_outcome::signalled, SIGSEGV, "", ""},
        {unruly({"raise", "15"}), child_outcome::signalled, SIGTERM, "", ""},
        {{.program = "/nowhere/program"},
         child_outcome::not_started,
         ENOENT,
         "",
         "/nowhere/program: No such file or directory"},
        {{.program = "/etc/passwd"}, child_outcome::not_started, EACCES, "", ""},
        {{.program = "/bin/true", .folder = "/nowhere"},
         child_outcome::not_started,
         ENOENT,
         "",
         ""},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.command.program);
        const auto end = run_child(expected.command, far_away(), {});
        EXPECT_EQ(end.outcome, expected.outcome) << end.error_output;
        EXPECT_EQ(end.status, expected.status);
        EXPECT_EQ(end.output, expected.output);
        EXPECT_THAT(end.error_output, HasSubstr(expected.error_output));
    }
}

TEST(RunChild, RunsInTheGivenFolder) {
    auto command = script("pwd");
    command.folder = "/usr/bin";
    EXPECT_EQ(run_child(command, far_away(), {}).output, "/usr/bin\n");
}

TEST(RunChild, BoundsTheOutput) {
    auto command = script("head -c 1000 /dev/zero");
    command.output_bytes_max = 1000;
    const auto whole = run_child(command, far_away(), {});
    EXPECT_EQ(whole.outcome, child_outcome::exited);
    EXPECT_EQ(whole.output.size(), 1000U);
    command.output_bytes_max = 999;
    EXPECT_EQ(run_child(command, far_away(), {}).outcome, child_outcome::flooding);

    const auto endless = run_child(unruly({"flood"}), far_away(), {});
    EXPECT_EQ(endless.outcome, child_outcome::flooding);
    EXPECT_LT(endless.output.size(), 3U * 1024 * 1024);
}

TEST(RunChild, KeepsTheEndOfTheErrorOutput) {
    const auto end = run_child(unruly({"print_error"}), far_away(), {});
    EXPECT_THAT(end.error_output, ::testing::EndsWith("alast words"));
    EXPECT_EQ(end.error_output.size(), child_error_output_bytes_max);
}

// A child that writes much error output and then succeeds: the output is drained, and the child is
// never blocked by it.
TEST(RunChild, IsNotBlockedByErrorOutput) {
    const auto end = run_child(script("head -c 3000000 /dev/zero >&2; echo fine"), far_away(), {});
    EXPECT_EQ(end.output, "fine\n");
}

TEST(RunChild, KillsAHangingChildAtTheDeadline) {
    for (const auto* mode : {"hang", "stubborn", "flood-errors", "spin"}) {
        SCOPED_TRACE(mode);
        const auto end = run_child(unruly({mode}), deadline::after(300ms), {});
        EXPECT_EQ(end.outcome, child_outcome::overdue);
    }
}

TEST(RunChild, StopsOnRequest) {
    std::string folder = std::filesystem::temp_directory_path() / "reelsd-process-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    auto command = script(std::string{"echo $$ > pid; exec "} + UNRULY_CHILD + " stubborn");
    command.folder = folder;
    std::stop_source stop;
    std::jthread asker{[&command, token = stop.get_token()] {
        EXPECT_EQ(run_child(command, far_away(), token).outcome, child_outcome::stopped);
    }};
    pid_t child = 0;
    while (!(std::ifstream{folder + "/pid"} >> child)) std::this_thread::yield();
    stop.request_stop();
    asker.join();
    EXPECT_FALSE(is_alive(child));
    const auto late = run_child(command, far_away(), stop.get_token());
    EXPECT_EQ(late.outcome, child_outcome::stopped);
    std::filesystem::remove_all(folder);
}

// Goal: nothing survives, not even a descendant that holds the pipes open.
TEST(RunChild, KillsTheWholeGroup) {
    const auto end = run_child(script("sleep 1000 & echo $!; exit 0"), far_away(), {});
    EXPECT_EQ(end.outcome, child_outcome::exited);
    const auto descendant = static_cast<pid_t>(std::atoi(end.output.c_str()));
    ASSERT_GT(descendant, 0);
    // It was sent SIGKILL; init reaps it some time later.
    while (is_alive(descendant)) std::this_thread::yield();
}

TEST(RunChild, PassesOnlyTheGivenEnvironment) {
    setenv("REELSD_SOME_KEY", "very secret", 1);
    auto command = unruly({"environment"});
    command.environment = {"ONE=1", "TWO=a b"};
    EXPECT_EQ(run_child(command, far_away(), {}).output, "ONE=1\nTWO=a b\n");
    unsetenv("REELSD_SOME_KEY");

    std::FILE* inheritable = std::fopen("/dev/null", "r");  // Without O_CLOEXEC, as libraries do.
    ASSERT_NE(inheritable, nullptr);
    EXPECT_EQ(run_child(unruly({"descriptors"}), far_away(), {}).output, "0 1 2 ");
    std::fclose(inheritable);
}

TEST(RunChild, LeaksNoDescriptorAndNoProcess) {
    const auto before = open_descriptors();
    for (int round = 0; round < 5; ++round) {
        static_cast<void>(run_child(unruly({"echo", "x"}), far_away(), {}));
        static_cast<void>(run_child(unruly({"crash"}), far_away(), {}));
        static_cast<void>(run_child({.program = "/nowhere"}, far_away(), {}));
        static_cast<void>(run_child(unruly({"hang"}), deadline::after(0s), {}));
    }
    EXPECT_EQ(open_descriptors(), before);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // No child is left, not even a dead one.
}

// Goal: each of many concurrent threads gets its own output.
TEST(RunChild, IsThreadSafe) {
    std::vector<std::jthread> threads;
    for (int number = 0; number < 16; ++number) {
        threads.emplace_back([number] {
            const auto text = std::to_string(number);
            EXPECT_EQ(run_child(unruly({"echo", text}), far_away(), {}).output, text);
        });
    }
}

TEST(SignalName, ExistsForEverySignal) {
    EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
    EXPECT_EQ(signal_name(1000), "signal 1000");
}

}  // namespace
}  // namespace reelsd::process
