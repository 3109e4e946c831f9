#include <reelsd/model/circuit_breaker.hpp>

#include <algorithm>

namespace reelsd::model {
namespace {

/// Each failure is a request with all its retries, about 15 s.
constexpr int failures_max = 5;
constexpr seconds_f failure_wait_first{10.0};
constexpr seconds_f failure_wait_max{300.0};
/// Short, because the operator may repair it at any time.
constexpr seconds_f misconfigured_wait_first{5.0};
constexpr seconds_f misconfigured_wait_max{60.0};
/// While another worker probes.
constexpr seconds_f probe_wait{2.0};

circuit_breaker::clock::duration ticks(seconds_f wait) {
    return std::chrono::duration_cast<circuit_breaker::clock::duration>(wait);
}

}  // namespace

std::optional<circuit_breaker::rejection> circuit_breaker::admit(clock::time_point now) {
    const std::scoped_lock guard{lock_};
    const auto rejected = locked_peek(now);
    if (!rejected && open_until_ != clock::time_point{}) is_probing_ = true;
    return rejected;
}

std::optional<circuit_breaker::rejection> circuit_breaker::peek(clock::time_point now) const {
    const std::scoped_lock guard{lock_};
    return locked_peek(now);
}

std::optional<circuit_breaker::rejection> circuit_breaker::locked_peek(
    clock::time_point now) const {
    if (open_until_ == clock::time_point{}) return std::nullopt;
    if (now < open_until_) return rejection{open_until_ - now, is_misconfigured_};
    if (is_probing_) return rejection{probe_wait, false};
    return std::nullopt;
}

void circuit_breaker::succeeded() {
    const std::scoped_lock guard{lock_};
    open_until_ = {};
    last_wait_ = seconds_f{0};
    failures_ = 0;
    is_probing_ = false;
    is_misconfigured_ = false;
    has_succeeded_ = true;
}

void circuit_breaker::failed(clock::time_point now) {
    const std::scoped_lock guard{lock_};
    ++failures_;
    const bool was_probe = is_probing_;
    is_probing_ = false;
    if (!was_probe && failures_ < failures_max) return;
    // Requests from before it opened do not extend it.
    if (!was_probe && now < open_until_) return;
    is_misconfigured_ = false;
    open(failure_wait_first, failure_wait_max, now);
}

void circuit_breaker::misconfigured(clock::time_point now) {
    const std::scoped_lock guard{lock_};
    const bool was_probe = is_probing_;
    is_probing_ = false;
    if (!was_probe && now < open_until_) return;
    is_misconfigured_ = true;
    open(misconfigured_wait_first, misconfigured_wait_max, now);
}

void circuit_breaker::open(seconds_f wait_first, seconds_f wait_max, clock::time_point now) {
    last_wait_ = std::clamp(last_wait_ * 2, wait_first, wait_max);
    open_until_ = now + ticks(last_wait_);
}

void circuit_breaker::abandoned() {
    const std::scoped_lock guard{lock_};
    is_probing_ = false;
}

void circuit_breaker::open_for(seconds_f wait, clock::time_point now) {
    const std::scoped_lock guard{lock_};
    is_probing_ = false;
    is_misconfigured_ = false;
    open_until_ = std::max(open_until_, now + ticks(wait));
}

bool circuit_breaker::is_lone_failure() const {
    const std::scoped_lock guard{lock_};
    return failures_ <= 1;
}

seconds_f circuit_breaker::remaining(clock::time_point now) const {
    const std::scoped_lock guard{lock_};
    return std::max(seconds_f{open_until_ - now}, seconds_f{0});
}

bool circuit_breaker::has_succeeded() const {
    const std::scoped_lock guard{lock_};
    return has_succeeded_;
}

}  // namespace reelsd::model
