#include "cli/completion.hpp"

#include "cli/command_description.hpp"
#include "cli/help.hpp"
#include "cli/text.hpp"
#include "support/paths.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace reelsd::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A program with one of everything.
command_description small_program() {
    return {
        .name = "reels",
        .text = "It's a program",
        .footer = "Examples:\n    reels show",
        .arguments = {},
        .options =
            {{.names = {"-h", "--help"}, .text = "Help"},
             {.names = {"--config"}, .value = "FILE", .text = "A file", .takes_file = true}},
        .commands = {
            {.name = "show",
             .text = "Show [one]: what's there",
             .footer = {},
             .arguments =
                 {{.names = {"KIND"},
                   .value = "all|some",
                   .text = "Which",
                   .choices = {"all", "some"},
                   .required = true,
                   .repeats = true}},
             .options =
                 {{.names = {"--status"},
                   .value = "on|off",
                   .text = "State",
                   .choices = {"on", "off"}}},
             .commands = {}}}};
}

TEST(CompletionScript, SpeaksBash) {
    const auto script = completion_script(small_program(), shell::bash);
    EXPECT_THAT(script, HasSubstr("            --config|--status) option=$word ;;\n"));
    EXPECT_THAT(script, HasSubstr("compgen -W 'on off'"));
    EXPECT_THAT(script, HasSubstr("compgen -W 'all some --status -h --help --config'"));
    EXPECT_THAT(script, HasSubstr("\ncomplete -F _reels reels\n"));
}

TEST(CompletionScript, SpeaksZsh) {
    const auto script = completion_script(small_program(), shell::zsh);
    EXPECT_THAT(script, testing::StartsWith("#compdef reels\n"));
    EXPECT_THAT(script, HasSubstr(R"('show:Show \[one\]\: what'\''s there')"));
    EXPECT_THAT(script, HasSubstr("'(-h --help)--help[Help]'"));
    EXPECT_THAT(script, HasSubstr("'(--config)--config=[A file]:FILE:_files'"));
    EXPECT_THAT(script, HasSubstr("'(--status)--status=[State]:State:(on off)'"));
    EXPECT_THAT(script, HasSubstr("'*:KIND:(all some)'\n"));
}

TEST(CompletionScript, SpeaksFish) {
    const auto script = completion_script(small_program(), shell::fish);
    EXPECT_THAT(script, HasSubstr("            case --config --status\n"));
    EXPECT_THAT(script, HasSubstr("-a show -d 'Show [one]: what\\'s there'\n"));
    EXPECT_THAT(script, HasSubstr("complete -c reels -s h -l help -d 'Help'\n"));
    EXPECT_THAT(script, HasSubstr("complete -c reels -l config -r -F -d 'A file'\n"));
    EXPECT_THAT(script, HasSubstr("show' -l status -x -a 'on off' -d 'State'\n"));
    EXPECT_THAT(script, HasSubstr("show' -a 'all some'\n"));
}

TEST(HelpText, ReadsWell) {
    EXPECT_EQ(
        help_text(small_program(), "reels", 80),
        R"(It's a program.

Usage: reels COMMAND [OPTIONS]

Commands:
  show KIND...   Show [one]: what's there

Options:
  -h, --help     Help
  --config FILE  A file

Examples:
    reels show
)");
    EXPECT_EQ(
        help_text(small_program().commands.front(), "reels show", 40),
        R"(Show [one]: what's there.

Usage: reels show [OPTIONS] KIND...

Arguments:
  KIND             Which: all, some

Options:
  --status STATUS  State: on, off
)");
}

std::string contents_of(const std::string& file) {
    std::ifstream input{file};
    return {std::istreambuf_iterator<char>{input}, {}};
}

/// Calls `check` with each command and option of the real program: "list", "--limit".
template <class Check>
void for_each_name(const Check& check) {
    const auto program = describe_reels();
    ASSERT_GE(program.commands.size(), 7U);
    for (const auto& option : program.options) check(option.names.back());
    for (const auto& command : program.commands) {
        check(command.name);
        for (const auto& option : command.options) check(option.names.back());
    }
}

// Goal: what the program takes, each script completes. Method: every name of the real program.
TEST(CompletionScript, KnowsAllOfTheProgram) {
    const auto program = describe_reels();
    const auto bash = completion_script(program, shell::bash);
    const auto zsh = completion_script(program, shell::zsh);
    const auto fish = completion_script(program, shell::fish);
    for_each_name([&](const std::string& name) {
        EXPECT_THAT(bash, HasSubstr(name));
        EXPECT_THAT(zsh, HasSubstr(name));
        const bool is_option = name.starts_with("--");
        EXPECT_THAT(fish, HasSubstr(is_option ? "-l " + name.substr(2) : "-a " + name));
    });
}

// Goal: the manual can't forget an option, nor name one that is gone. Method: the page's own marks.
TEST(Manual, KnowsAllOfTheProgram) {
    const auto manual = contents_of(REELSD_SOURCE_DIR "/docs/reels.1");
    ASSERT_FALSE(manual.empty());
    std::string known = " ";
    for_each_name([&](const std::string& name) {
        const bool is_option = name.starts_with("--");
        // In mdoc a flag's first dash is written by the macro.
        EXPECT_THAT(manual, HasSubstr(is_option ? "Fl " + name.substr(1) : ".Ss " + name)) << name;
        known += name + " ";
    });
    std::istringstream words{manual};
    std::string last;
    for (std::string word; words >> word; last = word) {
        if (last == "Fl" && word.starts_with('-')) {
            EXPECT_THAT(known, HasSubstr(" -" + word + " "));
        }
    }
}

TEST(HelpText, FitsAnOrdinaryTerminal) {
    const auto program = describe_reels();
    auto pages = help_text(program, "reels", 80);
    for (const auto& command : program.commands) {
        pages += help_text(command, "reels " + command.name, 80);
        EXPECT_THAT(pages, HasSubstr("reels " + command.name));
    }
    std::istringstream lines{pages};
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(columns_of(line), 80U) << line;
    }
}

}  // namespace
}  // namespace reelsd::cli
