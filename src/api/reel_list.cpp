#include "reel_list.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

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

result<jobs::job_filter> requested_filter(const http::request_context& ctx) {
    const auto limit = http::requested_limit(ctx.query("limit"), jobs_usual, jobs_most);
    if (!limit) return limit.error();
    const auto status = requested_status(ctx.query("status"));
    if (!status) return status.error();
    auto author = requested_author(ctx.query("author"));
    if (!author) return author.error();
    const auto before = requested_cursor(ctx.query("cursor"));
    if (!before) return before.error();
    const auto scope = requested_scope(ctx.query("latest"));
    if (!scope) return scope.error();
    const auto post_of = requested_post_of(ctx.query("post_of"));
    if (!post_of) return post_of.error();
    return jobs::job_filter{
        .jobs_max = *limit,
        .status = *status,
        .author = *std::move(author),
        .before = *before,
        .latest = *scope == job_scope::latest_of_each_post,
        .post_of = *post_of};
}

std::string link_to_next(std::string_view path, const jobs::job_filter& filter, job_id next) {
    auto target = fmt::format("{}?limit={}", path, filter.jobs_max);
    if (filter.status) target += fmt::format("&status={}", name_of(*filter.status));
    if (filter.author) target += fmt::format("&author={}", percent_encoded(*filter.author));
    if (filter.post_of) target += fmt::format("&post_of={}", filter.post_of->value);
    if (filter.latest) target += "&latest=true";
    return fmt::format("<{}&cursor={}>; rel=\"next\"", target, cursor_of(next));
}

/// GET /api/v1/reels?limit=&status=&author=&latest=&post_of=&cursor=: the caller's jobs, newest
/// first; with `latest`, only the newest job of each post. 200 an array, with the next page in the
/// header `Link`; 400 a malformed parameter.
asio::awaitable<http::response> list_reels(http::request_context& ctx, jobs::job_store& jobs) {
    const auto filter = requested_filter(ctx);
    if (!filter) co_return ctx.problem(filter.error());
    const auto page = co_await jobs.list(ctx.caller(), *filter, ctx.database_by());
    std::vector<std::string> views;
    for (const auto& job : page.jobs) views.push_back(job_view(job));
    auto answer = ctx.json_text(http::status::ok, fmt::format("[{}]", fmt::join(views, ",")));
    if (page.next) answer.set("Link", link_to_next(ctx.route(), *filter, *page.next));
    co_return answer;
}

/// DELETE /api/v1/reels?status=error: the caller's failed jobs, up to `deleted_most`. 200 how many
/// were deleted; 400 another status or none.
asio::awaitable<http::response> delete_failed_reels(
    http::request_context& ctx, jobs::job_store& jobs) {
    if (ctx.query("status") != "error") {
        co_return ctx.problem(error{errc::invalid_argument, "status must be error"});
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

constexpr auto reel_list_routes = std::to_array<http::route<jobs::job_store>>({
    {http::verb::get, "/reels", &list_reels},
    {http::verb::remove, "/reels", &delete_failed_reels},
});

}  // namespace

void add_reel_list_routes(http::router& router, std::string_view prefix, jobs::job_store& jobs) {
    router.add(reel_list_routes, jobs, prefix);
}

result<std::optional<jobs::job_status>> requested_status(std::optional<std::string_view> text) {
    if (!text) return std::optional<jobs::job_status>{};
    const auto status = enum_from<jobs::job_status>(*text);
    if (!status) {
        return error{
            errc::invalid_argument, "status must be one of pending, processing, done, error"};
    }
    return std::optional{*status};
}

result<std::optional<std::string>> requested_author(std::optional<std::string_view> text) {
    if (!text) return std::optional<std::string>{};
    const auto characters = code_point_count(*text);
    if (characters < 1 || characters > author_characters_max) {
        return error{
            errc::invalid_argument,
            fmt::format("author must be 1 to {} characters", author_characters_max)};
    }
    return std::optional{std::string{*text}};
}

result<job_scope> requested_scope(std::optional<std::string_view> text) {
    if (!text || text == "false") return job_scope::all;
    if (text == "true") return job_scope::latest_of_each_post;
    return error{errc::invalid_argument, "latest must be true or false"};
}

result<std::optional<job_id>> requested_post_of(std::optional<std::string_view> text) {
    if (!text) return std::optional<job_id>{};
    const auto number = http::requested_number(*text);
    if (!number) return error{errc::invalid_argument, "post_of must be the id of a reel"};
    return std::optional{job_id{*number}};
}

std::string cursor_of(job_id last) {
    constexpr auto base = static_cast<std::int64_t>(cursor_digits.size());
    std::string text{cursor_prefix};
    for (auto rest = last.value; rest > 0; rest /= base) {
        text.push_back(cursor_digits[static_cast<std::size_t>(rest % base)]);
    }
    return text;
}

result<std::optional<job_id>> requested_cursor(std::optional<std::string_view> text) {
    if (!text) return std::optional<job_id>{};
    const error malformed{errc::invalid_argument, "cursor was not issued by this service"};
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
