#include "options.hpp"
#include "output.hpp"

namespace reelsd::cli {
namespace {

struct usage_arguments {
    usage_query wanted;
    bool as_json = false;
};

exit_code run_usage(const command_context& context, const usage_arguments& arguments) {
    const auto usage = context.api.usage(arguments.wanted, context.stop);
    if (!usage) return report(context, usage.error());
    if (arguments.as_json) {
        print_json(context, usage->body);
    } else {
        const usage_days days{.from = arguments.wanted.from, .to = arguments.wanted.to};
        print(context, render_usage(usage->document, days, context.page));
    }
    return exit_code::ok;
}

}  // namespace

void add_usage_command(CLI::App& app, command& chosen) {
    auto [usage, arguments] = add_server_command(
        app, chosen, "usage", "Show model calls, tokens and what they cost", &run_usage);
    auto& wanted = arguments.wanted;
    restrict_to_dates(*usage.add_option("--from", wanted.from, "First day (UTC)"));
    restrict_to_dates(*usage.add_option("--to", wanted.to, "Last day, included (UTC)"));
    add_json_flag(usage, arguments.as_json);
    usage.footer(R"(Examples:
    reels usage --from 2026-05-01 --to 2026-05-31
    reels usage --json | jq .total_cost_usd)");
    usage.parse_complete_callback([&wanted] {
        // Written so, days compare as texts.
        if (wanted.from && wanted.to && *wanted.from > *wanted.to) {
            throw CLI::ValidationError{
                "--from", "the first day must not be after the last day (--to)"};
        }
    });
}

}  // namespace reelsd::cli
