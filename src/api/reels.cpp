#include "resources.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/http/target.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stop_token>

namespace reelsd::api {
namespace {

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
awaitable<std::optional<http::response>> wait_as_known_caller(
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
awaitable<reel_read> await_end(
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
awaitable<http::response> refuse_known_caller(http::request_context& ctx, http::response refusal) {
    auto refused = co_await ctx.authenticate();
    if (!refused) refused = co_await ctx.accept();
    co_return refused ? *std::move(refused) : std::move(refusal);
}

/// GET /api/v1/reels/{id}?wait=S: one job of the caller. 200 the job; 400 a malformed `wait`; 401
/// the caller is unknown, or no longer known after the wait; 404; 429.
awaitable<http::response> get_reel(http::request_context& ctx, reels_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return co_await refuse_known_caller(ctx, ctx.problem(id.error()));
    const auto wait = requested_wait(ctx.query("wait"));
    if (!wait) co_return co_await refuse_known_caller(ctx, ctx.problem(wait.error()));

    auto read = co_await service.read(ctx, *id);
    if (!read.refused) read.refused = co_await ctx.accept();
    if (!is_final(read) && *wait > std::chrono::milliseconds::zero()) {
        read = co_await await_end(ctx, service, *id, deadline::after(*wait));
    }
    if (read.refused) co_return *std::move(read.refused);
    if (!read.text) co_return ctx.problem(error{errc::not_found});
    co_return ctx.json_text(http::status::ok, std::move(read.text));
}

/// Authenticates with the middleware of the path and reads the reel of the account.
awaitable<reel_read> read_authenticated(
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
awaitable<http::response> delete_reel(http::request_context& ctx, reels_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const bool removed = co_await service.jobs.remove(ctx.caller(), *id, ctx.database_by());
    if (!removed) co_return ctx.problem(error{errc::not_found});
    service.job_removed(*id);
    co_return ctx.no_content();
}

/// GET /api/v1/reels/{id}/thumbnail?size=: the picture of one of the caller's reels. 200 a JPEG;
/// 400 a malformed `size`; 404 also when the reel has none, or none yet.
awaitable<http::response> get_thumbnail(http::request_context& ctx, reels_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto size = requested_size(ctx.query("size"));
    if (!size) co_return ctx.problem(size.error());
    const auto jpeg =
        co_await service.jobs.find_thumbnail(ctx.caller(), *id, *size, ctx.database_by());
    if (!jpeg) co_return ctx.problem(error{errc::not_found});
    co_return jpeg_answer(ctx, *jpeg);
}

constexpr int jobs_usual = 20;
constexpr int jobs_most = 100;
constexpr std::size_t author_characters_max = 100;
/// Upper bounds on the failed jobs that one request deletes, and one of its statements.
constexpr std::int64_t deleted_most = 5000;
constexpr int deleted_at_once = 250;

/// The order that a cursor belongs to: newest first, by id.
constexpr std::string_view cursor_prefix = "n";
/// Not decimal, so that clients do not calculate with cursors.
constexpr std::string_view cursor_digits = "bcdfghjkmnpqrstvwxyz23456789";

input<std::optional<job_id>> requested_post_of(std::optional<std::string_view> text) {
    if (!text) return std::optional<job_id>{};
    const auto number = http::requested_number(*text);
    if (!number) return invalid_parameter("post_of must be the id of a reel");
    return std::optional{job_id{*number}};
}

input<jobs::job_filter> requested_filter(const http::request_context& ctx) {
    const auto limit = http::requested_limit(ctx.query("limit"), jobs_usual, jobs_most);
    if (!limit) return limit.error();
    const auto status = requested_status(ctx.query("status"));
    if (!status) return status.error();
    auto author = requested_author(ctx.query("author"));
    if (!author) return author.error();
    auto tag = requested_tag(ctx.query("tag"));
    if (!tag) return tag.error();
    const auto before = requested_cursor(ctx.query("cursor"));
    if (!before) return before.error();
    const auto latest = requested_boolean(ctx.query("latest"), "latest");
    if (!latest) return latest.error();
    const auto post_of = requested_post_of(ctx.query("post_of"));
    if (!post_of) return post_of.error();
    const auto details = requested_boolean(ctx.query("details"), "details");
    if (!details) return details.error();
    const auto created = requested_creation(ctx);
    if (!created) return created.error();
    return jobs::job_filter{
        .jobs_max = *limit,
        .status = *status,
        .author = *std::move(author),
        .before = *before,
        .created_from = created->from,
        .created_before = created->before,
        .latest = *latest == flag::on,
        .tag = *std::move(tag),
        .post_of = *post_of,
        .details = *details == flag::on};
}

std::string target_of(const http::request_context& ctx, const jobs::job_filter& filter) {
    auto target = fmt::format("{}?limit={}", ctx.route(), filter.jobs_max);
    if (filter.status) target += fmt::format("&status={}", name_of(*filter.status));
    if (filter.author) target += fmt::format("&author={}", percent_encoded(*filter.author));
    if (filter.tag) target += fmt::format("&tag={}", percent_encoded(*filter.tag));
    if (filter.post_of) target += fmt::format("&post_of={}", filter.post_of->value);
    if (filter.latest) target += "&latest=true";
    if (filter.details) target += "&details=true";
    for (const auto name : {"from", "to"}) {
        if (const auto day = ctx.query(name)) target += fmt::format("&{}={}", name, *day);
    }
    return target;
}

/// GET /api/v1/reels?limit=&status=&author=&tag=&from=&to=&latest=&post_of=&details=&cursor=: the
/// caller's jobs, newest first; with `latest`, only the newest job of each post. 200 an array, with
/// the next page in the header `Link`; 400 a malformed parameter.
awaitable<http::response> list_reels(http::request_context& ctx, jobs::job_store& jobs) {
    const auto filter = requested_filter(ctx);
    if (!filter) co_return ctx.problem(filter.error());
    const auto page = co_await jobs.list(ctx.caller(), *filter, ctx.database_by());
    std::vector<std::string> views;
    for (const auto& job : page.jobs) views.push_back(job_view(job));
    auto answer = ctx.json_text(http::status::ok, fmt::format("[{}]", fmt::join(views, ",")));
    if (page.next) answer.set("Link", link_to_next(target_of(ctx, *filter), *page.next));
    co_return answer;
}

/// DELETE /api/v1/reels?status=error: the caller's failed jobs, up to `deleted_most`. 200 how many
/// were deleted; 400 another status or none, or another parameter of the list, which would select
/// fewer.
awaitable<http::response> delete_failed_reels(http::request_context& ctx, jobs::job_store& jobs) {
    if (ctx.query("status") != "error")
        co_return ctx.problem(invalid_parameter("status must be error"));
    for (const auto* name :
         {"author", "tag", "from", "to", "latest", "post_of", "limit", "cursor"}) {
        if (ctx.query(name))
            co_return ctx.problem(invalid_parameter(
                fmt::format("{} is not supported: all failed reels are deleted", name)));
    }
    std::int64_t deleted = 0;
    while (deleted < deleted_most) {
        const auto step =
            co_await jobs.remove_failed(ctx.caller(), deleted_at_once, ctx.database_by());
        deleted += step;
        if (step < deleted_at_once) break;
        ctx.restart_database_time();
    }
    co_return ctx.json(http::status::ok, {{"deleted", deleted}});
}

}  // namespace

void add_reel_routes(http::router& router, std::string_view prefix, reels_service& service) {
    router.add(
        {{http::verb::get,
          "/reels/{id}",
          &get_reel,
          {.authenticated_by = http::route_options::authenticator::handler}},
         {http::verb::remove, "/reels/{id}", &delete_reel},
         {http::verb::get, "/reels/{id}/thumbnail", &get_thumbnail}},
        service,
        prefix);
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

input<std::chrono::milliseconds> requested_wait(std::optional<std::string_view> text) {
    using std::chrono::milliseconds;
    if (!text) return milliseconds::zero();
    const auto seconds = parse_number<double>(*text, std::chars_format::fixed);
    const double most = std::chrono::duration<double>(bounds::wait_max).count();
    if (!seconds || !std::isfinite(*seconds) || std::signbit(*seconds) || *seconds > most) {
        return invalid_parameter(
            fmt::format("wait must be a number of seconds from 0 to {:g}", most));
    }
    return std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>{*seconds});
}

input<jobs::thumbnail_size> requested_size(std::optional<std::string_view> text) {
    if (!text || *text == "large") return jobs::thumbnail_size::large;
    if (*text == "small") return jobs::thumbnail_size::small;
    return invalid_parameter("size must be one of small, large");
}

void add_reel_list_routes(http::router& router, std::string_view prefix, jobs::job_store& jobs) {
    router.add(
        {{http::verb::get, "/reels", &list_reels},
         {http::verb::remove, "/reels", &delete_failed_reels}},
        jobs,
        prefix);
}

input<std::optional<jobs::job_status>> requested_status(std::optional<std::string_view> text) {
    if (!text) return std::optional<jobs::job_status>{};
    const auto status = enum_from<jobs::job_status>(*text);
    if (!status) return invalid_parameter("status must be one of pending, processing, done, error");
    return status;
}

std::string without_sign(std::string name) {
    if (name.starts_with('@')) name.erase(0, 1);
    return name;
}

input<creation_period> requested_creation(const http::request_context& ctx) {
    const auto days = requested_period(ctx.query("from"), ctx.query("to"));
    if (!days) return days.error();
    using std::chrono::sys_days;
    creation_period created;
    if (days->from) created.from = time_point{sys_days{*days->from}};
    // PostgreSQL stores no year 10000: without a bound, the last day includes everything too.
    constexpr sys_days last_day{std::chrono::year{9999} / 12 / 31};
    if (days->to && *days->to < last_day)
        created.before = time_point{sys_days{*days->to} + std::chrono::days{1}};
    return created;
}

input<std::optional<std::string>> requested_author(std::optional<std::string_view> text) {
    if (!text) return std::optional<std::string>{};
    auto name = without_sign(std::string{trimmed(*text)});
    const auto characters = code_point_count(name);
    if (characters < 1 || characters > author_characters_max) {
        return invalid_parameter(
            fmt::format("author must be 1 to {} characters", author_characters_max));
    }
    return std::optional{std::move(name)};
}

input<flag> requested_boolean(std::optional<std::string_view> text, std::string_view name) {
    if (!text || text == "false") return flag::off;
    if (text == "true") return flag::on;
    return invalid_parameter(fmt::format("{} must be true or false", name));
}

std::string link_to_next(std::string_view target, job_id last) {
    return fmt::format("<{}&cursor={}>; rel=\"next\"", target, cursor_of(last));
}

std::string cursor_of(job_id last) {
    constexpr auto base = static_cast<std::int64_t>(cursor_digits.size());
    std::string text{cursor_prefix};
    for (auto rest = last.value; rest > 0; rest /= base) {
        text.push_back(cursor_digits[static_cast<std::size_t>(rest % base)]);
    }
    return text;
}

input<std::optional<job_id>> requested_cursor(std::optional<std::string_view> text) {
    if (!text) return std::optional<job_id>{};
    const auto malformed =
        invalid("cursor was not issued by this service", error_reason::cursor_invalid);
    constexpr auto base = static_cast<std::int64_t>(cursor_digits.size());
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if (!text->starts_with(cursor_prefix)) return malformed;
    std::int64_t number = 0;
    for (auto rest = text->substr(cursor_prefix.size()); !rest.empty(); rest.remove_suffix(1)) {
        const auto position = cursor_digits.find(rest.back());
        const auto digit = static_cast<std::int64_t>(position);
        if (position == std::string_view::npos || number > (most - digit) / base) return malformed;
        number = number * base + digit;
    }
    // One id, one cursor: also refuses leading zeros and the empty number.
    if (number == 0 || cursor_of(job_id{number}) != *text) return malformed;
    return std::optional{job_id{number}};
}

}  // namespace reelsd::api
