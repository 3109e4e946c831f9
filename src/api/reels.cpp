#include "reels.hpp"

#include <reelsd/base/bounds.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stop_token>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

/// Interval at which a waiting request authenticates its caller again: the API promises that
/// a revoked token is refused within a second, and the query takes a part of that.
constexpr std::chrono::milliseconds authentication_interval{700};
/// Waiting requests authenticate at multiples of this, so that their lookups share a statement.
constexpr std::chrono::milliseconds authentication_tick{50};

deadline::clock::duration until_next_authentication() {
    const auto due = deadline::clock::now().time_since_epoch() + authentication_interval;
    return authentication_interval - due % authentication_tick;
}

bool is_final(const reel_read& read) {
    return read.refused || !read.text || read.has_ended;
}

/// Waits until the job may have ended or `by` has passed, and repeatedly authenticates the caller.
/// Returns the refusal if the account or its token is no longer valid.
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

/// Returns the reel when its job has ended, `by` has passed, the client has left or the daemon
/// stops. Holds no database connection while it waits.
asio::awaitable<reel_read> await_end(
    http::request_context& ctx, reels_service& service, job_id id, deadline by) {
    jobs::change_poller::waiter waiter{service.poller, id};
    const auto stop = ctx.stop();
    const std::stop_callback on_stop{stop, [&waiter] { waiter.wake(); }};
    for (;;) {
        auto read = co_await service.read(ctx, id);
        if (is_final(read) || by.passed() || stop.stop_requested()) co_return read;
        auto refused = co_await wait_as_known_caller(ctx, waiter, by);
        if (refused) co_return reel_read{.refused = std::move(refused)};
    }
}

/// Refuses a malformed request; unknown callers get 401.
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

    auto read = co_await service.read(ctx, *id);
    if (!read.refused) read.refused = ctx.accept();
    if (!is_final(read) && *wait > std::chrono::milliseconds::zero()) {
        read = co_await await_end(ctx, service, *id, deadline::after(*wait));
    }
    if (read.refused) co_return *std::move(read.refused);
    if (!read.text) co_return ctx.problem(error{errc::not_found});
    co_return ctx.json_text(http::status::ok, std::move(read.text));
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

/// DELETE /api/v1/reels/{id}: the job with its dependents; stops its work. 204; 404.
asio::awaitable<http::response> delete_reel(http::request_context& ctx, reels_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const bool removed = co_await service.jobs.remove(ctx.caller(), *id, ctx.database_by());
    if (!removed) co_return ctx.problem(error{errc::not_found});
    service.job_removed(*id);
    co_return ctx.no_content();
}

/// GET /api/v1/reels/{id}/thumbnail?size=: the picture of one of the caller's reels. 200 a JPEG;
/// 400 a malformed `size`; 404 also when the reel has none, or none yet.
asio::awaitable<http::response> get_thumbnail(http::request_context& ctx, reels_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto size = requested_size(ctx.query("size"));
    if (!size) co_return ctx.problem(size.error());
    const auto jpeg =
        co_await service.jobs.find_thumbnail(ctx.caller(), *id, *size, ctx.database_by());
    if (!jpeg) co_return ctx.problem(error{errc::not_found});
    std::string text(jpeg->size(), '\0');
    std::transform(jpeg->begin(), jpeg->end(), text.begin(), [](std::byte octet) {
        return static_cast<char>(octet);
    });
    http::response answer{http::status::ok, "image/jpeg", std::move(text)};
    // The picture of a reel never changes.
    answer.set("Cache-Control", "private, max-age=86400, immutable");
    // For browsers with several users.
    answer.set("Vary", "Cookie, Authorization");
    co_return answer;
}

constexpr auto reel_routes = std::to_array<http::route<reels_service>>({
    {http::verb::get,
     "/reels/{id}",
     &get_reel,
     {.authenticated_by = http::route_options::authenticator::handler}},
    {http::verb::remove, "/reels/{id}", &delete_reel},
    {http::verb::get, "/reels/{id}/thumbnail", &get_thumbnail},
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
    const auto seconds = parse_number<double>(*text, std::chars_format::fixed);
    const double most = std::chrono::duration<double>(bounds::wait_max).count();
    if (!seconds || !std::isfinite(*seconds) || std::signbit(*seconds) || *seconds > most) {
        return error{
            errc::invalid_argument,
            fmt::format("wait must be a number of seconds from 0 to {:g}", most)};
    }
    return std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>{*seconds});
}

result<jobs::thumbnail_size> requested_size(std::optional<std::string_view> text) {
    if (!text || *text == "large") return jobs::thumbnail_size::large;
    if (*text == "small") return jobs::thumbnail_size::small;
    return error{errc::invalid_argument, "size must be one of small, large"};
}

}  // namespace reelsd::api
