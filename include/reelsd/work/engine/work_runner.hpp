#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cstddef>
#include <functional>
#include <stop_token>
#include <utility>

namespace reelsd::work {

/// Runs claimed work. Thread: the loop's.
template <class Claim, class Outcome>
class work_runner {
public:
    /// Called once, on the loop, and never within `start`.
    using end_handler = std::function<void(Outcome outcome)>;

    work_runner() = default;
    work_runner(const work_runner&) = delete;
    work_runner& operator=(const work_runner&) = delete;
    /// Waits for running work without calling `on_end`.
    virtual ~work_runner() = default;

    /// Upper bound on concurrent work; 0 or more.
    [[nodiscard]] virtual std::size_t capacity() const noexcept = 0;

    /// Starts work. The caller respects the capacity. The work ends soon after a stop request.
    virtual void start(Claim claim, std::stop_token stop, end_handler on_end) = 0;
};

/// Runs work on its own threads. The destructor drops work that has not begun.
template <class Claim, class Outcome>
class threaded_runner final : public work_runner<Claim, Outcome> {
public:
    using typename work_runner<Claim, Outcome>::end_handler;
    /// Runs on a worker thread. Does not throw; ends soon after a stop request.
    using run_function = std::function<Outcome(const Claim&, std::stop_token)>;

    threaded_runner(boost::asio::any_io_executor loop, std::size_t threads, run_function run)
        : loop_{std::move(loop)}, run_{std::move(run)}, capacity_{threads}, threads_{threads} {}

    [[nodiscard]] std::size_t capacity() const noexcept override { return capacity_; }

    void start(Claim claim, std::stop_token stop, end_handler on_end) override {
        auto work = [this,
                     claim = std::move(claim),
                     stop = std::move(stop),
                     on_end = std::move(on_end)]() mutable {
            auto outcome = run_(claim, std::move(stop));
            auto finish = [on_end = std::move(on_end), outcome = std::move(outcome)]() mutable {
                on_end(std::move(outcome));
            };
            boost::asio::post(loop_, std::move(finish));
        };
        boost::asio::post(threads_, std::move(work));
    }

private:
    boost::asio::any_io_executor loop_;
    run_function run_;
    std::size_t capacity_;
    boost::asio::thread_pool threads_;  ///< Last: its threads use the members above.
};

}  // namespace reelsd::work
