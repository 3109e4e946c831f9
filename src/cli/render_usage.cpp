#include "page.hpp"
#include "render.hpp"
#include "table.hpp"
#include "text.hpp"
#include <reelsd/base/json.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace reelsd::cli {
namespace {

/// "$0.16522": the shortest decimal that means the same number, which is what the server wrote for
/// up to 15 digits, but at least whole cents.
std::string cost_text(const json& of, const char* name) {
    const auto cost = number_of(of, name);
    if (!cost) return unknown;
    std::array<char, 400> digits{};  // The longest finite number takes 309, the shortest 326.
    const auto written = std::to_chars(
        digits.data(), digits.data() + digits.size(), *cost, std::chars_format::fixed);
    std::string text{digits.data(), written.ptr};
    const auto point = text.find('.');
    if (point == std::string::npos) return "$" + text + ".00";
    if (text.size() - point == 2) text.push_back('0');
    return "$" + text;
}

std::string usage_count(const json& of, const char* name) {
    const auto count = integer_of(of, name);
    return count ? grouped(*count) : unknown;
}

std::string usage_headline(const usage_days& days) {
    if (days.from && days.to) return fmt::format("Usage from {} to {}", *days.from, *days.to);
    if (days.from) return fmt::format("Usage since {}", *days.from);
    if (days.to) return fmt::format("Usage up to {}", *days.to);
    return "Usage of all time";
}

table_column number_column(const char* heading) {
    return {.heading = heading, .align = alignment::right};
}

std::string models_table(const json& by_model, const render_options& options) {
    auto model = table_column{.heading = "MODEL", .stretches = true};
    auto prompt = number_column("PROMPT TOKENS");
    prompt.leaves = 2;
    auto output = number_column("OUTPUT TOKENS");
    output.leaves = 1;
    table lines{
        {std::move(model),
         number_column("CALLS"),
         std::move(prompt),
         std::move(output),
         number_column("TOKENS"),
         number_column("COST")}};
    for (const auto& one : by_model) {
        lines.add(
            {{text_or(one, "model", unknown)},
             {usage_count(one, "calls")},
             {usage_count(one, "prompt_tokens")},
             {usage_count(one, "output_tokens")},
             {usage_count(one, "total_tokens")},
             {cost_text(one, "cost_usd")}});
    }
    return lines.text(options.table_columns, options.allowed);
}

std::string days_table(const json& by_day, const render_options& options) {
    table lines{
        {{.heading = "DATE"},
         number_column("CALLS"),
         number_column("TOKENS"),
         number_column("COST")}};
    for (const auto& one : by_day) {
        lines.add(
            {{text_or(one, "date", unknown)},
             {usage_count(one, "calls")},
             {usage_count(one, "total_tokens")},
             {cost_text(one, "cost_usd")}});
    }
    return lines.text(options.table_columns, options.allowed);
}

}  // namespace

std::string render_usage(const json& usage, const usage_days& days, const render_options& options) {
    page out{options};
    out.line(usage_headline(days), style::strong);
    out.field("Model calls", usage_count(usage, "total_calls"));
    out.field("Prompt tokens", usage_count(usage, "total_prompt_tokens"));
    out.field("Output tokens", usage_count(usage, "total_output_tokens"));
    out.field("Tokens", usage_count(usage, "total_tokens"));
    out.field("Cost", cost_text(usage, "total_cost_usd"));
    if (const auto calls = integer_of(usage, "total_unpriced_calls")) {
        out.field("Not in it", fmt::format("{} calls of unknown cost", grouped(*calls)));
    }
    auto text = out.take();
    if (const auto& models = member(usage, "by_model"); has_elements(models)) {
        text += "\n" + models_table(models, options);
    }
    if (const auto& all_days = member(usage, "by_day"); has_elements(all_days)) {
        text += "\n" + days_table(all_days, options);
    }
    return text;
}

}  // namespace reelsd::cli
