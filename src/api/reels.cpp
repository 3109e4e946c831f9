#include "reels.hpp"

#include <reelsd/base/bounds.hpp>
#include <reelsd/domain/jobs/job_view.hpp>
#include <reelsd/http/parameters.hpp>
#include <reelsd/http/router.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <stop_token>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

bool has_ended(const jobs::job& job) {
    return job.status == jobs::job_status::done || job.status == jobs::job_status::error;
}

/// Interval at which a waiting request authenticates its caller again: a revoked token is refused
/// within a second (contract), and the query takes a part of that.
constexpr std::chrono::milliseconds authentication_interval{700};
/// Waiting requests authenticate at multiples of this, so that their lookups share a statement.
constexpr std::chrono::milliseconds authentication_tick{50};

deadline::clock::duration until_next_authentication() {
    const auto due = deadline::clock::now().time_since_epoch() + authentication_interval;
    return authentication_interval - due % authentication_tick;
}

struct waited_for {
    std::optional<jobs::job> job;
    std::optional<http::response> refused;  ///< The token was revoked during the wait.
};

/// Suspends until the job was announced or `by` has passed, and meanwhile authenticates the caller
/// again. Returns the refusal of a caller who is no longer known.
asio::awaitable<std::optional<http::response>> wait_as_known_caller(
    http::request_context& ctx, reels_service& service, jobs::completion_board::ticket& place,
    deadline by) {
    for (;;) {
        const bool was_announced = co_await place.wait(by.at_most(until_next_authentication()));
        const bool is_last = was_announced || by.passed();
        ctx.restart_database_time();
        try {
            auto refused = co_await service.recognise(ctx);
            if (refused || is_last) co_return refused;
        } catch (const db::failure&) {
            // An outage shorter than the wait is not the client's concern.
            if (is_last) throw;
        }
    }
}

/// The job once it has ended, or as it is when `by` has passed or the client or the daemon goes;
/// nothing when the caller has no such job. Holds no database connection while it waits.
asio::awaitable<waited_for> await_end(
    http::request_context& ctx, reels_service& service, job_id id, deadline by) {
    jobs::completion_board::ticket place{service.board, id};
    const auto stop = ctx.stop();
    const std::stop_callback on_stop{stop, [&place] { place.wake(); }};
    for (;;) {
        auto job = co_await service.jobs.find(ctx.caller(), id, ctx.database_by());
        const bool is_over = !job || has_ended(*job);
        if (is_over || by.passed() || stop.stop_requested()) {
            co_return waited_for{.job = std::move(job), .refused = std::nullopt};
        }
        auto refused = co_await wait_as_known_caller(ctx, service, place, by);
        if (refused) co_return waited_for{.job = std::nullopt, .refused = std::move(refused)};
    }
}

/// GET /api/v1/reels/{id}?wait=S: one job of the caller. 200 the job; 400 a malformed `wait`; 401
/// the caller is no longer known after the wait; 404.
asio::awaitable<http::response> get_reel(http::request_context& ctx, reels_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto wait = requested_wait(ctx.query("wait"));
    if (!wait) co_return ctx.problem(wait.error());

    if (const auto& loaded = ctx.loaded()) {
        if (!*loaded) co_return ctx.problem(error{errc::not_found});
        co_return ctx.json_text(http::status::ok, *loaded);
    }
    std::optional<jobs::job> job;
    if (*wait == std::chrono::milliseconds::zero()) {
        job = co_await service.jobs.find(ctx.caller(), *id, ctx.database_by());
    } else {
        auto found = co_await await_end(ctx, service, *id, deadline::after(*wait));
        if (found.refused) co_return *std::move(found.refused);
        job = std::move(found.job);
    }
    if (!job) co_return ctx.problem(error{errc::not_found});
    co_return ctx.json_text(http::status::ok, job_view(*job));
}

/// DELETE /api/v1/reels/{id}: the job, its result and whatever hangs on it; work on it is stopped.
/// 204; 404.
asio::awaitable<http::response> delete_reel(http::request_context& ctx, reels_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const bool removed = co_await service.jobs.remove(ctx.caller(), *id, ctx.database_by());
    if (!removed) co_return ctx.problem(error{errc::not_found});
    service.job_removed(*id);
    co_return ctx.no_content();
}

constexpr std::string_view reel_route = "/reels/{id}";

constexpr auto reel_routes = std::to_array<http::route<reels_service>>({
    {http::verb::get, reel_route, &get_reel},
    {http::verb::remove, reel_route, &delete_reel},
});

}  // namespace

void add_reel_routes(http::router& router, std::string_view prefix, reels_service& service) {
    router.add(reel_routes, service, prefix);
    if (!service.load) return;
    router.authenticate(http::verb::get, std::string{prefix}.append(reel_route), service.load);
}

result<job_id> requested_id(std::string_view text) {
    const auto number = http::requested_number(text);
    if (!number) return number.error();
    return job_id{*number};
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
