#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/text.hpp"
#include "support/paths.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace reelsd::cli {
namespace {

using ::testing::HasSubstr;

/// A program with each kind of option.
class small_program {
public:
    explicit small_program(std::size_t columns = 80) {
        static constexpr std::array kinds{"all", "some"};
        static constexpr std::array states{"on", "off"};
        app_.formatter(make_help_formatter(columns));
        app_.set_help_flag("-h,--help", "Help");
        app_.add_option("--config", text_, "A file")->type_name("FILE");
        app_.require_subcommand(1);
        auto* const show = app_.add_subcommand("show", "Show [one]: what's there");
        show->set_help_flag();
        show->group("Commands");
        restrict_to(*show->add_option("KIND", list_, "Which")->required(), kinds);
        restrict_to(*show->add_option("--status", text_, "State"), states);
        app_.footer("Examples:\n    reels show");
    }
    [[nodiscard]] const CLI::App& app() const { return app_; }

private:
    std::string text_;
    std::vector<std::string> list_;
    CLI::App app_{"It's a program", "reels"};
};

TEST(CompletionScript, WritesBash) {
    const auto script = completion_script(small_program{}.app(), "bash");
    EXPECT_THAT(script, HasSubstr("            --config|--status) option=$word ;;\n"));
    EXPECT_THAT(script, HasSubstr("compgen -W 'on off'"));
    EXPECT_THAT(script, HasSubstr("compgen -W 'all some --status -h --help --config'"));
    EXPECT_THAT(script, HasSubstr("\ncomplete -F _reels reels\n"));
}

TEST(CompletionScript, WritesZsh) {
    const auto script = completion_script(small_program{}.app(), "zsh");
    EXPECT_THAT(script, ::testing::StartsWith("#compdef reels\n"));
    EXPECT_THAT(script, HasSubstr(R"('show:Show \[one\]\: what'\''s there')"));
    EXPECT_THAT(script, HasSubstr("'(-h --help)--help[Help]'"));
    EXPECT_THAT(script, HasSubstr("'(--config)--config=[A file]:FILE:_files'"));
    EXPECT_THAT(script, HasSubstr("'(--status)--status=[State]:State:(on off)'"));
    EXPECT_THAT(script, HasSubstr("'*:KIND:(all some)'\n"));
}

TEST(CompletionScript, WritesFish) {
    const auto script = completion_script(small_program{}.app(), "fish");
    EXPECT_THAT(script, HasSubstr("            case --config --status\n"));
    EXPECT_THAT(script, HasSubstr("-a show -d 'Show [one]: what\\'s there'\n"));
    EXPECT_THAT(script, HasSubstr("complete -c reels -s h -l help -d 'Help'\n"));
    EXPECT_THAT(script, HasSubstr("complete -c reels -l config -r -F -d 'A file'\n"));
    EXPECT_THAT(script, HasSubstr("show' -l status -x -a 'on off' -d 'State'\n"));
    EXPECT_THAT(script, HasSubstr("show' -a 'all some'\n"));
}

TEST(HelpText, IsLaidOutInColumns) {
    const small_program program;
    EXPECT_EQ(
        program.app().help(),
        R"(It's a program.

Usage: reels [OPTIONS] COMMAND

Commands:
  show KIND...   Show [one]: what's there

Options:
  -h, --help     Help
  --config FILE  A file

Examples:
    reels show
)");
    const small_program narrow{40};
    EXPECT_EQ(
        narrow.app().get_subcommands(nullptr).front()->help("reels"),
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
    command_line unused;
    const auto program = make_parser(unused, 80);
    const auto check_options = [&check](const CLI::App& app) {
        for (const auto* const option : app.get_options()) {
            if (option->nonpositional()) check(names_of(*option).back());
        }
    };
    const auto commands = program->get_subcommands(nullptr);
    ASSERT_GE(commands.size(), 7U);
    check_options(*program);
    for (const auto* const command : commands) {
        check(command->get_name());
        check_options(*command);
    }
}

// Goal: each script completes every command and option of the real program.
TEST(CompletionScript, HasAllNames) {
    command_line unused;
    const auto program = make_parser(unused, 80);
    const auto bash = completion_script(*program, "bash");
    const auto zsh = completion_script(*program, "zsh");
    const auto fish = completion_script(*program, "fish");
    for_each_name([&](const std::string& name) {
        EXPECT_THAT(bash, HasSubstr(name));
        EXPECT_THAT(zsh, HasSubstr(name));
        const bool is_option = name.starts_with("--");
        EXPECT_THAT(fish, HasSubstr(is_option ? "-l " + name.substr(2) : "-a " + name));
    });
}

// Goal: the manual names exactly the existing commands and options.
TEST(Manual, HasAllNames) {
    const auto manual = contents_of(REELSD_SOURCE_DIR "/docs/reels.1");
    ASSERT_FALSE(manual.empty());
    std::string known = " ";
    for_each_name([&](const std::string& name) {
        const bool is_option = name.starts_with("--");
        // In mdoc the macro writes the first dash of a flag.
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

TEST(HelpText, FitsEightyColumns) {
    command_line unused;
    const auto program = make_parser(unused, 80);
    auto pages = program->help();
    for (const auto* const command : program->get_subcommands(nullptr)) {
        pages += command->help("reels");
        EXPECT_THAT(pages, HasSubstr("Usage: reels " + command->get_name()));
    }
    std::istringstream lines{pages};
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(columns_of(line), 80U) << line;
    }
}

}  // namespace
}  // namespace reelsd::cli
