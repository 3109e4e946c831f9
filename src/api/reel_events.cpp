#include "resources.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <utility>

namespace reelsd::api {
namespace {

using namespace std::chrono_literals;

/// Below the idle timeout of proxies, a minute. Also the delay until a revoked token is refused.
constexpr auto heartbeat_interval = 15s;
/// The reader then reconnects, perhaps to another daemon, so that load is balanced.
constexpr auto stream_time_max = 10min;
constexpr std::string_view heartbeat = ": keep-alive\n\n";
/// In milliseconds. Longer than the poll interval for changes, short for a user who watches.
constexpr std::string_view retry_hint = "retry: 2000\n\n";

constexpr std::size_t step_bytes_max = 32;
constexpr std::string_view finished_mark = "finished";

/// Whether a text has the form of a step, and does not end a line or a part of an id.
bool is_step(std::string_view text) {
    return text.size() <= step_bytes_max && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || c == '_' || c == '-';
           });
}

/// Takes the part before the next colon.
std::string_view take_part(std::string_view& text) {
    const auto end = std::min(text.find(':'), text.size());
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

std::string event_text(
    std::string_view name, job_id job, const sent_events& sent, std::string_view data) {
    return fmt::format("event: {}\nid: {}\ndata: {}\n\n", name, event_id(job, sent), data);
}

std::string state_view(const jobs::job_state_view& now, std::string_view step) {
    json view{
        {"id", now.job.id.value}, {"status", name_of(now.job.status)}, {"attempt", now.attempt}};
    if (!step.empty()) view["step"] = step;
    return view.dump();
}

/// Line breaks in JSON are only between tokens, where whitespace mean the same.
std::string on_one_line(std::string text) {
    const auto is_break = [](char c) { return c == '\n' || c == '\r'; };
    std::ranges::replace_if(text, is_break, ' ');
    return text;
}

/// The events of a job that has not ended.
std::string work_events(
    sent_events& sent, const jobs::job_state_view& now, std::string_view step,
    std::string_view data) {
    std::string events;
    const auto id = now.job.id;
    if (now.attempt > sent.attempt) {
        sent.attempt = now.attempt;
        sent.step.clear();
        events += event_text("attempt", id, sent, data);
    }
    sent.attempt = now.attempt;  // A released attempt does not count.
    if (sent.step == step) return events;
    sent.step = step;
    if (!step.empty()) events += event_text("step", id, sent, data);
    return events;
}

/// Sends the events of the reel until it has ended, the client leaves, the daemon stops, the caller
/// is no longer known or `stream_time_max` has passed.
awaitable<void> send_reel_events(
    http::request_context& ctx, reel_event_service& service, std::optional<sent_events> sent,
    jobs::job_state_view first, http::body_writer& body) {
    const auto id = first.job.id;
    const auto end_at = deadline::after(stream_time_max);
    jobs::change_poller::waiter waiter{service.poller, id, first.changed_at};
    const auto stop = ctx.stop();
    const std::stop_callback on_stop{stop, [&waiter] { waiter.wake(); }};

    std::string text{retry_hint};
    text += events_until(sent, first);
    first.job.result.reset();  // The text contains it, and counts toward the bound on memory.
    auto beat_at = deadline::after(heartbeat_interval);
    while (co_await body.write(text)) {
        text.clear();
        if (sent->is_finished || end_at.passed() || stop.stop_requested()) co_return;
        const bool may_have_changed = co_await waiter.wait(beat_at);
        if (stop.stop_requested()) co_return;
        ctx.restart_database_time();
        bool is_gone = false;
        try {
            const auto refused = co_await ctx.authenticate();
            if (refused) co_return;
            if (may_have_changed) {
                const auto now =
                    co_await service.changes.state_of(ctx.caller(), id, ctx.database_by());
                is_gone = !now;
                if (now) {
                    waiter.saw(now->changed_at);
                    text = events_until(sent, *now);
                }
            }
        } catch (const db::failure&) {
            // The poller reports the change again when the database is back.
        }
        if (is_gone) {
            static_cast<void>(co_await body.write(deleted_event(id)));
            co_return;
        }
        if (beat_at.passed()) {
            text += heartbeat;
            beat_at = deadline::after(heartbeat_interval);
        }
    }
}

/// GET /api/v1/reels/{id}/events: progress of a reel as server-sent events, after `Last-Event-ID`.
/// 200; 204 after the last event; 404; 429 too many streams are open.
awaitable<http::response> stream_reel_events(
    http::request_context& ctx, reel_event_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    auto now = co_await service.changes.state_of(ctx.caller(), *id, ctx.database_by());
    if (!now) co_return ctx.problem(error{errc::not_found});
    auto sent = sent_in(ctx.header("Last-Event-ID").value_or(""), *id);
    const bool is_over = sent && sent->is_finished && has_ended(now->job.status);
    if (is_over) co_return ctx.no_content();
    if (sent && sent->is_finished) sent.reset();
    // Called once, so the result is moved.
    auto send = [&ctx, &service, sent = std::move(sent), first = *std::move(now)](
                    http::body_writer& body) mutable {
        return send_reel_events(ctx, service, std::move(sent), std::move(first), body);
    };
    co_return service.streams.open(ctx, std::move(send));
}

}  // namespace

void add_reel_event_routes(
    http::router& router, std::string_view prefix, reel_event_service& service) {
    router.add({{http::verb::get, "/reels/{id}/events", &stream_reel_events}}, service, prefix);
}

std::string event_id(job_id job, const sent_events& sent) {
    if (sent.is_finished) return fmt::format("{}:{}", job.value, finished_mark);
    return fmt::format("{}:{}:{}:{}", job.value, name_of(sent.status), sent.attempt, sent.step);
}

std::optional<sent_events> sent_in(std::string_view last_event_id, job_id job) {
    auto rest = last_event_id;
    if (take_part(rest) != fmt::format("{}", job.value)) return std::nullopt;
    sent_events sent;
    if (rest == finished_mark) {
        sent.is_finished = true;
        return sent;
    }
    const auto status = enum_from<jobs::job_status>(take_part(rest));
    const auto attempt = parse_number<std::int16_t>(take_part(rest));
    if (!status || !attempt || *attempt < 0 || !is_step(rest)) return std::nullopt;
    sent.status = *status;
    sent.attempt = *attempt;
    sent.step = rest;
    // Refuses other forms of the same numbers.
    if (event_id(job, sent) != last_event_id) return std::nullopt;
    return sent;
}

std::string events_until(std::optional<sent_events>& sent, const jobs::job_state_view& now) {
    const auto id = now.job.id;
    const std::string step = is_step(now.step) ? now.step : "";
    const auto data = state_view(now, step);
    std::string events;
    if (sent && sent->is_finished) return events;
    if (!sent) {
        sent = sent_events{.status = now.job.status, .attempt = now.attempt, .step = step};
        events = event_text("state", id, *sent, data);
    } else if (sent->status != now.job.status) {
        sent->status = now.job.status;
        sent->attempt = std::min(sent->attempt, now.attempt);
        sent->step.clear();
        events = event_text("state", id, *sent, data);
    }
    if (!has_ended(now.job.status)) return events + work_events(*sent, now, step, data);
    sent->is_finished = true;
    return events + event_text(finished_mark, id, *sent, on_one_line(job_view(now.job)));
}

std::string deleted_event(job_id job) {
    return fmt::format("event: deleted\ndata: {{\"id\":{}}}\n\n", job.value);
}

}  // namespace reelsd::api
