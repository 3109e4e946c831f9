#include "help.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::cli {
namespace {

constexpr std::size_t text_cells_min = 20;

/// Two columns: what to type, and what it means, wrapped under itself.
struct entry {
    std::string typed;
    std::string text;
};

std::string argument_usage(const option_description& argument) {
    auto text = argument.names.front();
    if (argument.repeats) text += "...";
    return argument.required ? text : "[" + text + "]";
}

/// "STATUS" for "--status".
std::string placeholder(std::string name) {
    name.erase(0, name.find_first_not_of('-'));
    for (auto& c : name) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return name;
}

entry entry_of(const option_description& option) {
    auto typed = fmt::format("{}", fmt::join(option.names, ", "));
    const bool is_option = option.names.front().starts_with('-');
    if (is_option && !option.value.empty()) {
        // Choices are too wide for this column.
        typed += " " + (option.choices.empty() ? option.value : placeholder(option.names.back()));
    }
    auto text = option.text;
    if (!option.choices.empty()) {
        text += fmt::format(": {}", fmt::join(option.choices, ", "));
    }
    return {.typed = std::move(typed), .text = std::move(text)};
}

std::vector<entry> entries_of(const std::vector<option_description>& options) {
    std::vector<entry> entries;
    entries.reserve(options.size());
    for (const auto& option : options) entries.push_back(entry_of(option));
    return entries;
}

std::vector<entry> entries_of(const std::vector<command_description>& commands) {
    std::vector<entry> entries;
    entries.reserve(commands.size());
    for (const auto& command : commands) {
        auto typed = command.name;
        for (const auto& argument : command.arguments) typed += " " + argument_usage(argument);
        entries.push_back({.typed = std::move(typed), .text = command.text});
    }
    return entries;
}

std::string drawn(
    const char* heading, const std::vector<entry>& entries, std::size_t indent,
    std::size_t columns) {
    if (entries.empty()) return {};
    auto drawn = fmt::format("\n{}:\n", heading);
    for (const auto& one : entries) {
        auto lead = "  " + one.typed;
        const auto room = std::max(columns - std::min(indent, columns), text_cells_min);
        for (const auto& line : wrapped(one.text, room)) {
            drawn += fmt::format("{:<{}}{}\n", lead, indent, line);
            lead.clear();
        }
    }
    return drawn;
}

std::string usage_line(const command_description& command, const std::string& called) {
    auto line = fmt::format("Usage: {}", called);
    if (!command.commands.empty()) line += " COMMAND";
    line += " [OPTIONS]";
    for (const auto& argument : command.arguments) line += " " + argument_usage(argument);
    return line + "\n";
}

std::size_t widest(const std::vector<entry>& entries) {
    std::size_t most = 0;
    for (const auto& one : entries) most = std::max(most, one.typed.size());
    return most;
}

}  // namespace

std::string help_text(
    const command_description& command, const std::string& called, std::size_t columns) {
    const auto commands = entries_of(command.commands);
    const auto arguments = entries_of(command.arguments);
    const auto options = entries_of(command.options);
    const auto indent =
        std::max({widest(commands), widest(arguments), widest(options)}) + 4;  // Two on each side.
    std::string text;
    for (const auto& line : wrapped(command.text + ".", columns)) text += line + "\n";
    text += "\n" + usage_line(command, called);
    text += drawn("Commands", commands, indent, columns);
    text += drawn("Arguments", arguments, indent, columns);
    text += drawn("Options", options, indent, columns);
    if (!command.footer.empty()) text += "\n" + command.footer + "\n";
    return text;
}

}  // namespace reelsd::cli
