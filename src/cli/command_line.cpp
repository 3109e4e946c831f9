#include "options.hpp"
#include "text.hpp"
#include <reelsd/base/nearest.hpp>
#include <reelsd/base/parse_number.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace reelsd::cli {
namespace {

constexpr const char* footer =
    R"(All options may also follow the command. To list the options of a command,
run: reels COMMAND --help

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

/// `"gte" is not a command or an option; did you mean "get"?`
std::string unknown_word(const std::string& word, std::vector<std::string> known) {
    const auto name = word.substr(0, word.find('='));
    const auto close = nearest(name, known);
    if (close == name) return fmt::format("\"{}\" belongs after the command", one_line(name));
    return fmt::format(
        "\"{}\" is not a command or an option{}",
        one_line(word),
        close.empty() ? "" : fmt::format("; did you mean \"{}\"?", close));
}

std::vector<std::string> option_names_after(const CLI::App& app, const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto* const part : {&app, &command}) {
        for (const auto* const option : part->get_options()) {
            if (option->get_positional()) continue;
            for (auto& name : names_of(*option)) names.push_back(std::move(name));
        }
    }
    return names;
}

/// Describes a usage error and names the help page to read.
std::string usage_error(const CLI::App& app, const CLI::ParseError& why) {
    const auto text = one_line(why.what());
    const auto subcommands = app.get_subcommands();
    const auto unexpected = app.remaining(true);
    if (!subcommands.empty()) {
        const auto& command = *subcommands.front();
        const bool is_unknown = dynamic_cast<const CLI::ExtrasError*>(&why) != nullptr;
        return fmt::format(
            "reels: {}\nSee: reels {} --help\n",
            is_unknown ? unknown_word(unexpected.front(), option_names_after(app, command)) : text,
            command.get_name());
    }
    std::vector<std::string> names;
    for (const auto* const known : app.get_subcommands(nullptr)) names.push_back(known->get_name());
    const bool lacks_command = dynamic_cast<const CLI::RequiredError*>(&why) != nullptr ||
                               dynamic_cast<const CLI::CallForHelp*>(&why) != nullptr;
    const auto reason = !lacks_command       ? text
                        : unexpected.empty() ? std::string{"a command is missing"}
                                             : unknown_word(unexpected.front(), names);
    return fmt::format(
        "reels: {}; the commands are {}\nSee: reels --help\n", reason, fmt::join(names, ", "));
}

constexpr std::size_t text_cells_min = 20;

/// "STATUS" for "--status".
std::string placeholder(std::string name) {
    name.erase(0, name.find_first_not_of('-'));
    for (auto& c : name) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return name;
}

std::string wrapped_text(std::string_view text, std::size_t columns) {
    return fmt::format("{}", fmt::join(wrapped(text, columns), "\n"));
}

class help_formatter final : public CLI::Formatter {
public:
    explicit help_formatter(std::size_t columns) : columns_{columns} {
        label("Positionals", "Arguments");
        label("SUBCOMMAND", "COMMAND");
    }

    std::string make_help(
        const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        std::size_t widest = 0;
        for (const auto* const subcommand : app->get_subcommands(nullptr)) {
            widest = std::max(widest, command_name(subcommand).size());
        }
        for (const auto* const option : app->get_options()) {
            const auto entry =
                make_option_name(option, option->get_positional()) + make_option_opts(option);
            widest = std::max(widest, entry.size());
        }
        auto sized = *this;
        sized.column_width(widest + 4);  // Two spaces on each side.
        auto text = sized.make_description(app) + "\n" + sized.make_usage(app, std::move(name)) +
                    sized.make_subcommands(app, mode) + sized.make_positionals(app) +
                    sized.make_groups(app, mode);
        const auto footer = app->get_footer();
        return footer.empty() ? text : text + "\n" + footer + "\n";
    }

    std::string make_description(const CLI::App* app) const override {
        return wrapped_text(app->get_description() + ".", columns_) + "\n";
    }

    std::string make_subcommand(const CLI::App* subcommand) const override {
        std::stringstream out;
        const auto description = entry_text(subcommand->get_description());
        CLI::detail::format_help(out, command_name(subcommand), description, column_width_);
        return out.str();
    }

    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        if (is_positional) return CLI::Formatter::make_option_name(option, true);
        return fmt::format("{}", fmt::join(names_of(*option), ", "));
    }

    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_positional() || !takes_value(*option)) return {};
        // Choices are too wide for this column.
        return " " + (choices_of(*option).empty() ? option->get_type_name()
                                                  : placeholder(names_of(*option).back()));
    }

    std::string make_option_desc(const CLI::Option* option) const override {
        auto text = option->get_description();
        const auto choices = choices_of(*option);
        if (!choices.empty()) text += fmt::format(": {}", fmt::join(choices, ", "));
        return entry_text(text);
    }

private:
    /// With its arguments: "show KIND...".
    [[nodiscard]] std::string command_name(const CLI::App* subcommand) const {
        auto name = subcommand->get_name();
        for (const auto* const option : subcommand->get_options()) {
            if (option->get_positional()) name += " " + make_option_usage(option);
        }
        return name;
    }

    /// `text` wrapped to the width next to the names.
    [[nodiscard]] std::string entry_text(const std::string& text) const {
        const auto room = columns_ - std::min(column_width_, columns_);
        return wrapped_text(text, std::max(room, text_cells_min));
    }

    std::size_t columns_;
};

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
    constexpr std::array commands{
        &add_analyze_command,
        &add_get_command,
        &add_open_command,
        &add_subtitles_command,
        &add_list_command,
        &add_search_command,
        &add_ask_command,
        &add_presets_command,
        &add_download_command,
        &add_usage_command,
        &add_export_command,
        &add_delete_command,
        &add_mcp_command,
        &add_completion_command};
    for (auto* const add : commands) add(app, line.chosen);
    add_login_command(app, line);
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
        const bool is_unknown = parser->get_subcommands().empty() && !parser->remaining().empty();
        if (why.get_exit_code() == 0 && !is_unknown) {
            parser->exit(why);
            return exit_code::ok;
        }
        std::fputs(usage_error(*parser, why).c_str(), stderr);
        return exit_code::usage;
    }
    return parsed;
}

std::shared_ptr<CLI::FormatterBase> make_help_formatter(std::size_t columns) {
    return std::make_shared<help_formatter>(columns);
}

void add_json_flag(CLI::App& app, bool& as_json) {
    app.add_flag("--json", as_json, "Print JSON and nothing else");
}

void add_wait_options(CLI::App& app, bool& wait, std::optional<std::int64_t>& timeout_seconds) {
    constexpr std::int64_t timeout_seconds_max = std::int64_t{7} * 24 * 3600;
    app.add_flag("--wait", wait, "Wait until the analysis is done, then print it");
    auto* const timeout = app.add_option(
        "--timeout",
        timeout_seconds,
        fmt::format(
            "With --wait: stop waiting after this many seconds ({})", wait_default.count()));
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
            return parse_day(value)
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
