#include "usage_view.hpp"

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace reelsd::api {
namespace {

std::string json_string(std::string_view text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The cost as a number, digit by digit as the database has it, or null; and, where some calls have
/// none, how many: then the cost is that of the others.
std::string cost_members(const usage::sums& used, std::string_view prefix) {
    auto members = fmt::format(R"("{}cost_usd":{})", prefix, used.cost_usd.value_or("null"));
    if (used.unpriced_calls > 0) {
        members += fmt::format(R"(,"{}unpriced_calls":{})", prefix, used.unpriced_calls);
    }
    return members;
}

std::string model_view(const usage::model_sums& one) {
    return fmt::format(
        R"({{"model":{},"calls":{},"prompt_tokens":{},"output_tokens":{},"total_tokens":{},)"
        R"({}}})",
        json_string(one.model),
        one.used.calls,
        one.used.prompt_tokens,
        one.used.output_tokens,
        one.used.total_tokens(),
        cost_members(one.used, ""));
}

std::string day_view(const usage::day_sums& one) {
    return fmt::format(
        R"({{"date":{},"calls":{},"total_tokens":{},{}}})",
        json_string(one.date),
        one.used.calls,
        one.used.total_tokens(),
        cost_members(one.used, ""));
}

std::string daily_model_view(const usage::daily_model_sums& one) {
    return fmt::format(
        R"({{"date":{},"provider":{},"model":{},"calls":{},"prompt_tokens":{},"output_tokens":{},)"
        R"("total_tokens":{},{}}})",
        json_string(one.date),
        json_string(one.provider),
        json_string(one.model),
        one.used.calls,
        one.used.prompt_tokens,
        one.used.output_tokens,
        one.used.total_tokens(),
        cost_members(one.used, ""));
}

std::string call_view(const usage::call& one) {
    return fmt::format(
        R"({{"number":{},"purpose":{},"provider":{},"model":{},"called_at":"{}",)"
        R"("prompt_tokens":{},"cached_prompt_tokens":{},"output_tokens":{},"thinking_tokens":{},)"
        R"("cost_usd":{},"is_under_way":{}}})",
        one.number ? std::to_string(*one.number) : "null",
        json_string(one.purpose),
        json_string(one.provider),
        json_string(one.model),
        to_rfc3339(one.called_at),
        one.prompt_tokens,
        one.cached_prompt_tokens,
        one.output_tokens,
        one.thinking_tokens,
        one.cost_usd.value_or("null"),
        one.is_under_way);
}

template <class Item>
std::string array_of(const std::vector<Item>& items, std::string (*view)(const Item&)) {
    std::string text = "[";
    for (const auto& item : items) {
        if (text.size() > 1) text.push_back(',');
        text.append(view(item));
    }
    text.push_back(']');
    return text;
}

}  // namespace

std::string usage_view(const usage::report& report) {
    return fmt::format(
        R"({{{},"total_prompt_tokens":{},"total_output_tokens":{},)"
        R"("total_tokens":{},"total_calls":{},"by_model":{},"by_day":{}}})",
        cost_members(report.total, "total_"),
        report.total.prompt_tokens,
        report.total.output_tokens,
        report.total.total_tokens(),
        report.total.calls,
        array_of(report.by_model, &model_view),
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
        json_string(report.month));
    if (report.unpriced_calls_this_month > 0) {
        view += fmt::format(
            R"(,"unpriced_calls_this_month":{},"estimated_this_month_usd":{})",
            report.unpriced_calls_this_month,
            report.estimated_this_month_usd);
    }
    return view.append("}");
}

}  // namespace reelsd::api
