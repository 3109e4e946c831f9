#include "command_line.hpp"

#include "job_output.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace reelsd::cli {
namespace {

constexpr const char* footer = R"(
Settings come from the flags above, else from REELS_SERVER and REELS_TOKEN, else from the
configuration file with lines such as
    server = "http://127.0.0.1:8080"
    token = "rls_..."
A token given as a flag is visible to other users of the machine: prefer the other two.

Exit codes:
    0    done as asked (without --wait: queued)
    1    the job ended in error
    2    the command line or the configuration is wrong
    3    no usable answer from the server, also after two more tries
    4    the server said no: token, link, id or a limit
    5    --timeout passed, the reel is still in work
    130  interrupted; the reel stays in work)";

}  // namespace

void add_output_options(CLI::App& app, bool& as_json, std::int64_t& timeout_seconds) {
    constexpr std::int64_t timeout_seconds_max = 7 * 24 * 3600;
    app.add_flag("--json", as_json, "Print the job as JSON and nothing else");
    app.add_option("--timeout", timeout_seconds, "With --wait: give up after so many seconds")
        ->check(CLI::Range(std::int64_t{1}, timeout_seconds_max).description(""))
        ->type_name("SECONDS")
        ->capture_default_str();
}

void add_commands(CLI::App& app, command& chosen) {
    add_analyze_command(app, chosen);
    add_get_command(app, chosen);
}

std::variant<command_line, exit_code> parse_command_line(int argc, const char* const* argv) {
    command_line parsed;
    CLI::App app{
        "reels: hands Instagram reels to a reelsd server and shows what it found.", "reels"};
    app.footer(footer);
    app.set_version_flag("--version", "reels " REELSD_VERSION);
    app.add_option(
           "--server",
           parsed.flags.server,
           fmt::format("Address of the server ({})", default_server))
        ->type_name("URL");
    app.add_option("--token", parsed.flags.token, "API token")->type_name("TOKEN");
    app.add_option("--config", parsed.config, "Configuration file (~/.config/reels/config)")
        ->type_name("FILE");
    app.require_subcommand(1);
    app.fallthrough();  // --server and --token may also stand behind the command.
    add_commands(app, parsed.chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& why) {  // CLI11's only way to say help, version or wrong usage.
        return app.exit(why) == 0 ? exit_code::ok : exit_code::usage;
    }
    return parsed;
}

}  // namespace reelsd::cli
