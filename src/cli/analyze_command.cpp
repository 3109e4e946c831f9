#include "commands.hpp"
#include "job_output.hpp"
#include "page.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

namespace reelsd::cli {
namespace {

struct analyze_arguments {
    std::string link;
    bool wait = false;
    bool as_json = false;
    std::int64_t timeout_seconds = wait_default.count();
};

exit_code run_analyze(const command_context& context, const analyze_arguments& arguments) {
    const auto form = arguments.as_json ? output_form::json : output_form::page;
    const auto queued = context.api.submit(arguments.link, context.stop);
    if (!queued) return report(context, queued.error());
    const auto id = integer_of(queued->document, "id");
    if (!id) {
        return report(
            context, error{errc::connection_failed, "the server queued the reel but named no id"});
    }
    if (arguments.wait) {
        context.shown.show(fmt::format("reel {}: pending", *id));
        const std::chrono::seconds at_most{arguments.timeout_seconds};
        return wait_and_print_job(context, *id, at_most, form);
    }
    if (form == output_form::json) return print_job(context, *queued, form);
    // The id alone on standard output, for scripts: id=$(reels analyze ...).
    std::fputs(fmt::format("{}\n", *id).c_str(), context.out);
    context.shown.note(fmt::format("Queued. See it with: reels get {}", *id));
    return exit_code::ok;
}

}  // namespace

void add_analyze_command(CLI::App& app, command& chosen) {
    auto arguments = std::make_shared<analyze_arguments>();
    auto* const analyze = app.add_subcommand("analyze", "Queue a reel for analysis");
    analyze->add_option("URL", arguments->link, "Link to the reel")->required()->type_name("");
    analyze->add_flag("--wait", arguments->wait, "Wait for the result and print it");
    add_output_options(*analyze, arguments->as_json, arguments->timeout_seconds);
    analyze->callback([arguments, &chosen] {
        chosen = [arguments](const command_context& context) {
            return run_analyze(context, *arguments);
        };
    });
}

}  // namespace reelsd::cli
