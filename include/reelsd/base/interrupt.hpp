#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace reelsd {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop request during its lifetime. A second signal ends
/// the program immediately, with the exit code 130 of the shell's convention. Construct it before
/// any other thread, because later threads inherit the blocked signals. Its own thread receives
/// them with sigwait(), so that no code runs in a signal handler.
class interrupt {
public:
    interrupt();
    ~interrupt();

    [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }

private:
    void wait_for_signals();

    std::stop_source stop_;
    std::atomic<bool> closing_{false};
    std::thread waiter_;
};

}  // namespace reelsd
