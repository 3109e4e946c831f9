#include "options.hpp"

#include <reelsd/base/parse_number.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>

namespace reelsd::cli {
namespace {

bool is_date(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
    const auto year = parse_number<std::uint16_t>(text.substr(0, 4));
    const auto month = parse_number<std::uint8_t>(text.substr(5, 2));
    const auto day = parse_number<std::uint8_t>(text.substr(8, 2));
    if (!year || !month || !day) return false;
    return std::chrono::year_month_day{
        std::chrono::year{*year}, std::chrono::month{*month}, std::chrono::day{*day}}
        .ok();
}

}  // namespace

void add_json_flag(CLI::App& app, bool& as_json) {
    app.add_flag("--json", as_json, "Print JSON and nothing else");
}

void add_wait_options(CLI::App& app, bool& wait, std::int64_t& timeout_seconds) {
    constexpr std::int64_t timeout_seconds_max = std::int64_t{7} * 24 * 3600;
    app.add_flag("--wait", wait, "Wait until the analysis is done, then print it");
    auto* const timeout = app.add_option(
        "--timeout",
        timeout_seconds,
        fmt::format("With --wait: stop waiting after this many seconds ({})", timeout_seconds));
    restrict_to(*timeout, 1, timeout_seconds_max);
    timeout->type_name("SECONDS");
}

void restrict_to(CLI::Option& option, std::span<const char* const> choices) {
    const std::vector<std::string> all{choices.begin(), choices.end()};
    const auto names = fmt::format("{}", fmt::join(all, ", "));
    option.type_name(fmt::format("{}", fmt::join(all, "|")));
    option.check(CLI::Validator{
        [all, names](std::string& value) {
            const bool known = std::find(all.begin(), all.end(), value) != all.end();
            return known ? std::string{} : fmt::format("\"{}\" is not one of {}", value, names);
        },
        ""});
}

void restrict_to(CLI::Option& option, std::int64_t min, std::int64_t max) {
    option.check(CLI::Validator{
        [min, max](std::string& value) {
            const auto number = parse_number<std::int64_t>(value);
            if (number && *number >= min && *number <= max) return std::string{};
            const auto range = max == job_id_max ? std::string{"a positive whole number"}
                                                 : fmt::format("a number from {} to {}", min, max);
            return fmt::format("\"{}\" is not {}", value, range);
        },
        ""});
}

void restrict_to_dates(CLI::Option& option) {
    option.type_name("YYYY-MM-DD");
    option.check(CLI::Validator{
        [](std::string& value) {
            return is_date(value)
                       ? std::string{}
                       : fmt::format("\"{}\" is not a date such as 2026-05-22 (YYYY-MM-DD)", value);
        },
        ""});
}

std::vector<std::string> names_of(const CLI::Option& option) {
    if (option.get_positional()) return {option.get_name(true, false)};
    std::vector<std::string> names;
    for (const auto& name : option.get_snames()) names.push_back("-" + name);
    for (const auto& name : option.get_lnames()) names.push_back("--" + name);
    return names;
}

bool takes_value(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
    const auto allowed = option.get_type_name();
    if (allowed.find('|') == std::string::npos) return {};
    return CLI::detail::split(allowed, '|');
}

}  // namespace reelsd::cli
