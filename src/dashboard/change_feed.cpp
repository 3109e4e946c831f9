#include "change_feed.hpp"

#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/job_view.hpp>

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <vector>

namespace reelsd::dashboard {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto look_interval = 500ms;
constexpr auto look_time_max = 2s;
constexpr auto forget_interval = 1h;
/// In one statement: some 20 ms, far below the statement's limit also where the disk is slow.
constexpr int forgotten_at_once = 2000;
constexpr auto forget_retry_interval = 1min;
/// Of one account in one look.
constexpr int changes_per_look_max = 200;
/// For a page that was away: more is quicker to load again.
constexpr int changes_max = 500;
/// A page that does not read for so long that these pile up.
constexpr std::size_t waiting_max = 1000;

}  // namespace

std::string event_text(const jobs::job_change& change) {
    auto view = jobs::job_view(change.job);
    if (!change.step.empty()) {
        view.pop_back();  // The closing brace.
        view += fmt::format(R"(,"step":{}}})", json(change.step).dump());
    }
    // JSON text has no line breaks.
    return fmt::format("event: reel\ndata: {}\n\n", view);
}

std::string event_text(const jobs::job_deletion& deletion) {
    return fmt::format("event: deleted\ndata: {{\"id\":{}}}\n\n", deletion.job.value);
}

std::string reset_event() {
    return "event: reset\ndata: {}\n\n";
}

std::string position_event(time_point at) {
    return fmt::format("id: {}\n\n", at.time_since_epoch().count());
}

std::optional<time_point> position_in(std::string_view last_event_id) {
    std::int64_t microseconds = 0;
    const auto* const end = last_event_id.data() + last_event_id.size();
    const auto [stopped_at, failure] = std::from_chars(last_event_id.data(), end, microseconds);
    if (failure != std::errc{} || stopped_at != end || microseconds <= 0) return std::nullopt;
    if (last_event_id.front() == '0') return std::nullopt;
    const time_point position{std::chrono::microseconds{microseconds}};
    // Of our own clock's neighbourhood: what the database could not read is no position.
    const auto now =
        std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
    if (position > now + jobs::deletion_memory) return std::nullopt;
    return position;
}

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

change_feed::listener::listener(change_feed& feed, account_id account)
    : feed_{feed}, account_{account} {
    feed_.listeners_.insert(this);
    feed_.first_came_.notify_all();
}

change_feed::listener::~listener() {
    feed_.listeners_.erase(this);
}

void change_feed::listener::put(const std::string& event) {
    if (waiting_.size() >= waiting_max) {
        waiting_.clear();
        waiting_.push_back(reset_event());
        return;
    }
    waiting_.push_back(event);
    arrived_.notify_all();
}

asio::awaitable<std::string> change_feed::listener::next(deadline by) {
    if (waiting_.empty()) co_await arrived_.wait(by);
    std::string events;
    for (const auto& event : waiting_) events += event;
    waiting_.clear();
    co_return events;
}

asio::awaitable<std::string> change_feed::missed(
    account_id account, std::optional<time_point> since, deadline by) {
    const auto now = co_await store_.now(by);
    // A page that has just been loaded has seen all but what happens between its two requests.
    const auto from = since.value_or(now) - jobs::change_overlap;
    // Whoever loads reels anew is not told by those what is being done for them.
    const auto in_work = co_await store_.in_work(account, changes_max, by);
    std::string standing;
    for (const auto& one : in_work) standing += event_text(one);
    if (from < now - jobs::deletion_memory) {
        co_return reset_event() + standing + position_event(now);
    }
    const std::vector<account_id> asked(1, account);
    const auto batch = co_await store_.changes(asked, from, changes_max, by);
    if (!batch.truncated.empty()) co_return reset_event() + standing + position_event(batch.until);
    std::string events = since ? "" : standing;
    for (const auto& change : batch.changed) events += event_text(change);
    for (const auto& deletion : batch.deleted) events += event_text(deletion);
    co_return events + position_event(batch.until);
}

void change_feed::publish(account_id account, const std::string& event) {
    for (auto* const one : listeners_) {
        if (one->account_ == account) one->put(event);
    }
}

bool change_feed::is_new(std::int64_t job, time_point at, time_point until) {
    published_.erase(
        published_.begin(), published_.lower_bound({until - 2 * jobs::change_overlap, 0}));
    return published_.insert({at, job}).second;
}

asio::awaitable<void> change_feed::look() {
    std::set<account_id> watched;
    for (const auto* const one : listeners_) watched.insert(one->account_);
    const auto by = deadline::after(look_time_max);
    if (!position_) position_ = co_await store_.now(by);
    const std::vector<account_id> asked{watched.begin(), watched.end()};
    const auto batch =
        co_await store_.changes(asked, *position_ - jobs::change_overlap, changes_per_look_max, by);
    publish(batch);
    position_ = batch.until;
}

void change_feed::publish(const jobs::change_batch& batch) {
    std::set<account_id> changed;
    for (const auto& change : batch.changed) {
        if (!is_new(change.job.id.value, change.at, batch.until)) continue;
        publish(change.account, event_text(change));
        changed.insert(change.account);
    }
    for (const auto& deletion : batch.deleted) {
        if (!is_new(-deletion.job.value, deletion.at, batch.until)) continue;
        publish(deletion.account, event_text(deletion));
        changed.insert(deletion.account);
    }
    for (const auto account : batch.truncated) resets_.request(account);
    for (const auto account : resets_.take_due(deadline::clock::now())) {
        publish(account, reset_event());
        changed.insert(account);
    }
    for (const auto account : changed) {
        // A page that is still to be reset has not seen everything up to this position.
        if (!resets_.is_requested(account)) publish(account, position_event(batch.until));
    }
}

/// The old deletions are many after a day of expiry: some at each look, until there are fewer.
asio::awaitable<void> change_feed::forget_some() {
    auto pause = std::chrono::steady_clock::duration{forget_interval};
    try {
        const auto forgotten =
            co_await store_.forget_old_deletions(forgotten_at_once, deadline::after(look_time_max));
        if (forgotten == forgotten_at_once) pause = look_interval;
        is_forgetting_in_vain_ = false;
    } catch (const db::failure& failure) {
        // They are in nobody's way: pages are told of changes all the same.
        if (!std::exchange(is_forgetting_in_vain_, true)) {
            log_.warning("old deletions cannot be forgotten", {{"reason", failure.what()}});
        }
        pause = forget_retry_interval;
    }
    forget_at_ = deadline::after(pause);
}

asio::awaitable<void> change_feed::run() {
    for (;;) {
        if (listeners_.empty()) {
            position_.reset();
            published_.clear();
            co_await first_came_.wait(forget_at_);
        }
        if (forget_at_.passed()) co_await forget_some();
        try {
            if (!listeners_.empty()) co_await look();
        } catch (const db::failure& failure) {
            // The pages go on waiting, and are told when the database is back.
            log_.debug("no look for changes", {{"reason", failure.what()}});
        }
        co_await async::pause(look_interval);
    }
}

}  // namespace reelsd::dashboard
