#include "reel_events.hpp"

#include "reels.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <stop_token>
#include <utility>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Proxies cut what is silent for a minute; and so soon, a token that was revoked sees no more.
constexpr auto heartbeat_interval = 15s;
/// A reader then comes back, perhaps to another daemon: none keeps its readers for ever.
constexpr auto stream_time_max = 10min;
constexpr std::string_view heartbeat = ": keep-alive\n\n";
/// In milliseconds. Longer than a look for changes, short enough for a person who watches.
constexpr std::string_view retry_hint = "retry: 2000\n\n";

constexpr std::size_t step_bytes_max = 32;
constexpr std::string_view finished_mark = "finished";

/// As our own steps are called: nothing that would end a line or a part of an id.
bool is_step(std::string_view text) {
    return text.size() <= step_bytes_max && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || c == '_' || c == '-';
           });
}

/// The part before the next colon; the rest is left.
std::string_view take_part(std::string_view& text) {
    const auto end = std::min(text.find(':'), text.size());
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

std::string event_text(
    std::string_view name, job_id job, const sent_events& told, std::string_view data) {
    return fmt::format("event: {}\nid: {}\ndata: {}\n\n", name, event_id(job, told), data);
}

std::string standing_view(const jobs::job_state_view& now, std::string_view step) {
    json view{
        {"id", now.job.id.value}, {"status", name_of(now.job.status)}, {"attempt", now.attempt}};
    if (!step.empty()) view["step"] = step;
    return view.dump();
}

/// Line breaks of JSON stand between its parts alone, where blanks mean the same.
std::string on_one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

/// Tells of work that goes on.
std::string work_events(
    sent_events& told, const jobs::job_state_view& now, std::string_view step,
    std::string_view data) {
    std::string events;
    const auto id = now.job.id;
    if (now.attempt > told.attempt) {
        told.attempt = now.attempt;
        told.step.clear();
        events += event_text("attempt", id, told, data);
    }
    told.attempt = now.attempt;  // An attempt that was handed back was none.
    if (told.step == step) return events;
    told.step = step;
    if (!step.empty()) events += event_text("step", id, told, data);
    return events;
}

/// Sends what becomes of the reel, until it has ended, the client leaves, the daemon stops, the
/// caller is no longer known or the stream has lasted for long enough.
asio::awaitable<void> send_reel_events(
    http::request_context& ctx, reel_event_service& service, std::optional<sent_events> told,
    jobs::job_state_view first, http::body_writer& body) {
    const auto id = first.job.id;
    const auto end_at = deadline::after(stream_time_max);
    jobs::change_poller::waiter waiter{service.poller, id, first.changed_at};
    const auto stop = ctx.stop();
    const std::stop_callback on_stop{stop, [&waiter] { waiter.wake(); }};

    std::string text{retry_hint};
    text += events_until(told, first);
    first.job.result.reset();  // The text has it now, and the bound on memory counts the text.
    auto beat_at = deadline::after(heartbeat_interval);
    while (co_await body.write(text)) {
        text.clear();
        if (told->is_finished || end_at.passed() || stop.stop_requested()) co_return;
        const bool may_have_changed = co_await waiter.wait(beat_at);
        if (stop.stop_requested()) co_return;
        ctx.restart_database_time();
        bool is_gone = false;
        try {
            const auto refused = co_await ctx.authenticate();
            if (refused) co_return;
            if (may_have_changed) {
                const auto now =
                    co_await service.changes.standing(ctx.caller(), id, ctx.database_by());
                is_gone = !now;
                if (now) {
                    waiter.saw(now->changed_at);
                    text = events_until(told, *now);
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

/// GET /api/v1/reels/{id}/events: what becomes of a reel, as server-sent events, from
/// `Last-Event-ID` on. 200; 204 the client has had the last one; 404; 429 too many streams are
/// open.
asio::awaitable<http::response> stream_reel_events(
    http::request_context& ctx, reel_event_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    auto now = co_await service.changes.standing(ctx.caller(), *id, ctx.database_by());
    if (!now) co_return ctx.problem(error{errc::not_found});
    auto told = sent_in(ctx.header("Last-Event-ID").value_or(""), *id);
    const bool is_over = told && told->is_finished && has_ended(now->job.status);
    if (is_over) co_return ctx.no_content();
    if (told && told->is_finished) told.reset();
    // Called once: a finished reel is handed on, not copied.
    auto send = [&ctx, &service, told = std::move(told), first = *std::move(now)](
                    http::body_writer& body) mutable {
        return send_reel_events(ctx, service, std::move(told), std::move(first), body);
    };
    co_return service.streams.open(ctx, std::move(send));
}

constexpr auto reel_event_routes = std::to_array<http::route<reel_event_service>>({
    {http::verb::get, "/reels/{id}/events", &stream_reel_events},
});

}  // namespace

void add_reel_event_routes(
    http::router& router, std::string_view prefix, reel_event_service& service) {
    router.add(reel_event_routes, service, prefix);
}

std::string event_id(job_id job, const sent_events& told) {
    if (told.is_finished) return fmt::format("{}:{}", job.value, finished_mark);
    return fmt::format("{}:{}:{}:{}", job.value, name_of(told.status), told.attempt, told.step);
}

std::optional<sent_events> sent_in(std::string_view last_event_id, job_id job) {
    auto rest = last_event_id;
    if (take_part(rest) != fmt::format("{}", job.value)) return std::nullopt;
    sent_events told;
    if (rest == finished_mark) {
        told.is_finished = true;
        return told;
    }
    const auto status = jobs::job_status_from(take_part(rest));
    const auto attempt = take_part(rest);
    const auto* const end = attempt.data() + attempt.size();
    const auto [stopped_at, failure] = std::from_chars(attempt.data(), end, told.attempt);
    const bool is_attempt = failure == std::errc{} && stopped_at == end && told.attempt >= 0 &&
                            told.attempt <= std::numeric_limits<std::int16_t>::max();
    if (!status || !is_attempt || !is_step(rest)) return std::nullopt;
    told.status = *status;
    told.step = rest;
    // What has another form means something else.
    if (event_id(job, told) != last_event_id) return std::nullopt;
    return told;
}

std::string events_until(std::optional<sent_events>& told, const jobs::job_state_view& now) {
    const auto id = now.job.id;
    const std::string step = is_step(now.step) ? now.step : "";
    const auto data = standing_view(now, step);
    std::string events;
    if (told && told->is_finished) return events;
    if (!told) {
        told = sent_events{.status = now.job.status, .attempt = now.attempt, .step = step};
        events = event_text("state", id, *told, data);
    } else if (told->status != now.job.status) {
        told->status = now.job.status;
        told->attempt = std::min(told->attempt, now.attempt);
        told->step.clear();
        events = event_text("state", id, *told, data);
    }
    if (!has_ended(now.job.status)) return events + work_events(*told, now, step, data);
    told->is_finished = true;
    return events + event_text(finished_mark, id, *told, on_one_line(job_view(now.job)));
}

std::string deleted_event(job_id job) {
    return fmt::format("event: deleted\ndata: {{\"id\":{}}}\n\n", job.value);
}

}  // namespace reelsd::api
