#include "options.hpp"
#include "output.hpp"

#include <cstdint>

namespace reelsd::cli {
namespace {

struct get_arguments {
    std::int64_t id = 0;
    bool wait = false;
    bool as_json = false;
    std::int64_t timeout_seconds = wait_default.count();
};

exit_code run_get(const command_context& context, const get_arguments& arguments) {
    const auto form = form_of(arguments.as_json);
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
    auto [get, arguments] = add_server_command(
        app, chosen, "get", "Print the status of a reel, or its analysis", &run_get);
    auto* const id = get.add_option("ID", arguments.id, "Id that analyze printed");
    restrict_to(*id->required(), 1, job_id_max);
    add_wait_options(get, arguments.wait, arguments.timeout_seconds);
    add_json_flag(get, arguments.as_json);
    get.footer(R"(Examples:
    reels get 42
    reels get --json 42 | jq -r .result.audio.transcript)");
}

}  // namespace reelsd::cli
