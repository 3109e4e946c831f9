#include <reelsd/base/sleep.hpp>
#include <reelsd/platform/rate_limiter.hpp>

namespace reelsd::platform {
namespace {

using namespace std::chrono_literals;

/// Upper bound on one statement.
constexpr std::chrono::seconds note_time_max{5};
/// A stop takes at most 8 s (bounds::shutdown_grace), also without the database.
constexpr std::chrono::seconds note_time_stopped_max{1};

/// False when it was stopped, or the deadline is too early.
bool sleep_within(seconds_f time, deadline by, const std::stop_token& stop) {
    const auto until =
        deadline::clock::now() + std::chrono::duration_cast<deadline::clock::duration>(time);
    if (until > by.when()) return false;
    return stoppable_sleep_until(until, stop);
}

}  // namespace

result<required_wait> wait_for_permit(
    std::string_view resolver, rate_limiter& pace, seconds_f patience, deadline by,
    const std::stop_token& stop) {
    const auto patient_until =
        by.at_most(std::chrono::duration_cast<deadline::clock::duration>(patience));
    for (;;) {
        auto permit = pace.ask(resolver, by);
        if (!permit || permit->wait <= 0s || permit->is_cooldown) return permit;
        if (permit->wait > patient_until.remaining()) return permit;
        if (!sleep_within(permit->wait, by, stop))
            return error{errc::cancelled, "stopped while waiting for a permit"};
    }
}

seconds_f note_try(
    rate_limiter& pace, std::string_view resolver, const finished_try& ended,
    const std::stop_token& stop) {
    // A stopped look-up has no outcome to record.
    return pace.note(
        resolver,
        ended,
        deadline::after(stop.stop_requested() ? note_time_stopped_max : note_time_max));
}

}  // namespace reelsd::platform
