#include "commands.hpp"
#include "job_output.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <memory>

namespace reelsd::cli {
namespace {

struct get_arguments {
    std::int64_t id = 0;
    bool wait = false;
    bool as_json = false;
    std::int64_t timeout_seconds = wait_default.count();
};

exit_code run_get(const command_context& context, const get_arguments& arguments) {
    const auto form = arguments.as_json ? output_form::json : output_form::page;
    if (arguments.wait) {
        const std::chrono::seconds at_most{arguments.timeout_seconds};
        return wait_and_print_job(context, arguments.id, at_most, form);
    }
    const auto job = context.api.job(arguments.id, std::chrono::seconds{0}, context.stop);
    if (!job) return report(context, job.error());
    return print_job(context, *job, form);
}

}  // namespace

void add_get_command(CLI::App& app, command& chosen) {
    auto arguments = std::make_shared<get_arguments>();
    auto* const get = app.add_subcommand("get", "Print a reel: how it stands, or its analysis");
    constexpr auto id_max = std::numeric_limits<std::int64_t>::max();
    get->add_option("ID", arguments->id, "The number that analyze printed")
        ->required()
        ->check(CLI::Range(std::int64_t{1}, id_max).description(""))
        ->type_name("");
    get->add_flag("--wait", arguments->wait, "Wait until it is done");
    add_output_options(*get, arguments->as_json, arguments->timeout_seconds);
    get->callback([arguments, &chosen] {
        chosen = [arguments](const command_context& context) {
            return run_get(context, *arguments);
        };
    });
}

}  // namespace reelsd::cli
