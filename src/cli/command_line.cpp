#include "command_line.hpp"

#include "help_formatter.hpp"
#include "terminal.hpp"
#include "text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace reelsd::cli {
namespace {

constexpr const char* footer =
    R"(All but --version may also stand behind the command, whose own options are
listed by: reels COMMAND --help

Settings come from these options, else from REELS_SERVER, REELS_TOKEN and
REELS_CA_FILE, else from the configuration file with lines such as
    server = "http://127.0.0.1:8080"
    token = "rls_..."
A token given as an option is visible to other users of the machine: prefer the
other two. With NO_COLOR set, nothing is coloured.

What fails for a while (429, 500, 502, 503, no answer) is tried three times.

Exit codes:
    0    done as asked (analyze without --wait: queued)
    1    the analysis of the reel ended in an error
    2    the command line or the configuration is wrong; nothing was sent
    3    no usable answer from the server, also after two more tries
    4    the server said no: token, link, unknown reel or a limit
    5    --timeout passed; the reel stays in work
    130  interrupted; a reel that was submitted stays in work)";

}  // namespace

std::unique_ptr<CLI::App> make_parser(command_line& line, std::size_t help_columns) {
    auto parser = std::make_unique<CLI::App>();
    auto& app = *parser;
    app.formatter(std::make_shared<help_formatter>(help_columns));
    app.description("reels hands Instagram reels to a reelsd server and shows what it found");
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
           "Certificate authorities that vouch for an https server (the system's)")
        ->type_name("FILE");
    app.add_option("--config", line.config, "Configuration file (~/.config/reels/config)")
        ->type_name("FILE");
    app.require_subcommand(1);
    app.fallthrough();  // --server and the like may also stand behind the command.
    add_analyze_command(app, line.chosen);
    add_get_command(app, line.chosen);
    add_list_command(app, line.chosen);
    add_search_command(app, line.chosen);
    add_usage_command(app, line.chosen);
    add_export_command(app, line.chosen);
    add_delete_command(app, line.chosen);
    add_mcp_command(app, line.chosen);
    add_completion_command(app, line.chosen);
    for (auto* const command : app.get_subcommands(nullptr)) command->group("Commands");
    app.footer(footer);  // Last: commands would inherit it.
    return parser;
}

namespace {

/// What is wrong with the command line, and where to read how it should be.
std::string complaint(const CLI::App& app, const CLI::ParseError& why) {
    const auto named = app.get_subcommands();
    if (!named.empty()) {
        return fmt::format(
            "reels: {}\nSee: reels {} --help\n",
            printable(why.what(), line_breaks::to_blank),
            named.front()->get_name());
    }
    std::vector<std::string> commands;
    for (const auto* const one : app.get_subcommands(nullptr)) commands.push_back(one->get_name());
    const auto unexpected = app.remaining();
    const bool lacks_command = dynamic_cast<const CLI::RequiredError*>(&why) != nullptr;
    auto text = !lacks_command       ? printable(why.what(), line_breaks::to_blank)
                : unexpected.empty() ? std::string{"a command is missing"}
                                     : fmt::format(
                                           "\"{}\" is no command or option",
                                           printable(unexpected.front(), line_breaks::to_blank));
    return fmt::format(
        "reels: {}; the commands are {}\nSee: reels --help\n", text, fmt::join(commands, ", "));
}

}  // namespace

std::variant<command_line, exit_code> parse_command_line(int argc, const char* const* argv) {
    command_line parsed;
    const auto parser = make_parser(parsed, text_columns_of(stdout));
    try {
        parser->parse(argc, argv);
    } catch (const CLI::ParseError& why) {  // CLI11's only way to say help, version or wrong usage.
        if (why.get_exit_code() == 0) {
            parser->exit(why);
            return exit_code::ok;
        }
        std::fputs(complaint(*parser, why).c_str(), stderr);
        return exit_code::usage;
    }
    return parsed;
}

}  // namespace reelsd::cli
