#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace reelsd::cli {
namespace {

constexpr const char* footer =
    R"(All options except --version may also follow the command. To list the options
of a command, run: reels COMMAND --help

These options override REELS_SERVER, REELS_TOKEN and REELS_CA_FILE, which
override the configuration file. That file has lines such as
    server = "http://127.0.0.1:8080"
    token = "rls_..."
Other users of the machine can see a token given as an option: prefer the
other two. Set NO_COLOR to disable colours.

A request that fails temporarily (429, 500, 502, 503, no answer) is tried three
times.

Exit codes:
    0    success (analyze without --wait: the reel is queued)
    1    the analysis of the reel failed
    2    the command line or the configuration is wrong; nothing was sent
    3    no usable answer from the server, even after two retries
    4    the server rejected the request: token, link, unknown reel or a limit
    5    --timeout passed; the analysis continues on the server
    6    ask: the reels do not answer the question
    130  interrupted; the analysis of a submitted reel continues)";

/// Describes a usage error and names the help page to read.
std::string usage_error(const CLI::App& app, const CLI::ParseError& why) {
    const auto text = printable(why.what(), line_breaks::to_blank);
    const auto subcommands = app.get_subcommands();
    if (!subcommands.empty()) {
        const auto& name = subcommands.front()->get_name();
        return fmt::format("reels: {}\nSee: reels {} --help\n", text, name);
    }
    std::vector<std::string> names;
    for (const auto* const known : app.get_subcommands(nullptr)) names.push_back(known->get_name());
    const auto unexpected = app.remaining();
    const bool lacks_command = dynamic_cast<const CLI::RequiredError*>(&why) != nullptr;
    const auto reason = !lacks_command ? text
                        : unexpected.empty()
                            ? std::string{"a command is missing"}
                            : fmt::format(
                                  "\"{}\" is not a command or an option",
                                  printable(unexpected.front(), line_breaks::to_blank));
    return fmt::format(
        "reels: {}; the commands are {}\nSee: reels --help\n", reason, fmt::join(names, ", "));
}

}  // namespace

std::unique_ptr<CLI::App> make_parser(command_line& line, std::size_t help_columns) {
    auto parser = std::make_unique<CLI::App>();
    auto& app = *parser;
    app.formatter(make_help_formatter(help_columns));
    app.description("reels submits Instagram reels to a reelsd server and shows the results");
    app.name("reels");
    app.set_help_flag("-h,--help", "Print this help");
    app.set_version_flag("--version", "reels " REELSD_VERSION)->description("Print the version");
    app.add_option(
           "--server", line.flags.server, fmt::format("Address of the server ({})", default_server))
        ->type_name("URL");
    app.add_option("--token", line.flags.token, "API token")->type_name("TOKEN");
    app.add_option(
           "--ca-file",
           line.flags.ca_file,
           "Certificate authorities (PEM) to trust for an https server (the system's)")
        ->type_name("FILE");
    app.add_option("--config", line.config, "Configuration file (~/.config/reels/config)")
        ->type_name("FILE");
    app.require_subcommand(1);
    app.fallthrough();  // Options such as --server may also follow the command.
    add_analyze_command(app, line.chosen);
    add_get_command(app, line.chosen);
    add_list_command(app, line.chosen);
    add_search_command(app, line.chosen);
    add_ask_command(app, line.chosen);
    add_presets_command(app, line.chosen);
    add_download_command(app, line.chosen);
    add_usage_command(app, line.chosen);
    add_export_command(app, line.chosen);
    add_delete_command(app, line.chosen);
    add_mcp_command(app, line.chosen);
    add_completion_command(app, line.chosen);
    for (auto* const subcommand : app.get_subcommands(nullptr)) subcommand->group("Commands");
    app.footer(footer);  // Last: commands added later would inherit it.
    return parser;
}

std::variant<command_line, exit_code> parse_command_line(int argc, const char* const* argv) {
    command_line parsed;
    const auto parser = make_parser(parsed, text_columns_of(stdout));
    try {
        parser->parse(argc, argv);
    } catch (const CLI::ParseError& why) {  // CLI11 throws for help, version and usage errors.
        if (why.get_exit_code() == 0) {
            parser->exit(why);
            return exit_code::ok;
        }
        std::fputs(usage_error(*parser, why).c_str(), stderr);
        return exit_code::usage;
    }
    return parsed;
}

}  // namespace reelsd::cli
