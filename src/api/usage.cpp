#include "resources.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/http/router.hpp>

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <vector>

namespace reelsd::api {
namespace {

using std::chrono::year_month_day;

input<std::optional<year_month_day>> requested_day(
    std::string_view name, std::optional<std::string_view> text) {
    if (!text) return std::optional<year_month_day>{};
    const auto day = parse_day(*text);
    if (!day) {
        return invalid_parameter(fmt::format("{} must be a date as YYYY-MM-DD", name));
    }
    return day;
}

/// GET /api/v1/reels/usage?from=&to=: usage of the caller's model calls. 200; 400 a malformed date.
awaitable<http::response> get_usage(http::request_context& ctx, usage::usage_store& store) {
    const auto period = requested_period(ctx.query("from"), ctx.query("to"));
    if (!period) co_return ctx.problem(period.error());
    const auto report = co_await store.read(ctx.caller(), *period, ctx.database_by());
    co_return ctx.json_text(http::status::ok, usage_view(report));
}

/// GET /api/v1/reels/usage/days?from=&to=: usage by day, provider, model and purpose. 200 an array;
/// 400 a malformed date.
awaitable<http::response> get_usage_days(http::request_context& ctx, usage::usage_store& store) {
    const auto period = requested_period(ctx.query("from"), ctx.query("to"));
    if (!period) co_return ctx.problem(period.error());
    const auto days = co_await store.read_days(ctx.caller(), *period, ctx.database_by());
    co_return ctx.json_text(http::status::ok, usage_days_view(days));
}

/// GET /api/v1/reels/usage/days.csv?from=&to=: as above, for spreadsheets. 200 a file; 400.
awaitable<http::response> get_usage_csv(http::request_context& ctx, usage::usage_store& store) {
    const auto period = requested_period(ctx.query("from"), ctx.query("to"));
    if (!period) co_return ctx.problem(period.error());
    const auto days = co_await store.read_days(ctx.caller(), *period, ctx.database_by());
    http::response answer{
        http::status::ok, "text/csv; charset=utf-8; header=present", usage_csv(days)};
    answer.set("Content-Disposition", "attachment; filename=\"reels-usage.csv\"");
    co_return answer;
}

/// GET /api/v1/reels/usage/budget: the caller's monthly budget and spending. 200.
awaitable<http::response> get_budget(http::request_context& ctx, usage::usage_store& store) {
    const auto report = co_await store.read_budget(ctx.caller(), ctx.database_by());
    co_return ctx.json_text(http::status::ok, budget_view(report));
}

/// GET /api/v1/reels/{id}/usage: the model calls of one of the caller's reels, including those in
/// progress. 200; 404.
awaitable<http::response> get_reel_usage(http::request_context& ctx, usage::usage_store& store) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto report = co_await store.read_reel(ctx.caller(), *id, ctx.database_by());
    if (!report) co_return ctx.problem(error{errc::not_found});
    co_return ctx.json_text(http::status::ok, reel_usage_view(*report));
}

/// The cost as an exact number or null, and the number of calls of unknown cost, if any.
std::string cost_members(const usage::sums& used, std::string_view prefix) {
    auto members = fmt::format(R"("{}cost_usd":{})", prefix, used.cost_usd.value_or("null"));
    if (used.unpriced_calls > 0) {
        members += fmt::format(R"(,"{}unpriced_calls":{})", prefix, used.unpriced_calls);
    }
    return members;
}

/// The audio that was transcribed, followed by a comma; empty if there is none.
std::string audio_member(const usage::decimal& seconds, std::string_view prefix = "") {
    return seconds == "0" ? "" : fmt::format(R"("{}audio_seconds":{},)", prefix, seconds);
}

std::string token_members(const usage::sums& used) {
    return fmt::format(
        R"("calls":{},"prompt_tokens":{},"output_tokens":{},"total_tokens":{},{}{})",
        used.calls,
        used.prompt_tokens,
        used.output_tokens,
        used.total_tokens(),
        audio_member(used.audio_seconds),
        cost_members(used, ""));
}

std::string model_view(const usage::model_sums& sums) {
    return fmt::format(
        R"({{"model":{},"purpose":{},{}}})",
        dumped(sums.model),
        dumped(sums.purpose),
        token_members(sums.used));
}

std::string purpose_view(const usage::purpose_sums& sums) {
    return fmt::format(R"({{"purpose":{},{}}})", dumped(sums.purpose), token_members(sums.used));
}

std::string day_view(const usage::day_sums& day) {
    return fmt::format(
        R"({{"date":{},"reels":{},"calls":{},"total_tokens":{},{}{}}})",
        dumped(day.date),
        day.reels,
        day.used.calls,
        day.used.total_tokens(),
        audio_member(day.used.audio_seconds),
        cost_members(day.used, ""));
}

std::string daily_model_view(const usage::daily_model_sums& sums) {
    return fmt::format(
        R"({{"date":{},"provider":{},"model":{},"purpose":{},{}}})",
        dumped(sums.date),
        dumped(sums.provider),
        dumped(sums.model),
        dumped(sums.purpose),
        token_members(sums.used));
}

std::string call_view(const usage::call& call) {
    return fmt::format(
        R"({{"number":{},"purpose":{},"provider":{},"model":{},"called_at":"{}",)"
        R"("prompt_tokens":{},"cached_prompt_tokens":{},"output_tokens":{},"thinking_tokens":{},)"
        R"({}"cost_usd":{},"is_under_way":{}}})",
        call.number ? std::to_string(*call.number) : "null",
        dumped(call.purpose),
        dumped(call.provider),
        dumped(call.model),
        to_rfc3339(call.called_at),
        call.prompt_tokens,
        call.cached_prompt_tokens,
        call.output_tokens,
        call.thinking_tokens,
        audio_member(call.audio_seconds),
        call.cost_usd.value_or("null"),
        call.is_under_way);
}

template <class Item>
std::string array_of(const std::vector<Item>& items, std::string (*view)(const Item&)) {
    std::vector<std::string> views;
    for (const auto& item : items) views.push_back(view(item));
    return fmt::format("[{}]", fmt::join(views, ","));
}

constexpr std::string_view header =
    "date,provider,model,calls,prompt_tokens,output_tokens,total_tokens,cost_usd,"
    "unpriced_calls,purpose,audio_seconds\r\n";

/// First characters of formulas in spreadsheets, which skip whitespace before them.
constexpr std::string_view formula_signs = "=+-@";
constexpr std::string_view skipped = " \t\r\n";

bool looks_like_formula(std::string_view text) {
    const auto first = text.find_first_not_of(skipped);
    return first != std::string_view::npos &&
           formula_signs.find(text[first]) != std::string_view::npos;
}

std::string line_of(const usage::daily_model_sums& sums) {
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\r\n",
        sums.date,
        csv_text_field(sums.provider),
        csv_text_field(sums.model),
        sums.used.calls,
        sums.used.prompt_tokens,
        sums.used.output_tokens,
        sums.used.total_tokens(),
        sums.used.cost_usd.value_or(""),
        sums.used.unpriced_calls,
        sums.purpose,
        sums.used.audio_seconds);
}

}  // namespace

void add_usage_routes(http::router& router, std::string_view prefix, usage::usage_store& store) {
    router.add(
        {{http::verb::get, "/reels/usage", &get_usage},
         {http::verb::get, "/reels/usage/budget", &get_budget},
         {http::verb::get, "/reels/usage/days", &get_usage_days},
         {http::verb::get, "/reels/usage/days.csv", &get_usage_csv},
         {http::verb::get, "/reels/{id}/usage", &get_reel_usage}},
        store,
        prefix);
}

input<usage::period> requested_period(
    std::optional<std::string_view> from, std::optional<std::string_view> to) {
    const auto first = requested_day("from", from);
    if (!first) return first.error();
    const auto last = requested_day("to", to);
    if (!last) return last.error();
    if (*first && *last && **first > **last) return invalid_parameter("from must not be after to");
    return usage::period{.from = *first, .to = *last};
}

std::string usage_view(const usage::report& report) {
    return fmt::format(
        R"({{{},"total_prompt_tokens":{},"total_output_tokens":{},)"
        R"("total_tokens":{},"total_calls":{},{}"by_model":{},"by_purpose":{},"by_day":{}}})",
        cost_members(report.total, "total_"),
        report.total.prompt_tokens,
        report.total.output_tokens,
        report.total.total_tokens(),
        report.total.calls,
        audio_member(report.total.audio_seconds, "total_"),
        array_of(report.by_model, &model_view),
        array_of(report.by_purpose, &purpose_view),
        array_of(report.by_day, &day_view));
}

std::string usage_days_view(const std::vector<usage::daily_model_sums>& days) {
    return array_of(days, &daily_model_view);
}

std::string reel_usage_view(const usage::reel_report& report) {
    auto view = fmt::format(
        R"({{"calls":{},"total_cost_usd":{})",
        array_of(report.calls, &call_view),
        report.cost_usd.value_or("null"));
    if (report.unpriced_calls > 0) {
        view += fmt::format(R"(,"unpriced_calls":{})", report.unpriced_calls);
    }
    return view.append("}");
}

std::string budget_view(const usage::budget_report& report) {
    auto view = fmt::format(
        R"({{"monthly_budget_usd":{},"spent_this_month_usd":{},"spent_today_usd":{},"month":{})",
        report.monthly_budget_usd.value_or("null"),
        report.spent_this_month_usd,
        report.spent_today_usd,
        dumped(report.month));
    if (report.unpriced_calls_this_month > 0) {
        view += fmt::format(
            R"(,"unpriced_calls_this_month":{},"estimated_this_month_usd":{})",
            report.unpriced_calls_this_month,
            report.estimated_this_month_usd);
    }
    return view.append("}");
}

std::string usage_csv(const std::vector<usage::daily_model_sums>& days) {
    std::string file{header};
    for (const auto& sums : days) file += line_of(sums);
    return file;
}

std::string csv_text_field(std::string_view text) {
    std::string field = looks_like_formula(text) ? "'" : "";
    field.append(text);
    if (field.find_first_of("\",\r\n") == std::string::npos) return field;
    for (auto at = field.find('"'); at != std::string::npos; at = field.find('"', at + 2)) {
        field.insert(at, 1, '"');
    }
    return "\"" + field + "\"";
}

}  // namespace reelsd::api
