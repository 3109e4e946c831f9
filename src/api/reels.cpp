#include "reels.hpp"

#include <reelsd/base/bounds.hpp>
#include <reelsd/domain/jobs/job.hpp>
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

/// Interval at which a waiting request authenticates its caller again: a revoked token is refused
/// within a second (contract), and the query takes a part of that.
constexpr std::chrono::milliseconds authentication_interval{700};
/// Waiting requests authenticate at multiples of this, so that their lookups share a statement.
constexpr std::chrono::milliseconds authentication_tick{50};

deadline::clock::duration until_next_authentication() {
    const auto due = deadline::clock::now().time_since_epoch() + authentication_interval;
    return authentication_interval - due % authentication_tick;
}

bool is_over(const reel_read& reading) {
    return reading.refused || !reading.text || reading.has_ended;
}

/// Suspends until the job may have ended or `by` has passed, and meanwhile authenticates the caller
/// again. Returns the refusal of a caller who is no longer known.
asio::awaitable<std::optional<http::response>> wait_as_known_caller(
    http::request_context& ctx, jobs::change_poller::waiter& waiter, deadline by) {
    for (;;) {
        const bool was_woken = co_await waiter.wait(by.at_most(until_next_authentication()));
        ctx.restart_database_time();
        if (was_woken || by.passed()) co_return std::nullopt;
        try {
            auto refused = co_await ctx.authenticate();
            if (refused) co_return refused;
        } catch (const db::failure&) {
            // An outage shorter than the wait is not the client's concern.
        }
    }
}

/// The reel once its job has ended, or as it is when `by` has passed or the client or the daemon
/// goes. Holds no database connection while it waits.
asio::awaitable<reel_read> await_end(
    http::request_context& ctx, reels_service& service, job_id id, deadline by) {
    jobs::change_poller::waiter waiter{service.poller, id};
    const auto stop = ctx.stop();
    const std::stop_callback on_stop{stop, [&waiter] { waiter.wake(); }};
    for (;;) {
        auto reading = co_await service.read(ctx, id);
        if (is_over(reading) || by.passed() || stop.stop_requested()) co_return reading;
        auto refused = co_await wait_as_known_caller(ctx, waiter, by);
        if (refused) co_return reel_read{.refused = std::move(refused)};
    }
}

/// For a request that names no reel at all: strangers get 401 all the same.
asio::awaitable<http::response> refuse_known_caller(http::request_context& ctx, const error& why) {
    auto refused = co_await ctx.authenticate();
    if (!refused) refused = ctx.accept();
    co_return refused ? *std::move(refused) : ctx.problem(why);
}

/// GET /api/v1/reels/{id}?wait=S: one job of the caller. 200 the job; 400 a malformed `wait`; 401
/// the caller is unknown, or no longer known after the wait; 404; 429.
asio::awaitable<http::response> get_reel(http::request_context& ctx, reels_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return co_await refuse_known_caller(ctx, id.error());
    const auto wait = requested_wait(ctx.query("wait"));
    if (!wait) co_return co_await refuse_known_caller(ctx, wait.error());

    auto reading = co_await service.read(ctx, *id);
    if (!reading.refused) reading.refused = ctx.accept();
    if (!is_over(reading) && *wait > std::chrono::milliseconds::zero()) {
        reading = co_await await_end(ctx, service, *id, deadline::after(*wait));
    }
    if (reading.refused) co_return *std::move(reading.refused);
    if (!reading.text) co_return ctx.problem(error{errc::not_found});
    co_return ctx.json_text(http::status::ok, std::move(reading.text));
}

/// Authenticates with the middleware of the path and reads the reel of the account.
asio::awaitable<reel_read> read_authenticated(
    http::request_context& ctx, jobs::job_store jobs, job_id id) {
    if (auto refused = co_await ctx.authenticate()) {
        co_return reel_read{.refused = std::move(refused)};
    }
    const auto job = co_await jobs.find(ctx.caller(), id, ctx.database_by());
    if (!job) co_return reel_read{};
    co_return reel_read{
        .text = std::make_shared<const std::string>(job_view(*job)),
        .has_ended = jobs::has_ended(job->status)};
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

constexpr auto reel_routes = std::to_array<http::route<reels_service>>({
    {http::verb::get,
     "/reels/{id}",
     &get_reel,
     {.authenticated_by = http::route_options::authenticator::handler}},
    {http::verb::remove, "/reels/{id}", &delete_reel},
});

}  // namespace

void add_reel_routes(http::router& router, std::string_view prefix, reels_service& service) {
    router.add(reel_routes, service, prefix);
}

reel_reader authenticated_reader(jobs::job_store jobs) {
    return
        [jobs](http::request_context& ctx, job_id id) { return read_authenticated(ctx, jobs, id); };
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
