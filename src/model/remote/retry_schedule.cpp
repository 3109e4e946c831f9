#include "retry_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace reelsd::model {
namespace {

constexpr int busy_tries_max = 5;       // Of a provider that is only busy.
constexpr int transient_tries_max = 3;  // Of one that is broken.
constexpr int slow_tries_max = 2;       // Each may have taken minutes, or have been billed.
constexpr seconds_f pause_first{1.0};
constexpr seconds_f pause_max{60.0};
/// Longer than a worker waits for.
constexpr seconds_f wait_max = pause_max;
/// Longer than anybody should ask in vain.
constexpr seconds_f circuit_from{300.0};
constexpr double server_delay_spread = 0.25;
/// A server that says "at once" is not taken at its word.
constexpr seconds_f server_delay_least{0.25};

int tries_max(failure_kind kind) noexcept {
    switch (kind) {
        case failure_kind::rate_limited:
        case failure_kind::overloaded:
        case failure_kind::file_not_ready: return busy_tries_max;
        case failure_kind::transient:
        case failure_kind::server_fault: return transient_tries_max;
        case failure_kind::slow: return slow_tries_max;
        case failure_kind::misconfigured:
        case failure_kind::unauthorized:
        case failure_kind::quota_exhausted:
        case failure_kind::video_rejected:
        case failure_kind::payload_too_large:
        case failure_kind::schema_refused:
        case failure_kind::thinking_refused:
        case failure_kind::store_refused:
        case failure_kind::limit_refused:
        case failure_kind::file_gone:
        case failure_kind::no_calls_left:
        case failure_kind::budget_spent:
        case failure_kind::storage:
        case failure_kind::no_database:
        case failure_kind::cancelled: break;
    }
    return 1;
}

}  // namespace

next_try after_failed_try(const call_failure& why, int tries, double dice) noexcept {
    const auto told = why.server_delay.value_or(seconds_f{0});
    if (why.kind == failure_kind::quota_exhausted) return snooze{told, true};
    const bool is_asked_for = why.should_retry.value_or(false);
    int tries_most =
        is_asked_for ? std::max(tries_max(why.kind), transient_tries_max) : tries_max(why.kind);
    // A short outage must not use up the job's paid calls.
    if (why.may_be_billed) tries_most = std::min(tries_most, slow_tries_max);
    if (tries_most == 1 || !why.should_retry.value_or(true)) return give_up{};
    if (told > circuit_from) return snooze{told, true};
    if (told > wait_max) return snooze{told, false};
    if (tries >= tries_most) return give_up{};
    // Never earlier than told, and not all at once.
    if (why.server_delay)
        return try_again{std::max(told, server_delay_least) * (1 + server_delay_spread * dice)};
    const auto doubled = std::min(pause_first * std::pow(2.0, tries - 1), pause_max);
    return try_again{doubled * (0.5 + 0.5 * dice)};
}

}  // namespace reelsd::model
