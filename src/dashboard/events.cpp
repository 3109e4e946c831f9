#include "resources.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/http/router.hpp>

#include <fmt/format.h>

#include <chrono>
#include <stop_token>
#include <utility>
#include <vector>

namespace reelsd::dashboard {
namespace {

using namespace std::chrono_literals;

/// Proxies close connections after a minute without data. A stream also ends within this time of
/// its session.
constexpr auto heartbeat_interval = 15s;
/// Upper bound on changes for a reconnecting page; reloading more than that is faster.
constexpr int missed_max = 500;

std::string event_text(const jobs::job_change& change) {
    auto view = jobs::job_view(change.job);
    if (!change.step.empty()) {
        view.pop_back();  // The closing brace.
        view += fmt::format(R"(,"step":{}}})", json(change.step).dump());
    }
    // JSON text has no line breaks.
    return fmt::format("event: reel\ndata: {}\n\n", view);
}

/// Changes since `since`; incomplete when that is too long ago or there are too many. Without
/// `since`, and when incomplete, includes the running jobs, because pages do not load their steps.
awaitable<jobs::account_changes> missed_changes(
    jobs::change_store changes, account_id account, std::optional<time_point> since, deadline by) {
    const auto now = co_await changes.now(by);
    // A newly loaded page lacks only the changes between its two requests.
    const auto from = since.value_or(now) - jobs::change_overlap;
    auto in_work = co_await changes.in_work(account, missed_max, by);
    jobs::account_changes missed{
        .changed = {}, .deleted = {}, .is_incomplete = true, .position = now};
    if (from >= now - jobs::deletion_memory) {
        const std::vector<account_id> accounts(1, account);
        auto batch = co_await changes.changes(accounts, from, missed_max, by);
        missed.position = batch.until;
        if (batch.truncated.empty()) {
            missed.is_incomplete = false;
            missed.changed = std::move(batch.changed);
            missed.deleted = std::move(batch.deleted);
        }
    }
    if (!since || missed.is_incomplete) {
        missed.changed.insert(missed.changed.begin(), in_work.begin(), in_work.end());
    }
    co_return missed;
}

/// Sends changes until the client leaves, the daemon stops or the session ends.
awaitable<void> send_events(
    http::request_context& ctx, event_service& service, http::body_writer& body) {
    // Before the query for missed changes, so that none is lost in between.
    jobs::change_poller::subscription events{service.poller, ctx.caller()};
    const auto stop = ctx.stop();
    const std::stop_callback on_stop{stop, [&events] { events.wake(); }};

    const auto since = position_in(ctx.header("Last-Event-ID").value_or(""));
    ctx.restart_database_time();
    const auto missed =
        co_await missed_changes(service.changes, ctx.caller(), since, ctx.database_by());
    if (!co_await body.write("retry: 2000\n\n" + events_text(missed))) co_return;
    auto check_at = deadline::after(heartbeat_interval);
    while (!stop.stop_requested()) {
        auto text = events_text(co_await events.next(check_at));
        if (check_at.passed()) {
            ctx.restart_database_time();
            if (co_await ctx.authenticate()) co_return;
            check_at = deadline::after(heartbeat_interval);
            text += ": heartbeat\n\n";
        }
        if (!text.empty() && !co_await body.write(text)) co_return;
    }
}

/// GET events: changes of the caller's reels, as server-sent events, from `Last-Event-ID` on. 200;
/// 429 too many streams.
awaitable<http::response> stream_events(http::request_context& ctx, event_service& service) {
    co_return service.streams.open(
        ctx, [&ctx, &service](http::body_writer& body) { return send_events(ctx, service, body); });
}

}  // namespace

void add_event_routes(http::router& router, std::string_view prefix, event_service& service) {
    router.add({{http::verb::get, "/events", &stream_events}}, service, prefix);
}

std::string events_text(const jobs::account_changes& changes) {
    std::string text;
    // A reset comes first: the page then loads a state that is not newer than what follows.
    if (changes.is_incomplete) text += "event: reset\ndata: {}\n\n";
    for (const auto& change : changes.changed) text += event_text(change);
    for (const auto& deletion : changes.deleted) {
        text += fmt::format("event: deleted\ndata: {{\"id\":{}}}\n\n", deletion.job.value);
    }
    if (changes.position) {
        text += fmt::format("id: {}\n\n", changes.position->time_since_epoch().count());
    }
    return text;
}

std::optional<time_point> position_in(std::string_view last_event_id) {
    const auto microseconds = parse_number<std::int64_t>(last_event_id).value_or(0);
    if (microseconds <= 0 || last_event_id.front() == '0') return std::nullopt;
    const time_point position{std::chrono::microseconds{microseconds}};
    // The database does not accept every number as a time.
    if (position > wall_clock_now() + jobs::deletion_memory) return std::nullopt;
    return position;
}

}  // namespace reelsd::dashboard
