#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace reelsd {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop request, for as long as it lives; a second one ends
/// the program at once, with the exit code 130 of the shell's convention. Construct it before any
/// other thread: the threads that follow inherit the blocked signals, which a thread of its own
/// takes with sigwait(), so that no code runs in a signal handler.
class interrupt {
public:
    interrupt();
    ~interrupt();
    interrupt(const interrupt&) = delete;
    interrupt& operator=(const interrupt&) = delete;

    [[nodiscard]] std::stop_token token() const noexcept { return asked_.get_token(); }

private:
    void wait_for_signals();

    std::stop_source asked_;
    std::atomic<bool> closing_{false};
    std::thread waiter_;
};

}  // namespace reelsd
