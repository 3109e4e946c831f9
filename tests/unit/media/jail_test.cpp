#include <reelsd/process/child_run.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
using process::child_end;
using process::child_outcome;

child_end try_in_jail(const std::string& what, const std::string& layers) {
    const auto video =
        std::filesystem::temp_directory_path() / ("reelsd-jail-video-" + std::to_string(getpid()));
    std::ofstream{video} << "bytes";
    auto end = process::run_child(
        {.program = HOSTILE_CHILD, .arguments = {what, video.string(), layers}},
        deadline::after(60s),
        {});
    std::filesystem::remove(video);
    EXPECT_NE(end.outcome, child_outcome::not_started) << end.error_output;
    return end;
}

std::string refused(int code) {
    return "refused " + std::to_string(code);
}

#ifndef REELSD_MEDIA_SANITIZED
// Goal: a compromised decoder can do nothing. Method: a program enters the jail and tries; each
// attempt fails with the stated error, or kills it with the stated signal.
TEST(Jail, DeniesWhatADecoderDoesNotNeed) {
    struct test_case {
        const char* attempt;
        std::string output;
        int signal;
    };
    const test_case cases[] = {
        {"nothing", "done", 0},
        {"read-video", "done", 0},
        {"home", refused(EACCES), 0},
        {"passwd", refused(EACCES), 0},
        {"new-file", refused(EACCES), 0},
        {"new-folder", refused(EACCES), 0},
        {"stat", refused(EACCES), 0},
        {"socket", refused(EACCES), 0},
        {"fork", refused(EPERM), 0},
        {"exec", "", SIGSYS},
        {"kill-parent", "", SIGSYS},
        {"read-input", "", SIGSYS},
        {"code", "", SIGSYS},
        {"shared-memory", "", SIGSYS},
        {"spin", "", SIGXCPU},
        {"abort", "", SIGABRT},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.attempt);
        const auto end = try_in_jail(expected.attempt, "all");
        EXPECT_EQ(end.output, expected.output);
        EXPECT_EQ(end.status, expected.signal);
        EXPECT_EQ(
            end.outcome, expected.signal == 0 ? child_outcome::exited : child_outcome::signalled);
    }
}

// Goal: the memory limit is effective. That of the hostile child is 256 MiB, including its own.
TEST(Jail, BoundsMemory) {
    const auto end = try_in_jail("memory", "all");
    int megabytes = 0;
    ASSERT_EQ(std::sscanf(end.output.c_str(), "allocated %d", &megabytes), 1) << end.output;
    EXPECT_GE(megabytes, 128);
    EXPECT_LE(megabytes, 256);
}
#endif

// Goal: the other layers hold without the filter. Expects Linux 5.13 or later with user namespaces.
TEST(Jail, HoldsWithoutTheFilter) {
    const auto file = try_in_jail("passwd", "unfiltered");
    // RLIMIT_NOFILE may deny it before Landlock does.
    EXPECT_TRUE(file.output == refused(EACCES) || file.output == refused(EMFILE)) << file.output;
    // Only Landlock denies it: /tmp is writable, and a folder needs no descriptor.
    const auto folder = try_in_jail("new-folder", "unfiltered");
    EXPECT_EQ(folder.output, refused(EACCES));
    const auto network = try_in_jail("socket", "unfiltered");
    EXPECT_TRUE(network.output.starts_with("refused")) << network.output;
    const auto parent = try_in_jail("kill-parent", "unfiltered");
    EXPECT_EQ(parent.output, refused(EPERM));
    const auto spinning = try_in_jail("spin", "unfiltered");
    EXPECT_EQ(spinning.outcome, child_outcome::signalled);
    EXPECT_EQ(spinning.status, SIGXCPU);
}

#ifndef REELSD_MEDIA_SANITIZED
TEST(Jail, BoundsSharedMemoryWithoutTheFilter) {
    const auto end = try_in_jail("shared-memory", "unfiltered");
    int megabytes = 0;
    ASSERT_EQ(std::sscanf(end.output.c_str(), "allocated %d", &megabytes), 1) << end.output;
    EXPECT_LE(megabytes, 256 + 192);
}
#endif

}  // namespace
}  // namespace reelsd::media
