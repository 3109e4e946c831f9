#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/transition.hpp>
#include <reelsd/work/engine/dispatcher.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Between two tries to write a report.
constexpr auto report_retry_interval = 500ms;
/// Between two looks for a permit while jobs are in line: others may have taken the one that was
/// expected, and a cool-down may end early.
constexpr auto permit_look_min = 10ms;
constexpr auto permit_look_max = 10s;
/// While no job is in line as far as is known: other daemons look for the permits of their own
/// jobs, unless they have died.
constexpr auto empty_line_look_interval = 5s;

/// Whether the server will never take this result, because the fault is in its data: SQLSTATE
/// classes 22 (data exception), 23 (integrity constraint violation) and 54 (program limit
/// exceeded). An operator can repair every other cause, such as a full disk or a missing grant:
/// until then the result is kept, for it may have been paid.
/// Source: PostgreSQL 15 manual, appendix A.
bool is_unstorable(const jobs::transition& refused, const db::failure& refusal) {
    if (!std::holds_alternative<jobs::completed>(refused)) return false;
    const auto* const by_server = dynamic_cast<const db::refused*>(&refusal);
    if (by_server == nullptr) return false;
    const auto& state = by_server->sqlstate();
    return state.starts_with("22") || state.starts_with("23") || state.starts_with("54");
}

/// What is reported after a refusal: the same again, or an error in place of a result that cannot
/// be stored. Another attempt would pay for another answer, which may be refused as well.
jobs::transition after_refusal(
    const jobs::claimed_job& job, jobs::transition refused, const db::failure& refusal,
    const jobs::retry_policy& policy) {
    if (!is_unstorable(refused, refusal)) return refused;
    const error why{errc::storage_failed, "the database refuses the result"};
    return jobs::after_failure(job, why, jobs::retry_allowed::no, policy, 0.5);
}

/// Whether a statement that failed so may have changed anything, now or later.
bool may_have_run(const db::failure& failure) {
    if (const auto* away = dynamic_cast<const db::unavailable*>(&failure))
        return away->may_have_run();
    return dynamic_cast<const db::refused*>(&failure) == nullptr;
}

/// That a job waits here for a worker: as long as another daemon may take to look for one. Checked
/// as often as leases are, at least once a second.
constexpr auto wait_max = 1s;

}  // namespace

void dispatcher::log_attempt(
    const jobs::claimed_job& job, const jobs::transition& ended, seconds_f took) const {
    const log::fields about{
        {"job", job.id.value},
        {"attempt", job.attempt},
        {"outcome", jobs::outcome_name(ended)},
        {"seconds", took.count()}};
    // Nothing has happened to it that an operator would look for.
    const bool is_put_off = std::holds_alternative<jobs::postponed>(ended) ||
                            std::holds_alternative<jobs::awaiting_permit>(ended);
    if (is_put_off) return log_.debug("job postponed", about);
    log_.info("job attempt ended", about);
}

dispatcher::dispatcher(
    jobs::job_queue& queue, async::task_group& tasks, std::unique_ptr<attempt_runner> runner,
    dispatcher_options options, log::logger log)
    : queue_{queue},
      tasks_{tasks},
      options_{std::move(options)},
      log_{std::move(log)},
      leases_{options_.lease},
      runner_{std::move(runner)} {
    invariant(options_.lease >= 1s);
}

dispatcher::~dispatcher() = default;

void dispatcher::start() {
    if (runner_->capacity() == 0) return;
    looked_at_ = monotonic_clock::now();
    tasks_.spawn("claim jobs", claim_loop());
    tasks_.spawn("renew leases", lease_loop());
    tasks_.spawn("check leases", expiry_loop());
    tasks_.spawn("look for lost jobs", lost_loop());
}

void dispatcher::wake() {
    wake_pending_ = true;
    woken_.notify_one();
}

void dispatcher::cancel(job_id job) {
    const auto held = held_.find(job.value);
    if (held != held_.end()) stop_attempt(held->second);
    options_.on_job_changed(job);
}

std::size_t dispatcher::wanted() const noexcept {
    const auto workers = runner_->capacity();
    // Of what a worker has ended, one may still be told of. Attempts that are shorter than a claim
    // are shorter than what tells of them as well: as many more end while two reports are written.
    const auto held_max = 2 * workers + 3 * ahead_.most();
    const auto room = held_max - std::min(held_max, held_.size());
    return std::min(
        {ahead_.to_claim(workers - busy(), waiting_.size()), room, claim_ahead::jobs_max});
}

std::size_t dispatcher::busy() const noexcept {
    return std::min(occupied_, runner_->capacity());
}

std::size_t dispatcher::unbegun() const noexcept {
    const auto is_unbegun = [](const auto& one) {
        return one.second.now == stage::waiting || one.second.now == stage::handed_back;
    };
    return static_cast<std::size_t>(std::count_if(held_.begin(), held_.end(), is_unbegun));
}

void dispatcher::note_database(bool reachable) {
    if (reachable == database_reachable_) return;
    database_reachable_ = reachable;
    if (reachable) {
        log_.info("queue: the database answers again");
        begin_waiting();
    } else {
        log_.warning("queue: the database does not answer");
        emptied_.notify_all();  // A stop waits for no answer that will not come.
    }
}

asio::awaitable<void> dispatcher::claim_loop() {
    auto next_rescue = monotonic_clock::now();
    next_permit_ = next_rescue + options_.look_interval;
    claiming_ = true;
    while (!stopping_) {
        wake_pending_ = false;
        bool has_looked = false;
        try {
            if (monotonic_clock::now() >= next_rescue) {
                next_rescue = monotonic_clock::now() + options_.look_interval;
                co_await rescue();
                cursor_.read_from_start();
                note_database(true);
                has_looked = true;
            }
            // First: permits are rare, and other jobs would keep all workers busy.
            if (may_claim_in_line()) co_await claim_in_line();
            if (wanted() > 0) {
                co_await claim();
                has_looked = true;
            }
            if (has_looked) looked_at_ = monotonic_clock::now();
        } catch (const db::failure& failure) {
            // An outage is told once; a refusal is our bug or a broken server and told each time.
            note_database(failure.code() != errc::database_unavailable);
            if (database_reachable_) log_.error("queue: claim", {{"reason", failure.what()}});
        }
        // A wake-up that came while we were at the database is not waited for again.
        if (wake_pending_ && wanted() > 0 && database_reachable_) continue;
        static_cast<void>(co_await woken_.wait(next_look()));
    }
    claiming_ = false;
    emptied_.notify_all();
}

bool dispatcher::may_claim_in_line() const {
    const bool is_worker_idle = busy() + waiting_.size() < runner_->capacity();
    return options_.line && is_worker_idle && monotonic_clock::now() >= next_permit_;
}

deadline dispatcher::next_look() const {
    const auto usual = deadline::after(options_.look_interval);
    if (!options_.line || is_line_empty_) return usual;
    return usual.at_most(std::max<monotonic_clock::duration>(
        permit_look_min, next_permit_ - monotonic_clock::now()));
}

asio::awaitable<void> dispatcher::claim_in_line() {
    const auto request = next_claim();
    const auto asked = monotonic_clock::now();
    next_permit_ = asked + options_.look_interval;  // If this fails.
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
    if (stopped_ || !answer.job) co_return;
    take(*std::move(answer.job), asked);
    begin_waiting();
}

jobs::claim_request dispatcher::next_claim() const {
    jobs::claim_request request{
        .worker = options_.worker,
        .jobs_max = std::max(1, static_cast<int>(wanted())),
        .lease = options_.lease,
        .in_hand = {},
        .claim_epoch = claim_epoch_};
    for (const auto& [id, held] : held_) request.in_hand.push_back(job_id{id});
    return request;
}

asio::awaitable<void> dispatcher::claim() {
    auto request = next_claim();
    request.from_turn = cursor_.start();
    const auto asked = monotonic_clock::now();
    ahead_.note_claim();
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
    const auto starved = is_full ? runner_->capacity() - busy() : 0;
    ahead_.note_claim_answer(monotonic_clock::now() - asked, starved);
    // The stop waits for us no more; what this has brought waits for the end of its lease.
    if (stopped_) co_return;
    for (auto& job : claimed) take(std::move(job), asked);
    begin_waiting();
    // A full hand may have left more behind.
    if (is_full) wake_pending_ = true;
}

void dispatcher::note_lost_claim(const db::failure& failure) {
    // The statement may still run at any later time. What it then takes has a lower epoch than all
    // later claims, and the next one takes it again, unless it is in hand.
    if (may_have_run(failure)) ++claim_epoch_;
}

void dispatcher::take(jobs::claimed_job job, monotonic_clock::time_point claim_sent) {
    const auto id = job.id.value;
    leases_.add({job.id, job.claim}, claim_sent);  // The claim has left out what we hold.
    const auto now = monotonic_clock::now();
    const auto place = held_.try_emplace(id, held_job{.job = std::move(job), .since = now}).first;
    waiting_.push_back(id);
    // The answer to the claim may have taken longer than the lease itself.
    if (stopping_ || !leases_.is_lease_safe(job_id{id}, now)) stop_attempt(place->second);
}

void dispatcher::begin_waiting() {
    // No more work is begun than can be told of.
    if (!database_reachable_) return;
    while (!waiting_.empty() && occupied_ < runner_->capacity()) {
        const auto id = waiting_.front();
        waiting_.pop_front();
        auto& held = held_.at(id);
        if (leases_.is_lease_safe(job_id{id}, monotonic_clock::now())) {
            begin(held);
        } else {
            hand_back(held);
        }
    }
}

void dispatcher::begin(held_job& held) {
    const auto id = held.job.id.value;
    held.now = stage::at_work;
    held.since = monotonic_clock::now();
    ++occupied_;
    log_.debug("job begins", {{"job", id}, {"attempt", held.job.attempt}});
    const auto on_end = [this, id](jobs::transition ended) { end(id, std::move(ended)); };
    runner_->start(held.job, held.stop.get_token(), on_end);
}

void dispatcher::end(std::int64_t id, jobs::transition ended) {
    // The next job is begun, or claimed, while this one is reported: both wait for the disk.
    auto& held = held_.at(id);
    held.now = stage::ended;
    --occupied_;
    ahead_.note_attempt(monotonic_clock::now() - held.since);
    begin_waiting();
    wake();
    tasks_.spawn("report a job", report(id, std::move(ended)));
}

void dispatcher::stop_attempt(held_job& held) {
    held.stop.request_stop();
    if (held.now != stage::waiting) return;
    std::erase(waiting_, held.job.id.value);
    hand_back(held);
}

void dispatcher::hand_back(held_job& held) {
    held.now = stage::handed_back;
    tasks_.spawn("hand a job back", report(held.job.id.value, jobs::handed_back{}));
}

asio::awaitable<void> dispatcher::report(std::int64_t id, jobs::transition ended) {
    // The entry stays where it is until this coroutine removes it: nobody else does.
    auto& held = held_.at(id);
    const jobs::holding holding{held.job.id, held.job.claim};
    bool written = false;
    std::string logged;  ///< The last refusal: the same one is not logged twice in a row.
    for (bool settled = false; !settled;) {
        try {
            written =
                co_await queue_.report(holding, ended, deadline::after(jobs::queue_query_time_max));
            settled = true;
            continue;
        } catch (const db::unavailable&) {
            note_database(false);
        } catch (const db::failure& refusal) {
            if (std::exchange(logged, refusal.what()) != refusal.what())
                log_.error("job report refused", {{"job", id}, {"reason", refusal.what()}});
            ended = after_refusal(held.job, std::move(ended), refusal, options_.policy);
        }
        // No more work is begun than can be told of.
        if (!std::exchange(held.is_delayed, true)) ++occupied_;
        co_await async::pause(report_retry_interval);
    }
    note_report(held, ended, written);
    // A claim made meanwhile has left this job out, which may be due again, or was not made at all.
    const bool is_over = std::holds_alternative<jobs::completed>(ended) ||
                         std::holds_alternative<jobs::failed>(ended);
    if (!is_over) cursor_.read_from_start();
    // It may get its permit at once, unless others were in line already.
    if (std::holds_alternative<jobs::awaiting_permit>(ended) && is_line_empty_) next_permit_ = {};
    if (held.is_delayed || held_.size() >= 2 * runner_->capacity() || !is_over) wake();
    if (held.is_delayed) --occupied_;
    held_.erase(id);
    leases_.remove(job_id{id});
    begin_waiting();
    options_.on_job_changed(job_id{id});
    if (held_.empty()) emptied_.notify_all();
}

void dispatcher::note_report(const held_job& held, const jobs::transition& ended, bool written) {
    const auto id = held.job.id.value;
    const bool has_begun = held.now == stage::ended;
    const seconds_f took = monotonic_clock::now() - held.since;
    if (has_begun && options_.on_attempt_ended) options_.on_attempt_ended(ended, took, written);
    if (!written) {
        log_.info("job is no longer ours", {{"job", id}, {"attempt", held.job.attempt}});
    } else if (has_begun) {
        log_attempt(held.job, ended, took);
    } else {
        log_.debug("job handed back before it began", {{"job", id}});
    }
}

asio::awaitable<void> dispatcher::rescue() {
    const jobs::rescue_request request{
        .held = leases_.holdings(),
        .worker = options_.worker,
        .claim_epoch = claim_epoch_,
        .attempts_max = options_.policy.attempts_max,
        .exhausted_text = jobs::error_text(errc::internal, options_.policy)};
    const auto ended = co_await queue_.rescue(request, deadline::after(jobs::queue_query_time_max));
    for (const auto job : ended) {
        log_.warning("job gave up: its worker died at every attempt", {{"job", job.value}});
        options_.on_job_changed(job);
    }
}

asio::awaitable<bool> dispatcher::stop(deadline by) {
    const auto finish_by = by.at_most(options_.drain);
    stopping_ = true;
    woken_.notify_all();
    while (!waiting_.empty()) stop_attempt(held_.at(waiting_.front()));
    // A claim that is on its way may still bring jobs, which then have to be handed back; not while
    // the database is away. What is in hand is waited for even then: where everything is started
    // anew, the database may be back in time to take results and hand-backs.
    const auto is_idle = [this] { return held_.empty() && (!claiming_ || !database_reachable_); };
    while (!is_idle() && !finish_by.passed()) {
        static_cast<void>(co_await emptied_.wait(finish_by));
    }
    for (auto& [id, held] : held_) stop_attempt(held);
    while (!is_idle() && !by.passed()) static_cast<void>(co_await emptied_.wait(by));
    stopped_ = true;
    co_return is_idle();
}

asio::awaitable<void> dispatcher::lease_loop() {
    for (;;) {
        co_await async::pause(leases_.renew_interval());
        if (held_.empty()) continue;
        try {
            co_await renew();
        } catch (const db::failure& failure) {
            note_database(failure.code() != errc::database_unavailable);
            if (database_reachable_) log_.error("queue: renew", {{"reason", failure.what()}});
        }
    }
}

asio::awaitable<void> dispatcher::expiry_loop() {
    // A loop of its own: a renewal that hangs must not keep us from noticing that it is too late.
    for (;;) {
        co_await async::pause(leases_.check_interval());
        stop_expired();
        hand_back_late();
    }
}

asio::awaitable<void> dispatcher::renew() {
    const auto sent = monotonic_clock::now();
    const auto requested = leases_.holdings();
    // A renewal that comes too late is worth nothing: the wait for it must not keep us from
    // noticing.
    const auto by = deadline::after(leases_.renew_interval());
    const auto answer = co_await queue_.renew(requested, options_.lease, by);
    for (const auto job : leases_.apply_renewal(requested, answer, sent)) {
        stop_attempt(held_.at(job.value));
    }
}

void dispatcher::stop_expired() {
    for (const auto job : leases_.expired(monotonic_clock::now())) {
        auto& held = held_.at(job.value);
        if (held.now != stage::at_work || held.stop.stop_requested()) continue;
        log_.warning("lease could not be renewed in time: attempt stopped", {{"job", job.value}});
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
    const auto requested = leases_.holdings();
    const auto lost =
        co_await queue_.lost_among(requested, deadline::after(jobs::queue_query_time_max));
    for (const auto& holding : requested) {
        const bool is_lost = std::find(lost.begin(), lost.end(), holding.job) != lost.end();
        // A job that was reported since, and even claimed again, is left alone.
        if (is_lost && leases_.contains(holding)) stop_attempt(held_.at(holding.job.value));
    }
}

}  // namespace reelsd::work
