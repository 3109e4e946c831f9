#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/failure_text.hpp>
#include <reelsd/domain/jobs/transition.hpp>
#include <reelsd/work/engine/dispatcher.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;

/// Bounds of the pause between two requests for a permit while jobs are in line. Others may have
/// taken the expected permit, and a cool-down may end early.
constexpr auto permit_look_min = 10ms;
constexpr auto permit_look_max = 10s;
/// The pause while no job is known to be in line. Other daemons request permits for their own jobs
/// unless they have died.
constexpr auto empty_line_look_interval = 5s;

/// Whether the server will never accept this result because of its data: SQLSTATE classes 22 (data
/// exception), 23 (integrity constraint violation) and 54 (program limit exceeded). An operator can
/// repair every other cause, such as a full disk or a missing grant. Until then the result is kept,
/// because it may have been paid for.
/// Source: PostgreSQL 15 manual, appendix A.
bool is_unstorable(const jobs::transition& refused, const db::failure& refusal) {
    if (!std::holds_alternative<jobs::completed>(refused)) return false;
    const auto* const by_server = dynamic_cast<const db::refused*>(&refusal);
    if (by_server == nullptr) return false;
    const auto& state = by_server->sqlstate();
    return state.starts_with("22") || state.starts_with("23") || state.starts_with("54");
}

/// Whether a statement that failed like this may have changed anything, now or later.
bool may_have_run(const db::failure& failure) {
    if (const auto* away = dynamic_cast<const db::unavailable*>(&failure))
        return away->may_have_run();
    return dynamic_cast<const db::refused*>(&failure) == nullptr;
}

/// How long a job may wait here for a worker: as long as another daemon may take to poll for jobs.
/// Checked as often as leases, at least once a second.
constexpr auto wait_max = 1s;

}  // namespace

void dispatcher::log_attempt(
    const jobs::claimed_job& job, const jobs::transition& ended, seconds_f took) const {
    const log::fields about{
        {"job", job.id.value},
        {"attempt", job.attempt},
        {"outcome", jobs::outcome_name(ended)},
        {"seconds", took.count()}};
    // Not relevant for an operator.
    const bool is_snoozed = std::holds_alternative<jobs::snoozed>(ended) ||
                            std::holds_alternative<jobs::awaiting_permit>(ended);
    if (is_snoozed) return log_.debug("job snoozed", about);
    log_.info("job attempt ended", about);
}

dispatcher::dispatcher(
    jobs::job_queue& queue, async::task_group& tasks, std::unique_ptr<attempt_runner> attempts,
    dispatcher_options options, log::logger log)
    : work_loop{tasks, std::move(attempts), options.drain},
      queue_{queue},
      tasks_{tasks},
      options_{std::move(options)},
      log_{std::move(log)},
      leases_{options_.lease} {
    invariant(options_.lease >= 1s);
}

dispatcher::~dispatcher() = default;

void dispatcher::start() {
    if (capacity() == 0) return;
    const auto now = monotonic_clock::now();
    looked_at_ = now;
    next_rescue_ = now;
    next_permit_ = now + options_.look_interval;
    start_claiming();
    tasks_.spawn("renew leases", lease_loop());
    tasks_.spawn("check leases", expiry_loop());
    tasks_.spawn("look for lost jobs", lost_loop());
}

void dispatcher::cancel(job_id job) {
    if (claims().contains(job.value)) stop_work(job.value);
    options_.on_job_changed(job);
}

std::size_t dispatcher::jobs_to_claim() const noexcept {
    // One ended attempt per worker may still be reported. Attempts shorter than a claim are also
    // shorter than their reports: the same number ends while each of two reports is written.
    const auto held_max = 2 * capacity() + 3 * prefetch_.most();
    const auto room = held_max - std::min(held_max, held());
    return std::min({prefetch_.to_claim(capacity() - busy(), waiting()), room, prefetch::jobs_max});
}

void dispatcher::on_database_change(bool is_reachable) {
    if (is_reachable) {
        log_.info("queue: the database answers again");
    } else {
        log_.warning("queue: the database does not answer");
    }
}

awaitable<void> dispatcher::claim_work() {
    bool has_looked = false;
    if (monotonic_clock::now() >= next_rescue_) {
        next_rescue_ = monotonic_clock::now() + options_.look_interval;
        co_await rescue();
        cursor_.read_from_start();
        note_database(true);
        has_looked = true;
    }
    // First: permits are rare, and other jobs would keep all workers busy.
    if (may_claim_in_line()) co_await claim_in_line();
    if (jobs_to_claim() > 0) {
        co_await claim();
        has_looked = true;
    }
    if (has_looked) looked_at_ = monotonic_clock::now();
}

void dispatcher::log_claim_failure(const db::failure& failure) const {
    // An outage is logged once. A refusal is a bug or a broken server and is logged each time.
    if (is_database_reachable())
        log_.error("queue: claiming jobs failed", {{"reason", failure.what()}});
}

bool dispatcher::may_claim_in_line() const {
    const bool is_worker_idle = busy() + waiting() < capacity();
    return options_.line && is_worker_idle && monotonic_clock::now() >= next_permit_;
}

deadline dispatcher::next_claim_at() const {
    const auto usual = deadline::after(options_.look_interval);
    if (!options_.line || is_line_empty_) return usual;
    return usual.at_most(std::max<monotonic_clock::duration>(
        permit_look_min, next_permit_ - monotonic_clock::now()));
}

awaitable<void> dispatcher::claim_in_line() {
    const auto request = next_claim();
    const auto sent_at = monotonic_clock::now();
    next_permit_ = sent_at + options_.look_interval;  // Kept if the claim fails.
    jobs::line_answer answer;
    try {
        answer = co_await queue_.claim_in_line(
            request, *options_.line, deadline::after(jobs::queue_query_time_max));
    } catch (const db::failure& failure) {
        note_lost_claim(failure);
        throw;
    }
    note_database(true);
    is_line_empty_ = answer.is_empty;
    const auto wait = std::clamp<seconds_f>(answer.wait, permit_look_min, permit_look_max);
    next_permit_ = monotonic_clock::now() +
                   (answer.is_empty ? empty_line_look_interval
                                    : std::chrono::duration_cast<monotonic_clock::duration>(wait));
    if (has_stopped() || !answer.job) co_return;
    take_job(*std::move(answer.job), sent_at);
    begin_waiting();
}

jobs::claim_request dispatcher::next_claim() const {
    jobs::claim_request request{
        .worker = options_.worker,
        .jobs_max = std::max(1, static_cast<int>(jobs_to_claim())),
        .lease = options_.lease,
        .in_flight = {},
        .claim_epoch = claim_epoch_};
    for (const auto& [id, held] : claims()) request.in_flight.push_back(job_id{id});
    return request;
}

awaitable<void> dispatcher::claim() {
    auto request = next_claim();
    request.from_turn = cursor_.start();
    const auto sent_at = monotonic_clock::now();
    prefetch_.note_claim();
    std::vector<jobs::claimed_job> claimed;
    try {
        claimed = co_await queue_.claim(request, deadline::after(jobs::queue_query_time_max));
    } catch (const db::failure& failure) {
        note_lost_claim(failure);
        cursor_.read_from_start();
        throw;
    }
    note_database(true);
    const bool is_full = claimed.size() == static_cast<std::size_t>(request.jobs_max);
    cursor_.note_claim(request.from_turn, claimed.empty() ? 0 : claimed.back().turn, is_full);
    const auto starved = is_full ? capacity() - busy() : 0;
    prefetch_.note_claim_answer(monotonic_clock::now() - sent_at, starved);
    // The stop no longer waits for this claim; its jobs wait for the end of their leases.
    if (has_stopped()) co_return;
    for (auto& job : claimed) take_job(std::move(job), sent_at);
    begin_waiting();
    // More jobs may be ready after a full claim.
    if (is_full) wake();
}

void dispatcher::note_lost_claim(const db::failure& failure) {
    // The statement may still run at any later time. Its jobs then have a lower epoch than all
    // later claims, and the next claim takes them again unless they are held here.
    if (may_have_run(failure)) ++claim_epoch_;
}

void dispatcher::take_job(jobs::claimed_job job, monotonic_clock::time_point claim_sent) {
    const auto id = job.id.value;
    leases_.add({job.id, job.claim}, claim_sent);  // Claims exclude jobs held here.
    take(id, std::move(job));
}

void dispatcher::on_end(const held_claim& ended) {
    prefetch_.note_attempt(monotonic_clock::now() - ended.since);
    wake();
}

awaitable<bool> dispatcher::write_report(
    const jobs::claimed_job& job, const jobs::transition& ended) {
    const auto by = deadline::after(jobs::queue_query_time_max);
    return queue_.report({job.id, job.claim}, ended, by);
}

jobs::transition dispatcher::after_refusal(
    const jobs::claimed_job& job, jobs::transition refused, const db::failure& refusal,
    bool repeated) {
    if (!repeated) {
        log_.error("job report refused", {{"job", job.id.value}, {"reason", refusal.what()}});
    }
    if (!is_unstorable(refused, refusal)) return refused;
    // Another attempt would pay for another answer, which may be refused too.
    const error why{errc::storage_failed, "the database refuses the result"};
    return jobs::after_failure(job, why, jobs::retry_allowed::no, options_.policy, 0.5);
}

void dispatcher::on_reported(
    const held_claim& ended, const jobs::transition& outcome, bool written) {
    const auto job = ended.claim.id;
    note_report(ended, outcome, written);
    // This job may be due again. Claims made since then excluded it, or none was possible.
    const bool is_over = std::holds_alternative<jobs::completed>(outcome) ||
                         std::holds_alternative<jobs::failed>(outcome);
    if (!is_over) cursor_.read_from_start();
    // The job may get its permit immediately, unless others were in line already.
    if (std::holds_alternative<jobs::awaiting_permit>(outcome) && is_line_empty_) next_permit_ = {};
    // If a job of the account waited for the end of this one, it can be claimed only now.
    const bool is_worker_idle = busy() + waiting() < capacity();
    if (ended.is_delayed || held() >= 2 * capacity() || !is_over || is_worker_idle) wake();
    leases_.remove(job);
    options_.on_job_changed(job);
}

void dispatcher::note_report(
    const held_claim& ended, const jobs::transition& outcome, bool written) const {
    const auto& job = ended.claim;
    const bool has_begun = ended.now == stage::ended;
    const seconds_f took = monotonic_clock::now() - ended.since;
    if (has_begun && options_.on_attempt_ended) options_.on_attempt_ended(outcome, took, written);
    if (!written) {
        log_.info(
            "job lease lost; outcome discarded", {{"job", job.id.value}, {"attempt", job.attempt}});
    } else if (has_begun) {
        log_attempt(job, outcome, took);
    } else {
        log_.debug("job released before it began", {{"job", job.id.value}});
    }
}

awaitable<void> dispatcher::rescue() {
    jobs::rescue_request request{
        .held = leases_.leases(),
        .worker = options_.worker,
        .claim_epoch = claim_epoch_,
        .attempts_max = options_.policy.attempts_max,
        .exhausted_text = jobs::error_text(error{errc::internal}, options_.policy)};
    if (options_.line) request.line_host = options_.line->host;
    request.concurrent_jobs_default = options_.concurrent_jobs_default;
    const auto ended = co_await queue_.rescue(request, deadline::after(jobs::queue_query_time_max));
    for (const auto job : ended) {
        log_.warning("job failed: its worker died at every attempt", {{"job", job.value}});
        options_.on_job_changed(job);
    }
}

awaitable<void> dispatcher::lease_loop() {
    for (;;) {
        co_await async::pause(leases_.renew_interval());
        if (held() == 0) continue;
        try {
            co_await renew();
        } catch (const db::failure& failure) {
            note_database(failure.code() != errc::database_unavailable);
            if (is_database_reachable())
                log_.error("queue: renewing leases failed", {{"reason", failure.what()}});
        }
    }
}

awaitable<void> dispatcher::expiry_loop() {
    // A separate loop, so that expiry is noticed even while a renewal hangs.
    for (;;) {
        co_await async::pause(leases_.check_interval());
        stop_expired();
        release_late();
    }
}

awaitable<void> dispatcher::renew() {
    const auto sent = monotonic_clock::now();
    const auto requested = leases_.leases();
    // A late renewal is worthless, so the wait for it must not delay the check for expiry.
    const auto by = deadline::after(leases_.renew_interval());
    const auto answer = co_await queue_.renew(requested, options_.lease, by);
    for (const auto job : leases_.apply_renewal(requested, answer, sent)) {
        stop_work(job.value);
    }
}

void dispatcher::stop_expired() {
    for (const auto job : leases_.expired(monotonic_clock::now())) {
        const auto& held = claims().at(job.value);
        if (held.now != stage::running || held.stop.stop_requested()) continue;
        log_.warning("lease could not be renewed in time: attempt stopped", {{"job", job.value}});
        stop_work(job.value);
    }
}

void dispatcher::release_late() {
    while (const auto* const waits = longest_waiting()) {
        if (monotonic_clock::now() - waits->since < wait_max) return;
        prefetch_.note_late();
        stop_work(waits->claim.id.value);
    }
}

awaitable<void> dispatcher::lost_loop() {
    for (;;) {
        co_await async::pause(options_.lost_interval);
        if (held() == 0) continue;
        try {
            co_await stop_lost();
        } catch (const db::failure& failure) {
            // The lease loop reports an outage, and expired leases then end the work.
            log_.debug("queue: looking for lost jobs failed", {{"reason", failure.what()}});
        }
    }
}

awaitable<void> dispatcher::stop_lost() {
    const auto requested = leases_.leases();
    const auto lost =
        co_await queue_.lost_among(requested, deadline::after(jobs::queue_query_time_max));
    for (const auto& lease : requested) {
        const bool is_lost = std::find(lost.begin(), lost.end(), lease.job) != lost.end();
        // Ignores a job that was reported, or claimed again, since.
        if (is_lost && leases_.contains(lease)) stop_work(lease.job.value);
    }
}

}  // namespace reelsd::work
