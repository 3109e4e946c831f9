#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>

#include <algorithm>

namespace reelsd::jobs {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto poll_interval = 500ms;
constexpr auto poll_time_max = 2s;
constexpr std::size_t jobs_per_statement = 1000;
/// Changes, and deletions, of one account in one poll.
constexpr int changes_per_poll_max = 200;
/// Changes kept for a reader that does not take them.
constexpr std::size_t pending_max = 1000;

constexpr auto forget_interval = 1h;
constexpr auto forget_retry_interval = 1min;
/// Deletions forgotten by one statement: about 20 ms, far below the statement timeout on a slow
/// disk.
constexpr int forgotten_at_once = 2000;

template <class Map, class Key, class Value>
void erase_entry(Map& map, const Key& key, const Value* value) {
    const auto [first, last] = map.equal_range(key);
    map.erase(std::find_if(first, last, [value](const auto& one) { return one.second == value; }));
}

}  // namespace

bool reset_schedule::is_requested(account_id account) const {
    const auto found = accounts_.find(account);
    return found != accounts_.end() && found->second.is_requested;
}

std::vector<account_id> reset_schedule::take_due(deadline::clock::time_point now) {
    std::vector<account_id> due;
    for (auto at = accounts_.begin(); at != accounts_.end();) {
        auto& [account, state] = *at;
        if (now < state.next) {
            ++at;
        } else if (state.is_requested) {
            due.push_back(account);
            state = {.next = now + reset_interval, .is_requested = false};
            ++at;
        } else {
            at = accounts_.erase(at);
        }
    }
    return due;
}

change_poller::waiter::waiter(change_poller& poller, job_id job, std::optional<time_point> seen)
    : poller_{poller}, job_{job}, seen_{seen} {
    poller_.waiters_.emplace(job.value, this);
    poller_.first_came_.notify_all();
}

change_poller::waiter::~waiter() {
    erase_entry(poller_.waiters_, job_.value, this);
}

awaitable<bool> change_poller::waiter::wait(deadline by) {
    if (!is_woken_) static_cast<void>(co_await woken_.wait(by));
    co_return std::exchange(is_woken_, false);
}

void change_poller::waiter::wake() {
    is_woken_ = true;
    woken_.notify_all();
}

change_poller::subscription::subscription(change_poller& poller, account_id account)
    : poller_{poller}, account_{account} {
    poller_.subscriptions_.emplace(account, this);
    poller_.first_came_.notify_all();
}

change_poller::subscription::~subscription() {
    erase_entry(poller_.subscriptions_, account_, this);
}

awaitable<account_changes> change_poller::subscription::next(deadline by) {
    if (pending_.is_empty()) static_cast<void>(co_await arrived_.wait(by));
    co_return std::exchange(pending_, {});
}

void change_poller::subscription::put(const account_changes& changes) {
    auto& [changed, deleted, is_incomplete, position] = pending_;
    if (changed.size() + deleted.size() >= pending_max) {
        pending_ = {.changed = {}, .deleted = {}, .is_incomplete = true, .position = {}};
    } else {
        changed.insert(changed.end(), changes.changed.begin(), changes.changed.end());
        deleted.insert(deleted.end(), changes.deleted.begin(), changes.deleted.end());
        is_incomplete = is_incomplete || changes.is_incomplete;
    }
    if (changes.position) position = changes.position;
    arrived_.notify_all();
}

void change_poller::announce(job_id job) {
    const auto [first, last] = waiters_.equal_range(job.value);
    for (auto entry = first; entry != last; ++entry) entry->second->wake();
}

std::vector<watched_job> change_poller::watched_jobs() const {
    std::vector<watched_job> watched;
    for (auto entry = waiters_.begin(); entry != waiters_.end();) {
        watched.push_back({.job = job_id{entry->first}, .seen = {}});
        // The oldest of what the job's waiters have seen: report() compares with each.
        auto& seen = watched.back().seen;
        for (const auto last = waiters_.equal_range(entry->first).second; entry != last; ++entry) {
            const auto& own = entry->second->seen_;
            if (own) seen = std::min(seen.value_or(*own), *own);
        }
    }
    return watched;
}

void change_poller::report(const watched_change& change) {
    const auto [first, last] = waiters_.equal_range(change.job.value);
    for (auto entry = first; entry != last; ++entry) {
        auto& target = *entry->second;
        const bool is_due = target.seen_ ? target.seen_ != change.changed_at : change.is_over;
        if (is_due) target.wake();
    }
}

awaitable<void> change_poller::poll_jobs() {
    const auto watched = watched_jobs();
    for (std::size_t first = 0; first < watched.size(); first += jobs_per_statement) {
        const std::vector<watched_job> part(
            watched.begin() + static_cast<std::ptrdiff_t>(first),
            watched.begin() +
                static_cast<std::ptrdiff_t>(std::min(first + jobs_per_statement, watched.size())));
        const auto changes = co_await store_.changed_among(part, deadline::after(poll_time_max));
        for (const auto& change : changes) report(change);
    }
}

awaitable<void> change_poller::poll_accounts() {
    if (subscriptions_.empty()) co_return;
    std::set<account_id> watched;
    for (const auto& [account, reader] : subscriptions_) watched.insert(account);
    const auto by = deadline::after(poll_time_max);
    if (!position_) position_ = co_await store_.now(by);
    const std::vector<account_id> accounts{watched.begin(), watched.end()};
    const auto batch =
        co_await store_.changes(accounts, *position_ - change_overlap, changes_per_poll_max, by);
    publish(batch);
    position_ = batch.until;
}

bool change_poller::is_new(std::int64_t key, time_point at, time_point until) {
    published_.erase(published_.begin(), published_.lower_bound({until - 2 * change_overlap, 0}));
    return published_.insert({at, key}).second;
}

void change_poller::publish(const change_batch& batch) {
    std::map<account_id, account_changes> news;
    for (const auto& change : batch.changed) {
        if (!is_new(change.job.id.value, change.at, batch.until)) continue;
        news[change.account].changed.push_back(change);
    }
    for (const auto& deletion : batch.deleted) {
        if (!is_new(-deletion.job.value, deletion.at, batch.until)) continue;
        news[deletion.account].deleted.push_back(deletion);
    }
    for (const auto account : batch.truncated) resets_.request(account);
    for (const auto account : resets_.take_due(deadline::clock::now())) {
        news[account].is_incomplete = true;
    }
    for (auto& [account, changes] : news) {
        if (!resets_.is_requested(account)) changes.position = batch.until;
        const auto [first, last] = subscriptions_.equal_range(account);
        for (auto entry = first; entry != last; ++entry) entry->second->put(changes);
    }
}

/// Expiry and erasure leave many old deletions: forgets some at each poll until few are left.
awaitable<void> change_poller::forget_old_deletions() {
    deadline::clock::duration pause = forget_interval;
    try {
        const auto forgotten =
            co_await store_.forget_old_deletions(forgotten_at_once, deadline::after(poll_time_max));
        if (forgotten == forgotten_at_once) pause = poll_interval;
        is_forgetting_failed_ = false;
    } catch (const db::failure& failure) {
        // Harmless for the readers of changes.
        if (!std::exchange(is_forgetting_failed_, true)) {
            log_.warning("purging old deletion records failed", {{"reason", failure.what()}});
        }
        pause = forget_retry_interval;
    }
    forget_at_ = deadline::after(pause);
}

awaitable<void> change_poller::run() {
    for (;;) {
        if (subscriptions_.empty()) {
            position_.reset();
            published_.clear();
            if (waiters_.empty()) static_cast<void>(co_await first_came_.wait(forget_at_));
        }
        if (forget_at_.passed()) co_await forget_old_deletions();
        try {
            co_await poll_jobs();
            co_await poll_accounts();
        } catch (const db::failure& failure) {
            // The waiters continue to wait, and get their changes when the database is back.
            log_.debug("polling for changes failed", {{"reason", failure.what()}});
        }
        co_await async::pause(poll_interval);
    }
}

}  // namespace reelsd::jobs
