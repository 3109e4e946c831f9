#pragma once

#include "dice.hpp"
#include <reelsd/async/monotonic_timer.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace reelsd::simulation {

/// An event loop with simulated time and a schedule of events. While it exists, it drives
/// `monotonic_clock`; at most one exists at a time.
class simulated_loop {
public:
    using event = std::function<void()>;

    /// Times of events are rounded up to this. Events of the same time have an order.
    static constexpr duration tick = std::chrono::milliseconds{20};
    /// How late a timer of the code under test may fire, as on a busy machine.
    static constexpr duration timer_lateness_max = std::chrono::milliseconds{100};

    /// Late enough that earlier times, such as the end of an expired lease, can be represented.
    static constexpr instant start{std::chrono::hours{24}};

    simulated_loop();
    simulated_loop(const simulated_loop&) = delete;
    simulated_loop& operator=(const simulated_loop&) = delete;
    ~simulated_loop();

    [[nodiscard]] boost::asio::any_io_executor executor() { return context_.get_executor(); }
    [[nodiscard]] instant now() const noexcept { return now_; }

    /// Schedules `what` after `length`, outside the loop's handlers.
    void after(duration length, event what);

    /// Lets time pass until the next event, or by `timer_lateness_max` if that is less; runs the
    /// timers that are due and then the events one after the other, the loop after each, and
    /// `check` after that.
    void step(const event& check);

    /// Runs the handlers that are ready.
    void run_ready() { context_.poll(); }

    /// Events and moments so far.
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

private:
    struct planned {
        instant when;
        std::uint64_t order;  ///< Of two at one time, the one that was planned first.
        event what;
    };
    struct later {
        bool operator()(const planned& one, const planned& other) const {
            return one.when != other.when ? one.when > other.when : one.order > other.order;
        }
    };

    void go_to(instant when);

    instant now_;
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_;
    async::monotonic_timer look_{context_};
    std::vector<planned> plan_;  ///< A heap, the next one in front.
    std::uint64_t planned_ = 0;
    std::uint64_t steps_ = 0;
};

}  // namespace reelsd::simulation
