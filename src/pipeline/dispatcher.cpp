#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/outcome_name.hpp>
#include <reelsd/pipeline/dispatcher.hpp>

#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace reelsd::pipeline {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Any query of the queue. Longer than the server's own statement timeout, so that the server's
/// answer, not our impatience, says what became of a statement.
constexpr auto query_time_max = 8s;
/// Jobs claimed by one statement: more would hold row locks for long.
constexpr int claim_max = 64;
/// Waiters asked about by one statement.
constexpr std::size_t watch_max = 1000;
/// Between two tries to write a report.
constexpr auto report_retry_interval = 500ms;
/// Of the lease: renewed after a quarter, so that three renewals may fail; not trusted after 0.8,
/// which leaves a worker the rest to stop in.
constexpr double renew_fraction = 0.25;
constexpr double trust_fraction = 0.8;
constexpr double check_fraction = 0.05;

monotonic_clock::duration part_of(seconds_f lease, double fraction) {
    return std::chrono::duration_cast<monotonic_clock::duration>(lease * fraction);
}

asio::awaitable<void> pause(monotonic_clock::duration length) {
    async::monotonic_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::use_awaitable);
}

/// Whether a smaller transition may stand for one that was refused: a result that the server does
/// not take. For want of room it will take it later, and it may have cost money; and an error has
/// nothing smaller to fall back on.
bool has_fallback(const jobs::transition& refused, const db::failure& refusal) {
    const auto* const by_server = dynamic_cast<const db::refused*>(&refusal);
    const bool lacks_room = by_server != nullptr && by_server->sqlstate().starts_with("53");
    return std::holds_alternative<jobs::completed>(refused) && !lacks_room;
}

/// Whether a statement that failed so may have changed anything, now or later.
bool may_have_run(const db::failure& failure) {
    if (const auto* away = dynamic_cast<const db::unavailable*>(&failure))
        return away->may_have_run();
    return dynamic_cast<const db::refused*>(&failure) == nullptr;
}

}  // namespace

void dispatcher::log_attempt(
    const jobs::claimed_job& job, const jobs::transition& ended, seconds_f took) const {
    const log::fields about{
        {"job", job.id.value},
        {"attempt", job.attempt},
        {"outcome", jobs::outcome_name(ended)},
        {"seconds", took.count()}};
    // A job in a long line is postponed every few seconds; nothing has happened to it.
    if (std::holds_alternative<jobs::postponed>(ended)) return log_.debug("job postponed", about);
    log_.info("job attempt ended", about);
}

dispatcher::dispatcher(
    jobs::job_queue& queue, jobs::completion_board& board, async::task_group& tasks,
    std::unique_ptr<attempt_runner> runner, dispatcher_options options, log::logger log)
    : queue_{queue},
      board_{board},
      tasks_{tasks},
      options_{std::move(options)},
      log_{std::move(log)},
      claim_name_{options_.worker},
      runner_{std::move(runner)} {
    invariant(options_.lease >= 1s);
}

dispatcher::~dispatcher() = default;

void dispatcher::start() {
    tasks_.spawn("watch completions", watch_loop());
    if (runner_->capacity() == 0) return;
    tasks_.spawn("claim jobs", claim_loop());
    tasks_.spawn("renew leases", lease_loop());
    tasks_.spawn("check leases", trust_loop());
    tasks_.spawn("look for lost jobs", lost_loop());
}

void dispatcher::wake() {
    wake_pending_ = true;
    woken_.notify_one();
}

void dispatcher::cancel(job_id job) {
    const auto held = held_.find(job.value);
    if (held != held_.end()) held->second.stop.request_stop();
    board_.announce(job);
}

std::size_t dispatcher::idle() const noexcept {
    const auto workers = runner_->capacity();
    // Of what a worker has ended, one may still be told of.
    return std::min(workers - std::min(workers, occupied_), 2 * workers - held_.size());
}

std::vector<jobs::holding> dispatcher::holdings() const {
    std::vector<jobs::holding> all;
    all.reserve(held_.size());
    for (const auto& [id, held] : held_) all.push_back({job_id{id}, held.job.claim});
    return all;
}

void dispatcher::note_database(bool reachable) {
    if (reachable == database_reachable_) return;
    database_reachable_ = reachable;
    if (reachable) {
        log_.info("queue: the database answers again");
    } else {
        log_.warning("queue: the database does not answer");
        emptied_.notify_all();  // A stop waits for no answer that will not come.
    }
}

asio::awaitable<void> dispatcher::claim_loop() {
    auto next_rescue = monotonic_clock::now();
    claiming_ = true;
    while (!stopping_) {
        wake_pending_ = false;
        try {
            if (monotonic_clock::now() >= next_rescue) {
                next_rescue = monotonic_clock::now() + options_.look_interval;
                co_await rescue();
            }
            if (idle() > 0) co_await claim_for_idle();
            note_database(true);
        } catch (const db::failure& failure) {
            // An outage is told once; a refusal is our bug or a broken server and told each time.
            note_database(failure.code() != errc::database_unavailable);
            if (database_reachable_) log_.error("queue: claim", {{"reason", failure.what()}});
        }
        // A wake-up that came while we were at the database is not waited for again.
        if (wake_pending_ && idle() > 0 && database_reachable_) continue;
        static_cast<void>(co_await woken_.wait(deadline::after(options_.look_interval)));
    }
    claiming_ = false;
    emptied_.notify_all();
}

jobs::claim_request dispatcher::next_claim() const {
    const auto wanted = std::min<std::size_t>(idle(), static_cast<std::size_t>(claim_max));
    jobs::claim_request request{
        .worker = claim_name_,
        .jobs_max = static_cast<int>(wanted),
        .lease = options_.lease,
        .in_hand = {},
        .first_worker = options_.worker};
    for (const auto& [id, held] : held_) request.in_hand.push_back(job_id{id});
    return request;
}

asio::awaitable<void> dispatcher::claim_for_idle() {
    const auto request = next_claim();
    const auto asked = monotonic_clock::now();
    std::vector<jobs::claimed_job> claimed;
    try {
        claimed = co_await queue_.claim(request, deadline::after(query_time_max));
    } catch (const db::failure& failure) {
        note_lost_claim(failure);
        throw;
    }
    // The stop waits for us no more; what this has brought waits for the end of its lease.
    if (stopped_) co_return;
    const auto count = static_cast<int>(claimed.size());
    for (auto& job : claimed) begin(std::move(job), asked);
    // A full hand may have left more behind.
    if (count == request.jobs_max) wake_pending_ = true;
}

void dispatcher::note_lost_claim(const db::failure& failure) {
    if (!may_have_run(failure)) return;
    // The statement may be carried out at any later time. Under a name that is used no more it can
    // then take nothing that is in our hand; nor can we take by mistake what a later one brought.
    // Padded, so that names sort as they follow each other.
    claim_name_ = fmt::format("{}/{:010}", options_.worker, ++lost_claims_);
}

void dispatcher::begin(jobs::claimed_job job, monotonic_clock::time_point lease_from) {
    const auto id = job.id.value;
    const auto [place, is_new] = held_.try_emplace(
        id,
        held_job{
            .job = std::move(job),
            .stop = {},
            .lease_from = lease_from,
            .started = monotonic_clock::now()});
    invariant(is_new);  // The claim has left out what we hold, and only claims add to it.
    ++occupied_;
    // The answer to the claim may have taken longer than the lease itself.
    if (stopping_ || !is_trusted(lease_from)) place->second.stop.request_stop();
    log_.debug("job begins", {{"job", id}, {"attempt", place->second.job.attempt}});
    const auto on_end = [this, id](jobs::transition ended) {
        tasks_.spawn("report a job", report(id, std::move(ended)));
    };
    runner_->start(place->second.job, place->second.stop.get_token(), on_end);
}

asio::awaitable<void> dispatcher::report(std::int64_t id, jobs::transition ended) {
    // The entry stays where it is until this coroutine removes it: nobody else does.
    auto& held = held_.at(id);
    held.reporting = true;
    // The next job is claimed while this one is reported: both wait for the disk.
    --occupied_;
    wake();
    const jobs::holding holding{held.job.id, held.job.claim};
    bool written = false;
    for (bool settled = false; !settled;) {
        try {
            written = co_await queue_.report(holding, ended, deadline::after(query_time_max));
            settled = true;
            continue;
        } catch (const db::unavailable&) {
            note_database(false);
        } catch (const db::failure& refusal) {
            log_.error("job report refused", {{"job", id}, {"reason", refusal.what()}});
            if (has_fallback(ended, refusal)) {
                const error why{errc::storage_failed, "the database refuses the result"};
                ended = jobs::after_failure(
                    held.job, why, jobs::retry_allowed::yes, options_.policy, 0.5);
            }
        }
        // No more work is begun than can be told of.
        if (!std::exchange(held.is_delayed, true)) ++occupied_;
        co_await pause(report_retry_interval);
    }
    const seconds_f took = monotonic_clock::now() - held.started;
    if (options_.on_attempt_ended) options_.on_attempt_ended(ended, took, written);
    if (written) {
        log_attempt(held.job, ended, took);
    } else {
        log_.info("job is no longer ours", {{"job", id}, {"attempt", held.job.attempt}});
    }
    if (held.is_delayed) --occupied_;
    // A claim made meanwhile has left this job out, which may be due again, or was not made at all.
    const bool is_over = std::holds_alternative<jobs::completed>(ended) ||
                         std::holds_alternative<jobs::failed>(ended);
    if (held.is_delayed || held_.size() >= 2 * runner_->capacity() || !is_over) wake();
    held_.erase(id);
    board_.announce(job_id{id});
    if (held_.empty()) emptied_.notify_all();
}

asio::awaitable<void> dispatcher::rescue() {
    const jobs::rescue_request request{
        .held = holdings(),
        .worker = claim_name_,
        .first_worker = options_.worker,
        .attempts_max = options_.policy.attempts_max,
        .exhausted_text = jobs::error_text(errc::internal, options_.policy)};
    const auto ended = co_await queue_.rescue(request, deadline::after(query_time_max));
    for (const auto job : ended) {
        log_.warning("job gave up: its worker died at every attempt", {{"job", job.value}});
        board_.announce(job);
    }
}

asio::awaitable<void> dispatcher::lease_loop() {
    const auto interval = part_of(options_.lease, renew_fraction);
    for (;;) {
        co_await pause(interval);
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
        co_await pause(interval);
        stop_untrusted();
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
    const auto kept = co_await queue_.renew(before, options_.lease, by);
    for (const auto& holding : before) {
        const auto held = held_.find(holding.job.value);
        // It may have been reported meanwhile, and even claimed again.
        if (held == held_.end() || held->second.job.claim != holding.claim) continue;
        if (std::find(kept.begin(), kept.end(), holding) != kept.end()) {
            held->second.lease_from = asked;
        } else {
            held->second.stop.request_stop();
        }
    }
}

void dispatcher::stop_untrusted() {
    for (auto& [id, held] : held_) {
        if (is_trusted(held.lease_from)) continue;
        if (held.reporting || held.stop.stop_requested()) continue;
        log_.warning("lease could not be renewed in time: attempt stopped", {{"job", id}});
        held.stop.request_stop();
    }
}

asio::awaitable<void> dispatcher::lost_loop() {
    for (;;) {
        co_await pause(options_.lost_interval);
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
    const auto lost = co_await queue_.lost_among(before, deadline::after(query_time_max));
    for (const auto job : lost) {
        const auto held = held_.find(job.value);
        const auto asked = std::find_if(
            before.begin(), before.end(), [job](const auto& one) { return one.job == job; });
        // It may have been reported meanwhile, and even claimed again.
        if (held == held_.end() || held->second.job.claim != asked->claim) continue;
        held->second.stop.request_stop();
    }
}

asio::awaitable<void> dispatcher::watch_loop() {
    for (;;) {
        co_await pause(options_.watch_interval);
        if (board_.waiter_count() == 0) continue;
        try {
            co_await watch();
        } catch (const db::failure& failure) {
            // The waiters' own reads tell their clients; here it is only noise.
            log_.debug("queue: watch", {{"reason", failure.what()}});
        }
    }
}

asio::awaitable<void> dispatcher::watch() {
    auto awaited = board_.awaited();
    // Our own jobs announce themselves.
    std::erase_if(awaited, [this](job_id job) { return held_.contains(job.value); });
    for (std::size_t first = 0; first < awaited.size(); first += watch_max) {
        const auto last = std::min(first + watch_max, awaited.size());
        const std::vector<job_id> part(
            awaited.begin() + static_cast<std::ptrdiff_t>(first),
            awaited.begin() + static_cast<std::ptrdiff_t>(last));
        const auto ended = co_await queue_.ended_among(part, deadline::after(query_time_max));
        for (const auto job : ended) board_.announce(job);
    }
}

asio::awaitable<bool> dispatcher::stop(deadline finish_by, deadline by) {
    stopping_ = true;
    woken_.notify_all();
    // A claim that is on its way may still bring jobs, which then have to be handed back; not while
    // the database is away. What is in hand is waited for even then: where everything is started
    // anew, the database may be back in time to take results and hand-backs.
    const auto is_idle = [this] { return held_.empty() && (!claiming_ || !database_reachable_); };
    while (!is_idle() && !finish_by.passed()) {
        static_cast<void>(co_await emptied_.wait(finish_by));
    }
    for (auto& [id, held] : held_) held.stop.request_stop();
    while (!is_idle() && !by.passed()) static_cast<void>(co_await emptied_.wait(by));
    stopped_ = true;
    co_return is_idle();
}

}  // namespace reelsd::pipeline
