#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/pipeline/dispatcher.hpp>

#include <algorithm>

// For how long what a dispatcher holds is held: leases that are renewed, no longer trusted, or
// lost, and jobs that have waited for a worker for too long.

namespace reelsd::pipeline {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// That a job waits here for a worker: as long as another daemon may take to look for one. Checked
/// as often as leases are, at least once a second.
constexpr auto wait_max = 1s;
/// Of the lease: renewed after a quarter, so that three renewals may fail; not trusted after 0.8,
/// which leaves a worker the rest to stop in.
constexpr double renew_fraction = 0.25;
constexpr double trust_fraction = 0.8;
constexpr double check_fraction = 0.05;

monotonic_clock::duration part_of(seconds_f lease, double fraction) {
    return std::chrono::duration_cast<monotonic_clock::duration>(lease * fraction);
}

}  // namespace

asio::awaitable<void> dispatcher::lease_loop() {
    const auto interval = part_of(options_.lease, renew_fraction);
    for (;;) {
        co_await async::pause(interval);
        if (held_.empty()) continue;
        try {
            co_await renew();
        } catch (const db::failure& failure) {
            note_database(failure.code() != errc::database_unavailable);
            if (database_reachable_) log_.error("queue: renew", {{"reason", failure.what()}});
        }
    }
}

asio::awaitable<void> dispatcher::trust_loop() {
    // A loop of its own: a renewal that hangs must not keep us from noticing that it is too late.
    const auto interval =
        std::min<monotonic_clock::duration>(part_of(options_.lease, check_fraction), 1s);
    for (;;) {
        co_await async::pause(interval);
        stop_untrusted();
        hand_back_late();
    }
}

bool dispatcher::is_trusted(monotonic_clock::time_point lease_from) const {
    return monotonic_clock::now() - lease_from < part_of(options_.lease, trust_fraction);
}

asio::awaitable<void> dispatcher::renew() {
    const auto asked = monotonic_clock::now();
    const auto before = holdings();
    // A renewal that comes too late is worth nothing: the wait for it must not keep us from
    // noticing.
    const auto by = deadline::after(part_of(options_.lease, renew_fraction));
    const auto answer = co_await queue_.renew(before, options_.lease, by);
    const auto contains = [](const std::vector<jobs::holding>& list, const jobs::holding& one) {
        return std::find(list.begin(), list.end(), one) != list.end();
    };
    for (const auto& holding : before) {
        const auto held = held_.find(holding.job.value);
        // It may have been reported meanwhile, and even claimed again.
        if (held == held_.end() || held->second.job.claim != holding.claim) continue;
        if (contains(answer.renewed, holding)) {
            held->second.lease_from = asked;
        } else if (!contains(answer.skipped, holding)) {
            stop_attempt(held->second);
        }
    }
}

void dispatcher::stop_untrusted() {
    for (auto& [id, held] : held_) {
        if (is_trusted(held.lease_from)) continue;
        if (held.now != stage::at_work || held.stop.stop_requested()) continue;
        log_.warning("lease could not be renewed in time: attempt stopped", {{"job", id}});
        held.stop.request_stop();
    }
}

void dispatcher::hand_back_late() {
    // Longest waiting first.
    while (!waiting_.empty()) {
        auto& held = held_.at(waiting_.front());
        if (monotonic_clock::now() - held.since < wait_max) return;
        ahead_.note_late();
        stop_attempt(held);
    }
}

asio::awaitable<void> dispatcher::lost_loop() {
    for (;;) {
        co_await async::pause(options_.lost_interval);
        if (held_.empty()) continue;
        try {
            co_await stop_lost();
        } catch (const db::failure& failure) {
            // The lease loop tells of an outage, and the leases themselves end the work then.
            log_.debug("queue: lost jobs", {{"reason", failure.what()}});
        }
    }
}

asio::awaitable<void> dispatcher::stop_lost() {
    const auto before = holdings();
    const auto lost =
        co_await queue_.lost_among(before, deadline::after(jobs::queue_query_time_max));
    for (const auto job : lost) {
        const auto held = held_.find(job.value);
        const auto asked = std::find_if(
            before.begin(), before.end(), [job](const auto& one) { return one.job == job; });
        // It may have been reported meanwhile, and even claimed again.
        if (held == held_.end() || held->second.job.claim != asked->claim) continue;
        stop_attempt(held->second);
    }
}

}  // namespace reelsd::pipeline
