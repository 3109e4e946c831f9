#include "command_description.hpp"

#include <CLI/CLI.hpp>

namespace reelsd::cli {
namespace {

std::vector<std::string> choices_of(const std::string& type_name) {
    if (type_name.find('|') == std::string::npos) return {};
    return CLI::detail::split(type_name, '|');
}

option_description describe_option(const CLI::Option& option) {
    option_description made;
    if (option.get_positional()) {
        made.names.push_back(option.get_name(true, false));
    } else {
        for (const auto& name : option.get_snames()) made.names.push_back("-" + name);
        for (const auto& name : option.get_lnames()) made.names.push_back("--" + name);
    }
    if (option.get_items_expected_max() > 0) made.value = option.get_type_name();
    made.text = option.get_description();
    made.choices = choices_of(made.value);
    made.takes_file = made.value == "FILE";
    made.required = option.get_required();
    made.repeats = option.get_expected_max() > 1;
    return made;
}

}  // namespace

command_description describe(const CLI::App& app) {
    command_description made{
        .name = app.get_name(),
        .text = app.get_description(),
        .footer = app.get_footer(),
        .arguments = {},
        .options = {},
        .commands = {}};
    for (const auto* const option : app.get_options()) {
        (option->get_positional() ? made.arguments : made.options)
            .push_back(describe_option(*option));
    }
    for (const auto* const command : app.get_subcommands(nullptr)) {
        made.commands.push_back(describe(*command));
    }
    return made;
}

}  // namespace reelsd::cli
