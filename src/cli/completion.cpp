#include "commands.hpp"
#include "options.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>

#include <boost/algorithm/string/join.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace reelsd::cli {
namespace {

using option_list = std::vector<const CLI::Option*>;

option_list options_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

option_list arguments_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
    return program.get_subcommands(nullptr);
}

/// Also for an argument such as "URL|FILE".
bool takes_file(const CLI::Option& option) {
    const auto type = option.get_positional() ? names_of(option).front() : option.get_type_name();
    return takes_value(option) && contains(type, "FILE");
}

/// Every option of the program and its commands, each name once.
std::map<std::string, const CLI::Option*> options_by_name(const CLI::App& program) {
    std::map<std::string, const CLI::Option*> all;
    const auto add = [&all](const CLI::App& app) {
        for (const auto* const option : options_of(app)) {
            for (const auto& name : names_of(*option)) {
                const auto [known, is_new] = all.try_emplace(name, option);
                // Shells tell an option's value from a command by the option's name alone.
                invariant(is_new || takes_value(*known->second) == takes_value(*option));
            }
        }
    };
    add(program);
    for (const auto* const command : commands_of(program)) add(*command);
    return all;
}

/// A script's text with VALUE_OPTIONS replaced by the options that take a value.
std::string with_value_options(
    std::string_view script, const CLI::App& program, std::string_view separator) {
    std::vector<std::string> names;
    for (const auto& [name, option] : options_by_name(program)) {
        if (takes_value(*option)) names.push_back(name);
    }
    constexpr std::string_view mark = "VALUE_OPTIONS";
    std::string text{script};
    return text.replace(text.find(mark), mark.size(), boost::join(names, separator));
}

/// The options of a command, and those of the program that it does not have itself.
option_list options_after(const CLI::App& program, const CLI::App& command) {
    auto options = options_of(command);
    for (const auto* const option : options_of(program)) {
        const auto names = names_of(*option);
        const bool is_own = std::ranges::any_of(
            options, [&](const auto* known) { return names_of(*known) == names; });
        if (!is_own && names.front() != "--version") options.push_back(option);
    }
    return options;
}

/// The words after a command: its choices, and options.
std::string words_for(const CLI::App& program, const CLI::App& command) {
    std::vector<std::string> words;
    for (const auto* const argument : arguments_of(command)) {
        const auto choices = choices_of(*argument);
        words.insert(words.end(), choices.begin(), choices.end());
    }
    for (const auto* const option : options_after(program, command)) {
        const auto names = names_of(*option);
        words.insert(words.end(), names.begin(), names.end());
    }
    return boost::join(words, " ");
}

/// Finds the command before the cursor: the first word that is neither an option nor its value.
constexpr std::string_view bash_walk = R"(_reels() {
    local current=${COMP_WORDS[COMP_CWORD]} command='' option='' word at IFS=$'\n'
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        [[ $word == = ]] && continue # --option=value comes in three words
        if [[ $word == : ]]; then     # and so does the address in http://127.0.0.1
            ((at++))
            continue
        fi
        if [[ -n $option ]]; then
            option=''
            continue
        fi
        case $word in
            VALUE_OPTIONS) option=$word ;;
            -*) ;;
            *) [[ -n $command ]] || command=$word ;;
        esac
    done
    [[ $current == = ]] && current=''
    case $option in
)";

std::string bash_reply(std::string_view words) {
    return fmt::format("COMPREPLY=($(IFS=' ' compgen -W '{}' -- \"$current\"))", words);
}

constexpr std::string_view bash_files =
    R"(compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")))";

std::string bash_values(const CLI::App& program) {
    std::string values;
    for (const auto& [name, option] : options_by_name(program)) {
        const auto choices = choices_of(*option);
        if (takes_file(*option)) {
            values += fmt::format(
                "        {})\n            {}\n            return ;;\n", name, bash_files);
        } else if (!choices.empty()) {
            values += fmt::format(
                "        {})\n            {}\n            return ;;\n",
                name,
                bash_reply(boost::join(choices, " ")));
        }
    }
    return values;
}

std::string bash_script(const CLI::App& program) {
    auto text = with_value_options(bash_walk, program, "|");
    text += bash_values(program);
    text += "        ?*) return ;;  # any other value\n    esac\n";
    text += "    case $command in\n";
    std::vector<std::string> first;
    for (const auto* const command : commands_of(program)) first.push_back(command->get_name());
    for (const auto* const option : options_of(program)) {
        const auto names = names_of(*option);
        first.insert(first.end(), names.begin(), names.end());
    }
    text += fmt::format("        '') {} ;;\n", bash_reply(boost::join(first, " ")));
    for (const auto* const command : commands_of(program)) {
        text += fmt::format("        {})\n", command->get_name());
        if (std::ranges::any_of(arguments_of(*command), [](const auto* argument) {
                return takes_file(*argument);
            })) {
            text +=
                fmt::format("            [[ $current == -* ]] || {{ {}; return; }}\n", bash_files);
        }
        text += fmt::format("            {} ;;\n", bash_reply(words_for(program, *command)));
    }
    text += "    esac\n}\ncomplete -F _reels reels\n";
    return "# bash completion for reels. Load it with: source <(reels completion bash)\n" + text;
}

/// For use between single quotes in an _arguments or _describe specification.
std::string zsh_escaped(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\'') {
            escaped += "'\\''";
        } else {
            if (c == ':' || c == '[' || c == ']' || c == '\\') escaped.push_back('\\');
            escaped.push_back(c);
        }
    }
    return escaped;
}

/// ":MESSAGE:ACTION" of a value.
std::string zsh_value(const CLI::Option& option) {
    const auto name = option.get_positional() ? names_of(option).front() : option.get_type_name();
    if (takes_file(option)) return fmt::format(":{}:_files", zsh_escaped(name));
    const auto choices = choices_of(option);
    if (choices.empty()) return fmt::format(":{}: ", zsh_escaped(name));
    const auto message = option.get_positional() ? name : option.get_description();
    return fmt::format(":{}:({})", zsh_escaped(message), fmt::join(choices, " "));
}

std::string zsh_options(const option_list& options, std::string_view indent) {
    std::string lines;
    for (const auto* const option : options) {
        const auto names = names_of(*option);
        const bool has_value = takes_value(*option);
        for (const auto& name : names) {
            // One name of an option excludes the others; "=" allows --name=value.
            lines += fmt::format(
                "{}'({}){}{}[{}]{}' \\\n",
                indent,
                fmt::join(names, " "),
                name,
                has_value && name.starts_with("--") ? "=" : "",
                zsh_escaped(option->get_description()),
                has_value ? zsh_value(*option) : "");
        }
    }
    return lines;
}

std::string zsh_command(const CLI::App& program, const CLI::App& command) {
    constexpr std::string_view indent = "                        ";
    auto text =
        fmt::format("                {})\n                    _arguments \\\n", command.get_name());
    text += zsh_options(options_after(program, command), indent);
    for (const auto* const argument : arguments_of(command)) {
        // No candidate for unknown values: even a name would delay the options by a second Tab.
        const bool is_known = takes_file(*argument) || !choices_of(*argument).empty();
        text += fmt::format(
            "{}'{}{}' \\\n",
            indent,
            argument->get_expected_max() > 1 ? "*" : "",
            is_known ? zsh_value(*argument)
                     : fmt::format(":{}: false", names_of(*argument).front()));
    }
    text.erase(text.size() - 3);  // No continuation after the last line.
    return text + "\n                    ;;\n";
}

constexpr std::string_view zsh_head = R"(#compdef reels
# zsh completion for reels. Load it with: source <(reels completion zsh)
# or save it as _reels in a folder of $fpath.

_reels() {
    local context state state_descr line
    typeset -A opt_args
    local -a commands=(
)";

constexpr std::string_view zsh_arguments = R"(        '1:command:->command' \
        '*::argument:->arguments'
    case $state in
        command) _describe -t commands command commands ;;
        arguments)
            case $words[1] in
)";

constexpr std::string_view zsh_tail = R"(            esac
            ;;
    esac
}

# In a file of $fpath this text is the body of the function; source only defines it.
if [[ $funcstack[1] == _reels ]]; then
    _reels "$@"
else
    compdef _reels reels
fi
)";

std::string zsh_script(const CLI::App& program) {
    std::string text{zsh_head};
    for (const auto* const command : commands_of(program)) {
        text += fmt::format(
            "        '{}:{}'\n", command->get_name(), zsh_escaped(command->get_description()));
    }
    text += "    )\n    _arguments -C \\\n";
    text += zsh_options(options_of(program), "        ");
    text += zsh_arguments;
    for (const auto* const command : commands_of(program)) text += zsh_command(program, *command);
    return text.append(zsh_tail);
}

std::string fish_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') quoted.push_back('\\');
        quoted.push_back(c);
    }
    return quoted + "'";
}

std::string fish_option(std::string_view lead, const CLI::Option& option) {
    std::string line{lead};
    for (const auto& name : names_of(option)) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (takes_file(option)) {
        line += " -r -F";
    } else if (takes_value(option)) {
        line += " -x";
    }
    if (const auto choices = choices_of(option); !choices.empty()) {
        line += fmt::format(" -a '{}'", fmt::join(choices, " "));
    }
    return line + " -d " + fish_quoted(option.get_description()) + "\n";
}

/// Whether the command before the cursor is $argv[1], which is '' for none.
constexpr std::string_view fish_walk = R"(function __reels_is_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l command ''
    set -l is_value 0
    for word in $words
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch $word
            case VALUE_OPTIONS
                set is_value 1
            case '-*'
            case '*'
                set command $word
                break
        end
    end
    test "$command" = "$argv[1]"
end
)";

std::string fish_command(const CLI::App& command) {
    const auto lead = fmt::format("complete -c reels -n '__reels_is_at {}'", command.get_name());
    std::string lines;
    for (const auto* const argument : arguments_of(command)) {
        if (takes_file(*argument)) lines += lead + " -F\n";
        const auto choices = choices_of(*argument);
        if (choices.empty()) continue;
        lines += fmt::format("{} -a '{}'\n", lead, fmt::join(choices, " "));
    }
    for (const auto* const option : options_of(command)) {
        if (names_of(*option).back() != "--help") lines += fish_option(lead, *option);
    }
    return lines;
}

std::string fish_script(const CLI::App& program) {
    auto text = with_value_options(fish_walk, program, " ");
    text += "complete -c reels -f\n";
    for (const auto* const option : options_of(program)) {
        text += fish_option("complete -c reels", *option);
    }
    for (const auto* const command : commands_of(program)) {
        text += fmt::format(
            "complete -c reels -n '__reels_is_at \"\"' -a {} -d {}\n",
            command->get_name(),
            fish_quoted(command->get_description()));
    }
    for (const auto* const command : commands_of(program)) text += fish_command(*command);
    return "# fish completion for reels. Save it as ~/.config/fish/completions/reels.fish\n" + text;
}

constexpr std::array shells{"bash", "zsh", "fish"};

}  // namespace

std::string completion_script(const CLI::App& program, std::string_view shell) {
    if (shell == "zsh") return zsh_script(program);
    return shell == "fish" ? fish_script(program) : bash_script(program);
}

void add_completion_command(CLI::App& app, command& chosen) {
    const auto name = std::make_shared<std::string>();
    auto* const completion =
        app.add_subcommand("completion", "Print a script that completes reels in your shell");
    restrict_to(*completion->add_option("SHELL", *name, "Which shell")->required(), shells);
    completion->footer(R"(To load it in every new shell:
    bash:  echo 'source <(reels completion bash)' >> ~/.bashrc
    zsh:   echo 'source <(reels completion zsh)' >> ~/.zshrc   (after compinit)
    fish:  reels completion fish > ~/.config/fish/completions/reels.fish)");
    completion->callback([name, &app, &chosen] {
        chosen = local_command{[script = completion_script(app, *name)](auto* out) {
            std::fputs(script.c_str(), out);
            return exit_code::ok;
        }};
    });
}

}  // namespace reelsd::cli
