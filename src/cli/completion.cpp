#include "completion.hpp"

#include <reelsd/base/invariant.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace reelsd::cli {
namespace {

/// Every option of the program and its commands, each name once.
std::map<std::string, option_description> options_by_name(const command_description& program) {
    std::map<std::string, option_description> all;
    const auto add = [&all](const command_description& command) {
        for (const auto& option : command.options) {
            for (const auto& name : option.names) {
                const auto [known, is_new] = all.try_emplace(name, option);
                // Only so can a shell tell the value of an option from a command without parsing.
                invariant(is_new || known->second.value.empty() == option.value.empty());
            }
        }
    };
    add(program);
    for (const auto& command : program.commands) add(command);
    return all;
}

/// A script's text with VALUE_OPTIONS replaced by the options that take a value.
std::string with_value_options(
    std::string_view script, const command_description& program, std::string_view separator) {
    std::vector<std::string> names;
    for (const auto& [name, option] : options_by_name(program)) {
        if (!option.value.empty()) names.push_back(name);
    }
    constexpr std::string_view mark = "VALUE_OPTIONS";
    std::string text{script};
    return text.replace(
        text.find(mark), mark.size(), fmt::format("{}", fmt::join(names, separator)));
}

/// What may stand behind a command: its options, those of the program, and its choices.
std::string words_for(const command_description& program, const command_description& command) {
    std::vector<std::string> words;
    const auto add_options = [&words](const command_description& of) {
        for (const auto& option : of.options) {
            for (const auto& name : option.names) {
                const bool known = std::find(words.begin(), words.end(), name) != words.end();
                if (!known && name != "--version") words.push_back(name);
            }
        }
    };
    for (const auto& argument : command.arguments) {
        words.insert(words.end(), argument.choices.begin(), argument.choices.end());
    }
    add_options(command);
    add_options(program);
    return fmt::format("{}", fmt::join(words, " "));
}

/// `at` and `option` walk over the words before the cursor: the first that is neither an option nor
/// its value is the command.
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

/// What each option that takes a known value does to complete it.
std::string bash_values(const command_description& program) {
    std::string values;
    for (const auto& [name, option] : options_by_name(program)) {
        if (option.takes_file) {
            values += fmt::format(
                "        {})\n            compopt -o filenames\n            "
                "COMPREPLY=($(compgen -f -- \"$current\"))\n            return ;;\n",
                name);
        } else if (!option.choices.empty()) {
            values += fmt::format(
                "        {})\n            {}\n            return ;;\n",
                name,
                bash_reply(fmt::format("{}", fmt::join(option.choices, " "))));
        }
    }
    return values;
}

std::string bash_script(const command_description& program) {
    auto text = with_value_options(bash_walk, program, "|");
    text += bash_values(program);
    text += "        ?*) return ;;  # a value that nobody can guess\n    esac\n";
    text += "    case $command in\n";
    std::vector<std::string> first;
    for (const auto& command : program.commands) first.push_back(command.name);
    for (const auto& option : program.options) {
        first.insert(first.end(), option.names.begin(), option.names.end());
    }
    const auto reply = bash_reply(fmt::format("{}", fmt::join(first, " ")));
    text += fmt::format("        '') {} ;;\n", reply);
    for (const auto& command : program.commands) {
        text += fmt::format(
            "        {}) {} ;;\n", command.name, bash_reply(words_for(program, command)));
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
std::string zsh_value(const option_description& option) {
    const auto name = option.names.front().starts_with('-') ? option.value : option.names.front();
    if (option.takes_file) return fmt::format(":{}:_files", zsh_escaped(name));
    if (option.choices.empty()) return fmt::format(":{}: ", zsh_escaped(name));
    const auto message = option.names.front().starts_with('-') ? option.text : name;
    return fmt::format(":{}:({})", zsh_escaped(message), fmt::join(option.choices, " "));
}

std::string zsh_options(const std::vector<option_description>& options, std::string_view indent) {
    std::string lines;
    for (const auto& option : options) {
        for (const auto& name : option.names) {
            const bool has_value = !option.value.empty();
            // Either name of an option rules out the other; with "=", --name=value works too.
            lines += fmt::format(
                "{}'({}){}{}[{}]{}' \\\n",
                indent,
                fmt::join(option.names, " "),
                name,
                has_value && name.starts_with("--") ? "=" : "",
                zsh_escaped(option.text),
                has_value ? zsh_value(option) : "");
        }
    }
    return lines;
}

std::string zsh_command(const command_description& program, const command_description& command) {
    constexpr std::string_view indent = "                        ";
    auto text =
        fmt::format("                {})\n                    _arguments \\\n", command.name);
    auto options = command.options;
    for (const auto& option : program.options) {
        const bool own = std::any_of(options.begin(), options.end(), [&](const auto& one) {
            return one.names == option.names;
        });
        if (!own && option.names.front() != "--version") options.push_back(option);
    }
    text += zsh_options(options, indent);
    for (const auto& argument : command.arguments) {
        // Nothing is offered for what nobody can guess: even its name would count as an offer and
        // cost the options a second Tab.
        text += fmt::format(
            "{}'{}{}' \\\n",
            indent,
            argument.repeats ? "*" : "",
            argument.choices.empty() ? fmt::format(":{}: false", argument.names.front())
                                     : zsh_value(argument));
    }
    text.erase(text.size() - 3);  // No continuation behind the last line.
    return text + "\n                    ;;\n";
}

std::string zsh_script(const command_description& program) {
    std::string text =
        "#compdef reels\n"
        "# zsh completion for reels. Load it with: source <(reels completion zsh)\n"
        "# or save it as _reels in a folder of $fpath.\n\n"
        "_reels() {\n"
        "    local context state state_descr line\n"
        "    typeset -A opt_args\n"
        "    local -a commands=(\n";
    for (const auto& command : program.commands) {
        text += fmt::format("        '{}:{}'\n", command.name, zsh_escaped(command.text));
    }
    text += "    )\n    _arguments -C \\\n";
    text += zsh_options(program.options, "        ");
    text +=
        "        '1:command:->command' \\\n"
        "        '*::argument:->arguments'\n"
        "    case $state in\n"
        "        command) _describe -t commands command commands ;;\n"
        "        arguments)\n"
        "            case $words[1] in\n";
    for (const auto& command : program.commands) text += zsh_command(program, command);
    text +=
        "            esac\n"
        "            ;;\n"
        "    esac\n"
        "}\n\n"
        "# As a file of $fpath this text is the function's body; read by source it only defines "
        "it.\n"
        "if [[ $funcstack[1] == _reels ]]; then\n"
        "    _reels \"$@\"\n"
        "else\n"
        "    compdef _reels reels\n"
        "fi\n";
    return text;
}

std::string fish_quoted(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') quoted.push_back('\\');
        quoted.push_back(c);
    }
    return quoted + "'";
}

std::string fish_option(std::string_view lead, const option_description& option) {
    std::string line{lead};
    for (const auto& name : option.names) {
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (option.takes_file) {
        line += " -r -F";
    } else if (!option.value.empty()) {
        line += " -x";
    }
    if (!option.choices.empty()) {
        line += fmt::format(" -a '{}'", fmt::join(option.choices, " "));
    }
    return line + " -d " + fish_quoted(option.text) + "\n";
}

/// Whether the command line before the cursor names the command given, or none yet for ''.
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

std::string fish_command(const command_description& command) {
    const auto lead = fmt::format("complete -c reels -n '__reels_is_at {}'", command.name);
    std::string lines;
    for (const auto& argument : command.arguments) {
        if (argument.choices.empty()) continue;
        lines += fmt::format("{} -a '{}'\n", lead, fmt::join(argument.choices, " "));
    }
    for (const auto& option : command.options) {
        if (option.names.back() != "--help") lines += fish_option(lead, option);
    }
    return lines;
}

std::string fish_script(const command_description& program) {
    auto text = with_value_options(fish_walk, program, " ");
    text += "complete -c reels -f\n";
    for (const auto& option : program.options) text += fish_option("complete -c reels", option);
    for (const auto& command : program.commands) {
        text += fmt::format(
            "complete -c reels -n '__reels_is_at \"\"' -a {} -d {}\n",
            command.name,
            fish_quoted(command.text));
    }
    for (const auto& command : program.commands) text += fish_command(command);
    return "# fish completion for reels. Save it as ~/.config/fish/completions/reels.fish\n" + text;
}

}  // namespace

std::string completion_script(const command_description& program, shell wanted) {
    switch (wanted) {
        case shell::bash: return bash_script(program);
        case shell::zsh: return zsh_script(program);
        case shell::fish: return fish_script(program);
    }
    return {};
}

}  // namespace reelsd::cli
