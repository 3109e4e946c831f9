#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/background_service.hpp>
#include <reelsd/base/clock.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <string>
#include <string_view>

namespace reelsd::work {

/// A background service that repeats a step. A failed step is logged and repeated.
class periodic_task : public async::background_task {
public:
    using duration = monotonic_clock::duration;

    /// `interval`: the pause between the end of a step and the next one.
    periodic_task(
        std::string name, const boost::asio::any_io_executor& loop, duration interval,
        log::logger log)
        : background_task{std::move(name), loop, std::move(log)},
          interval_{interval},
          pause_{interval} {}

protected:
    /// Sets the pause after the current step, in place of the interval.
    void pause_for(duration pause) noexcept { pause_ = pause; }

    /// Runs `part` and logs its exception. Returns whether it succeeded. Rethrows only
    /// cancellation.
    [[nodiscard]] awaitable<bool> succeeds(std::string_view what, awaitable<void> part);

private:
    virtual awaitable<void> step() = 0;
    /// Called after a step that threw.
    virtual void on_failure() {}
    awaitable<void> run() final;

    duration interval_;
    duration pause_;
};

}  // namespace reelsd::work
