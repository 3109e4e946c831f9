#include "permit.hpp"

#include <reelsd/base/sleep.hpp>

namespace reelsd::platform {
namespace {

using namespace std::chrono_literals;

/// One statement.
constexpr std::chrono::seconds note_time_max{5};
/// A stop takes 8 s in all (bounds::shutdown_grace), also when the database is away.
constexpr std::chrono::seconds note_time_stopped_max{1};

/// False when it was stopped, or had no time for it.
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
        auto turn = pace.ask(resolver, by);
        if (!turn || turn->wait <= 0s || turn->is_cooldown) return turn;
        if (turn->wait > patient_until.remaining()) return turn;
        if (!sleep_within(turn->wait, by, stop))
            return error{errc::cancelled, "stopped while waiting for its turn"};
    }
}

seconds_f note_try(
    rate_limiter& pace, std::string_view resolver, const finished_try& ended,
    const std::stop_token& stop) {
    // A caller that was stopped has learnt nothing and is in a hurry.
    return pace.note(
        resolver,
        ended,
        deadline::after(stop.stop_requested() ? note_time_stopped_max : note_time_max));
}

}  // namespace reelsd::platform
