#include "simulated_loop.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::simulation {

simulated_loop::simulated_loop() : now_{start}, busy_{context_.get_executor()} {
    invariant(!monotonic_clock::is_simulated());
    monotonic_clock::simulate(&now_);
}

simulated_loop::~simulated_loop() {
    monotonic_clock::simulate(nullptr);
}

void simulated_loop::after(duration length, event what) {
    const auto ticks = std::max<duration::rep>((length + tick - duration{1}) / tick, 0);
    plan_.push_back({.when = now_ + ticks * tick, .order = ++planned_, .what = std::move(what)});
    std::push_heap(plan_.begin(), plan_.end(), later{});
}

void simulated_loop::step(const event& check) {
    auto when = now_ + timer_lateness_max;
    if (!plan_.empty()) when = std::min(when, plan_.front().when);
    go_to(when);
    check();
    // Includes events planned for this moment in between.
    while (!plan_.empty() && plan_.front().when <= now_) {
        std::pop_heap(plan_.begin(), plan_.end(), later{});
        const auto next = std::move(plan_.back().what);
        plan_.pop_back();
        ++steps_;
        next();
        run_ready();
        check();
    }
}

void simulated_loop::go_to(instant when) {
    ++steps_;
    if (when == now_) return;
    // No handler is ready, so that the loop finds all due timers together and runs them in the
    // order of their times.
    now_ = when;
    bool looked = false;
    look_.expires_at(instant{});
    look_.async_wait([&looked](const boost::system::error_code&) { looked = true; });
    // The kernel may report a due timer late.
    while (!looked) context_.poll();
}

}  // namespace reelsd::simulation
