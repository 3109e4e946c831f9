#include "reels.hpp"

#include "answer_time.hpp"
#include "job_view.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/platform/link.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <stop_token>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

/// Seconds a client is told to wait when the queue has no better idea.
std::string refusal_text(const jobs::admission& decision) {
    if (decision.decided == jobs::admission::outcome::rate_limited) {
        return fmt::format("limit of {} submissions per minute reached", decision.rate_limit);
    }
    return fmt::format(
        "limit of {} jobs pending or processing at the same time reached", decision.job_limit);
}

http::response submission_answer(
    const http::request_context& ctx, const jobs::admission& decision) {
    auto answer = http::response{http::status::accepted};
    if (decision.decided == jobs::admission::outcome::admitted) {
        const json body{{"id", decision.job.value}, {"status", name_of(jobs::job_status::pending)}};
        answer = ctx.json(http::status::accepted, body);
        answer.set("Location", fmt::format("/api/v1/reels/{}", decision.job.value));
    } else {
        answer = ctx.problem(http::status::too_many_requests, refusal_text(decision));
        answer.set("Retry-After", std::to_string(decision.retry_after));
    }
    answer.set("RateLimit-Limit", std::to_string(decision.rate_limit));
    answer.set("RateLimit-Remaining", std::to_string(decision.rate_remaining));
    answer.set("RateLimit-Reset", std::to_string(decision.rate_reset));
    return answer;
}

/// POST /api/v1/reels/analyze {"url": string}: queues one reel for analysis.
/// 202 the job's id, durable; 400 malformed body or link; 429 a limit of the caller's account.
asio::awaitable<http::response> create_reel(http::request_context& ctx, reels_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    const auto url = requested_url(*body);
    if (!url) co_return ctx.problem(url.error());
    const auto link = platform::parse_link(*url);
    if (!link) co_return ctx.problem(link.error());

    const auto decision =
        co_await service.jobs.submit(ctx.caller(), *url, service.limits, answer_time(ctx));
    if (decision.decided == jobs::admission::outcome::admitted) service.job_accepted();
    co_return submission_answer(ctx, decision);
}

bool has_ended(const jobs::job& job) {
    return job.status == jobs::job_status::done || job.status == jobs::job_status::error;
}

/// The job as it stands once it has ended, `by` has passed or the client or the daemon goes;
/// nothing when the caller has no such job. Holds no database connection while it waits.
asio::awaitable<std::optional<jobs::job>> await_end(
    http::request_context& ctx, reels_service& service, job_id id, deadline by) {
    jobs::completion_board::ticket place{service.board, id};
    const auto stop = ctx.stop();
    const std::stop_callback on_stop{stop, [&place] { place.wake(); }};
    for (;;) {
        auto job = co_await service.jobs.find(ctx.caller(), id, deadline::after(database_time_max));
        if (!job || has_ended(*job) || by.passed() || stop.stop_requested()) co_return job;
        co_await place.wait(by);
    }
}

/// GET /api/v1/reels/{id}?wait=S: one job of the caller. 200 the job; 400 a malformed `wait`; 404.
asio::awaitable<http::response> get_reel(http::request_context& ctx, reels_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto wait = requested_wait(ctx.query("wait"));
    if (!wait) co_return ctx.problem(wait.error());

    std::optional<jobs::job> job;
    if (*wait == std::chrono::milliseconds::zero()) {
        job = co_await service.jobs.find(ctx.caller(), *id, answer_time(ctx));
    } else {
        job = co_await await_end(ctx, service, *id, deadline::after(*wait));
    }
    if (!job) co_return ctx.problem(error{errc::not_found});
    co_return ctx.json_text(http::status::ok, job_view(*job));
}

constexpr auto reel_routes = std::to_array<http::route<reels_service>>({
    {http::verb::post, submission_route, &create_reel},
    {http::verb::get, "/api/v1/reels/{id}", &get_reel},
});

}  // namespace

void add_reel_routes(http::router& router, reels_service& service) {
    router.add(reel_routes, service);
}

result<std::string> requested_url(const json& body) {
    const error missing{errc::invalid_argument, "url is required"};
    const auto url = body.find("url");
    if (url == body.end() || url->is_null()) return missing;
    if (!url->is_string()) return error{errc::invalid_argument, "url must be a string"};
    const auto& text = url->get_ref<const std::string&>();
    if (text.find_first_not_of(" \t\r\n\v\f") == std::string::npos) return missing;
    return text;
}

result<job_id> requested_id(std::string_view text) {
    job_id id;
    const auto* const end = text.data() + text.size();
    const auto [stopped_at, failure] = std::from_chars(text.data(), end, id.value);
    const bool is_number = failure == std::errc{} && stopped_at == end;
    // "+7", "007" and "7.0" name nothing: one resource, one path.
    if (!is_number || id.value <= 0 || text.front() == '0') return error{errc::not_found};
    return id;
}

result<std::chrono::milliseconds> requested_wait(std::optional<std::string_view> text) {
    using std::chrono::milliseconds;
    if (!text) return milliseconds::zero();
    double seconds = 0;
    const auto* const end = text->data() + text->size();
    const auto [stopped_at, failure] =
        std::from_chars(text->data(), end, seconds, std::chars_format::fixed);
    const bool is_number = failure == std::errc{} && stopped_at == end && std::isfinite(seconds);
    const double most = std::chrono::duration<double>(bounds::wait_max).count();
    if (!is_number || std::signbit(seconds) || seconds > most) {
        return error{
            errc::invalid_argument,
            fmt::format("wait must be a number of seconds from 0 to {:g}", most)};
    }
    return std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>{seconds});
}

}  // namespace reelsd::api
