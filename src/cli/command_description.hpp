#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace reelsd::cli {

/// An option, or an argument that stands for itself.
struct option_description {
    std::vector<std::string> names = {};  ///< "-h", "--help"; an argument has one: "ID".
    std::string value = {};  ///< What it takes, for people: "SECONDS"; empty when it takes nothing.
    std::string text = {};   ///< What it means.
    std::vector<std::string> choices = {};  ///< When it takes one of a few values: those.
    bool takes_file = false;
    bool required = false;
    bool repeats = false;  ///< Takes several values.
};

/// The program or one of its commands.
struct command_description {
    std::string name = {};
    std::string text = {};
    std::string footer = {};
    std::vector<option_description> arguments = {};
    std::vector<option_description> options = {};
    std::vector<command_description> commands = {};
};

/// Describes a program or command, with its subcommands, as CLI11 knows it.
[[nodiscard]] command_description describe(const CLI::App& app);

/// The command line of `reels`, read off what parses it: help, completions and their tests can't
/// say anything else.
[[nodiscard]] command_description describe_reels();

}  // namespace reelsd::cli
