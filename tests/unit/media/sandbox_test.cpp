// Goal: a program in the sandbox can use its own folder and the web only, and ends with the daemon.
// Method: the real launcher with scripts that try other things.
#include "video_maker.hpp"
#include <reelsd/process/child_run.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
using process::child_end;
using process::child_outcome;
using ::testing::HasSubstr;

constexpr int exit_not_sandboxed = 77;
constexpr int exit_usage = 64;

class Sandbox : public ::testing::Test {
protected:
    /// `features`: missing kernel features; see without_features.cpp.
    [[nodiscard]] child_end run(
        std::vector<std::string> program, const std::string& features = "none",
        const std::string& policy = "require") const {
        std::vector<std::string> words{
            features,
            MEDIA_HELPER,
            "fence",
            "--parent",
            std::to_string(getpid()),
            "--jail",
            policy};
        words.insert(words.end(), {"--write", writable_.string(), "--connect", "443", "--"});
        words.insert(words.end(), program.begin(), program.end());
        return process::run_child(
            {.program = WITHOUT_FEATURES,
             .arguments = words,
             .environment = {"PATH=/usr/bin:/bin", "TMPDIR=" + writable_.string()},
             .folder = "/"},
            deadline::after(60s),
            {});
    }
    [[nodiscard]] child_end shell(const std::string& text) const {
        return run({"/bin/sh", "-c", text});
    }
    [[nodiscard]] child_end python(const std::string& text) const {
        return run({"/usr/bin/python3", "-c", text});
    }

    video_maker folder_;
    std::filesystem::path secret_ = folder_.write("secret", "a key");
    std::filesystem::path writable_ = [this] {
        std::filesystem::create_directory(folder_.folder() / "own");
        return folder_.folder() / "own";
    }();
};

TEST_F(Sandbox, EndsLikeItsProgram) {
    const auto answer = shell("echo out; echo err >&2; exit 3");
    EXPECT_EQ(answer.outcome, child_outcome::exited);
    EXPECT_EQ(answer.status, 3);
    EXPECT_EQ(answer.output, "out\n");
    EXPECT_EQ(answer.error_output, "err\n");
    const auto crash = shell("kill -SEGV $$");
    EXPECT_EQ(crash.outcome, child_outcome::signalled);
    EXPECT_EQ(crash.status, SIGSEGV);
    const auto none = run({"/nowhere/program"});
    EXPECT_EQ(none.status, exit_not_sandboxed);
    EXPECT_THAT(none.error_output, HasSubstr("/nowhere/program: No such file"));
    EXPECT_EQ(run({}).status, exit_usage);
}

TEST_F(Sandbox, ReachesOnlyItsFolderAndTheSystem) {
    const auto own = shell("cd \"$TMPDIR\" && mkdir a && echo text > a/b && cat a/b && rm -r a");
    EXPECT_EQ(own.output, "text\n") << own.error_output;
    EXPECT_EQ(shell("ls /usr/bin > /dev/null && cat /etc/hosts > /dev/null").status, 0);

    const auto parent = "/proc/" + std::to_string(getpid()) + "/environ";
    for (const std::string& path : {secret_.string(), std::string{"/etc/passwd"}, parent}) {
        SCOPED_TRACE(path);
        const auto read = shell("cat " + path);
        EXPECT_NE(read.status, 0);
        EXPECT_EQ(read.output, "");
    }
    EXPECT_NE(shell("echo more >> " + secret_.string()).status, 0);
    EXPECT_NE(shell("rm " + secret_.string()).status, 0);
    EXPECT_NE(shell("touch " + (folder_.folder() / "new").string()).status, 0);
    EXPECT_TRUE(std::filesystem::exists(secret_));
}

TEST_F(Sandbox, ReachesNoOtherProcess) {
    EXPECT_NE(shell("kill -0 " + std::to_string(getpid())).status, 0);
    EXPECT_NE(shell("unshare -U true").status, 0);
}

// Represents the private database; Landlock does not deny connecting to it.
TEST_F(Sandbox, ConnectsToNoUnixSocket) {
    const auto path = (folder_.folder() / "socket").string();
    const int speech_recogniser = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(bind(speech_recogniser, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(speech_recogniser, 1), 0);
    const auto streams =
        python("import socket; socket.socket(socket.AF_UNIX).connect('" + path + "')");
    EXPECT_THAT(streams.error_output, HasSubstr("Address family not supported"));
    const auto pair = python("import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)");
    EXPECT_THAT(pair.error_output, HasSubstr("PermissionError"));
    close(speech_recogniser);
}

TEST_F(Sandbox, ConnectsToNoOtherPort) {
    const int speech_recogniser = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(bind(speech_recogniser, reinterpret_cast<sockaddr*>(&address), size), 0);
    ASSERT_EQ(getsockname(speech_recogniser, reinterpret_cast<sockaddr*>(&address), &size), 0);
    ASSERT_EQ(listen(speech_recogniser, 1), 0);
    const auto port = std::to_string(ntohs(address.sin_port));
    const auto connected =
        python("import socket; socket.create_connection(('127.0.0.1', " + port + "))");
    EXPECT_THAT(connected.error_output, HasSubstr("PermissionError"));
    close(speech_recogniser);
}

TEST_F(Sandbox, BoundsMemoryAndFiles) {
    EXPECT_THAT(python("bytearray(1 << 30)").error_output, HasSubstr("MemoryError"));
    EXPECT_EQ(shell("ulimit -t").output, "30\n");
    EXPECT_EQ(shell("ulimit -n").output, "256\n");
    EXPECT_EQ(shell("ulimit -c").output, "0\n");
}

// The score is inherited from the media program. Landlock would deny reading it later.
TEST_F(Sandbox, IsKilledFirstWhenMemoryRunsOut) {
    const auto score = run({"/bin/cat", "/proc/self/oom_score_adj"}, "landlock", "best-effort");
    EXPECT_EQ(score.output, "1000\n") << score.error_output;
}

TEST_F(Sandbox, RequiresItsMainLayers) {
    for (const char* features : {"landlock", "seccomp"}) {
        SCOPED_TRACE(features);
        const auto refused = run({"/bin/echo", "out"}, features);
        EXPECT_EQ(refused.status, exit_not_sandboxed);
        EXPECT_EQ(refused.output, "");
        EXPECT_THAT(refused.error_output, HasSubstr("incomplete (jail = require)"));
        EXPECT_EQ(run({"/bin/echo", "out"}, features, "best-effort").output, "out\n");
    }
    EXPECT_EQ(run({"/bin/echo", "out"}, "namespaces").output, "out\n");
}

/// Starts the sandbox from another process, kills that, and waits for the end of the output, which
/// is open while a process in the sandbox exists.
void expect_end_with_the_parent(const std::string& program) {
    std::array<int, 2> output{-1, -1};
    ASSERT_EQ(pipe2(output.data(), O_CLOEXEC), 0);
    const pid_t parent = fork();
    ASSERT_GE(parent, 0);
    if (parent == 0) {
        dup2(output[1], STDOUT_FILENO);
        const auto number = std::to_string(getpid());
        if (fork() == 0) {
            execl(
                MEDIA_HELPER,
                MEDIA_HELPER,
                "fence",
                "--parent",
                number.c_str(),
                "--",
                "/bin/sh",
                "-c",
                program.c_str(),
                nullptr);
            _exit(127);
        }
        for (;;) pause();
    }
    close(output[1]);
    char letter = 0;
    EXPECT_EQ(read(output[0], &letter, 1), 1);
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    pollfd end{output[0], POLLIN, 0};
    EXPECT_EQ(poll(&end, 1, 60'000), 1) << "a process outlived the daemon";
    EXPECT_EQ(read(output[0], &letter, 1), 0);
    close(output[0]);
}

TEST_F(Sandbox, LeavesNothingBehindWhenTheDaemonIsKilled) {
    expect_end_with_the_parent("printf x; exec sleep 600");
    expect_end_with_the_parent("setsid sh -c 'printf x; exec sleep 600' & wait");
}

}  // namespace
}  // namespace reelsd::media
