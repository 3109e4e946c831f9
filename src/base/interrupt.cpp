#include <reelsd/base/interrupt.hpp>
#include <reelsd/base/invariant.hpp>

#include <pthread.h>
#include <unistd.h>

#include <csignal>

namespace reelsd {
namespace {

/// 128 and the number of SIGINT, by the shell's convention.
constexpr int exit_interrupted = 130;

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

}  // namespace

interrupt::interrupt() {
    const auto set = stop_signals();
    invariant(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
    waiter_ = std::thread{[this] { wait_for_signals(); }};
}

interrupt::~interrupt() {
    closing_ = true;
    // Reaches only this thread, which then finds that it must end.
    // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread): it is blocked, and taken by sigwait().
    pthread_kill(waiter_.native_handle(), SIGTERM);
    waiter_.join();
}

void interrupt::wait_for_signals() {
    const auto set = stop_signals();
    while (true) {
        int signal = 0;
        if (sigwait(&set, &signal) != 0 || closing_) return;
        // A second Ctrl-C: no destructor may delay it.
        if (!stop_.request_stop()) _exit(exit_interrupted);
    }
}

}  // namespace reelsd
