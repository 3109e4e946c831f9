#include "text_reader.hpp"

#include <gtest/gtest.h>
#include <media/child/jail.hpp>
#include <seccomp.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reelsd::media::text {
namespace {

/// From now on, a socket, a thread or a process ends this process by SIGSYS.
bool forbid_network_and_threads() {
    const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool is_set = filter != nullptr;
    for (const int call :
         {SCMP_SYS(socket),
          SCMP_SYS(socketpair),
          SCMP_SYS(connect),
          SCMP_SYS(sendto),
          SCMP_SYS(clone),
          SCMP_SYS(clone3),
          SCMP_SYS(fork),
          SCMP_SYS(vfork),
          SCMP_SYS(execve)}) {
        is_set = is_set && seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, call, 0) == 0;
    }
    return is_set && seccomp_load(filter) == 0;
}

/// Bright stripes on a portrait frame, which the detector may take for text.
std::vector<std::uint8_t> stripes() {
    std::vector<std::uint8_t> pixels(std::size_t{3} * 720 * 1280, 30);
    for (std::size_t y = 100; y < 1200; ++y) {
        for (std::size_t x = 60; x < 660; ++x) {
            if (y % 60 < 30 && (x * 7 + y / 60 * 13) % 24 < 12) pixels[(y * 720 + x) * 3] = 250;
        }
    }
    return pixels;
}

/// Exit code of a process that loads and runs the networks; 0 is success.
int read_in_jail() {
    constexpr std::size_t data_bytes_max = std::size_t{300} * 1024 * 1024;
    const auto pixels = stripes();
    if (!forbid_network_and_threads()) return 1;
    const auto reader = text_reader::load(INSTALLED_MODELS);
    if (!reader) return 2;
    // Leaving the user's namespace fails with a second thread.
    auto held = jail::confine({.data_bytes_max = data_bytes_max, .cpu_seconds_max = 60}, 0);
    jail::seal(held, {});
    if (!held.resource_limits || !held.system_call_filter) return 3;
    for (int frame = 0; frame < 4; ++frame) {
        (*reader)->add_frame(
            {pixels.data(), 720, 1280, std::ptrdiff_t{3} * 720}, frame / frames_per_second);
    }
    static_cast<void>((*reader)->finish(1));
    return 0;
}

// Goal: no part of the reader uses the network or starts a thread, and 300 MiB are enough in the
// real jail. Method: a process that is killed at the first such call while it loads the networks,
// and enters the jail before it runs them.
TEST(Isolation, ReadsWithoutNetworkAndThreadsInTheJail) {
    EXPECT_EXIT(_exit(read_in_jail()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace reelsd::media::text
