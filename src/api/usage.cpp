#include "usage.hpp"

#include "reels.hpp"
#include "usage_csv.hpp"
#include "usage_view.hpp"
#include <reelsd/http/router.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;
using std::chrono::year_month_day;

/// The number that is the whole of `text`, digits alone.
std::optional<int> number_in(std::string_view text) {
    int number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + (c - '0');
    }
    return number;
}

std::optional<year_month_day> day_in(std::string_view text) {
    constexpr std::size_t size = std::string_view{"2026-05-22"}.size();
    if (text.size() != size || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto year = number_in(text.substr(0, 4));
    const auto month = number_in(text.substr(5, 2));
    const auto day = number_in(text.substr(8, 2));
    if (!year || !month || !day || *year < 1) return std::nullopt;
    const year_month_day date{
        std::chrono::year{*year},
        std::chrono::month{static_cast<unsigned>(*month)},
        std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) return std::nullopt;
    return date;
}

result<std::optional<year_month_day>> requested_day(
    std::string_view name, std::optional<std::string_view> text) {
    if (!text) return std::optional<year_month_day>{};
    const auto day = day_in(*text);
    if (!day) {
        return error{errc::invalid_argument, fmt::format("{} must be a date as YYYY-MM-DD", name)};
    }
    return day;
}

/// GET /api/v1/reels/usage?from=&to=: what the caller's model calls have used. 200; 400 a malformed
/// date.
asio::awaitable<http::response> get_usage(http::request_context& ctx, usage::usage_store& store) {
    const auto period = requested_period(ctx.query("from"), ctx.query("to"));
    if (!period) co_return ctx.problem(period.error());
    const auto report = co_await store.read(ctx.caller(), *period, ctx.database_by());
    co_return ctx.json_text(http::status::ok, usage_view(report));
}

/// GET /api/v1/reels/usage/days?from=&to=: the same by day, provider and model. 200 an array; 400 a
/// malformed date.
asio::awaitable<http::response> get_usage_days(
    http::request_context& ctx, usage::usage_store& store) {
    const auto period = requested_period(ctx.query("from"), ctx.query("to"));
    if (!period) co_return ctx.problem(period.error());
    const auto days = co_await store.read_days(ctx.caller(), *period, ctx.database_by());
    co_return ctx.json_text(http::status::ok, usage_days_view(days));
}

/// GET /api/v1/reels/usage/days.csv?from=&to=: the same for spreadsheets. 200 a file; 400.
asio::awaitable<http::response> get_usage_csv(
    http::request_context& ctx, usage::usage_store& store) {
    const auto period = requested_period(ctx.query("from"), ctx.query("to"));
    if (!period) co_return ctx.problem(period.error());
    const auto days = co_await store.read_days(ctx.caller(), *period, ctx.database_by());
    http::response answer{
        http::status::ok, "text/csv; charset=utf-8; header=present", usage_csv(days)};
    answer.set("Content-Disposition", "attachment; filename=\"reels-usage.csv\"");
    co_return answer;
}

/// GET /api/v1/reels/usage/budget: what the caller may spend a month, and has spent. 200.
asio::awaitable<http::response> get_budget(http::request_context& ctx, usage::usage_store& store) {
    const auto report = co_await store.read_budget(ctx.caller(), ctx.database_by());
    co_return ctx.json_text(http::status::ok, budget_view(report));
}

/// GET /api/v1/reels/{id}/usage: the model calls of one of the caller's reels, those under way
/// included. 200; 404.
asio::awaitable<http::response> get_reel_usage(
    http::request_context& ctx, usage::usage_store& store) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto report = co_await store.read_reel(ctx.caller(), *id, ctx.database_by());
    if (!report) co_return ctx.problem(error{errc::not_found});
    co_return ctx.json_text(http::status::ok, reel_usage_view(*report));
}

constexpr auto usage_routes = std::to_array<http::route<usage::usage_store>>({
    {http::verb::get, "/reels/usage", &get_usage},
    {http::verb::get, "/reels/usage/budget", &get_budget},
    {http::verb::get, "/reels/usage/days", &get_usage_days},
    {http::verb::get, "/reels/usage/days.csv", &get_usage_csv},
    {http::verb::get, "/reels/{id}/usage", &get_reel_usage},
});

}  // namespace

void add_usage_routes(http::router& router, std::string_view prefix, usage::usage_store& store) {
    router.add(usage_routes, store, prefix);
}

result<usage::period> requested_period(
    std::optional<std::string_view> from, std::optional<std::string_view> to) {
    const auto first = requested_day("from", from);
    if (!first) return first.error();
    const auto last = requested_day("to", to);
    if (!last) return last.error();
    if (*first && *last && **first > **last) {
        return error{errc::invalid_argument, "from must not be after to"};
    }
    return usage::period{.from = *first, .to = *last};
}

}  // namespace reelsd::api
