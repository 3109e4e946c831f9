#include "command_description.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <memory>

namespace reelsd::cli {
namespace {

constexpr std::array shells{"bash", "zsh", "fish"};

shell shell_named(const std::string& name) {
    if (name == "zsh") return shell::zsh;
    if (name == "fish") return shell::fish;
    return shell::bash;
}

}  // namespace

void add_completion_command(CLI::App& app, command& chosen) {
    auto wanted = std::make_shared<std::string>();
    auto* const completion =
        app.add_subcommand("completion", "Print a script that completes reels in your shell");
    restrict_to(*completion->add_option("SHELL", *wanted, "Which shell")->required(), shells);
    completion->footer(R"(To load it in every new shell:
    bash:  echo 'source <(reels completion bash)' >> ~/.bashrc
    zsh:   echo 'source <(reels completion zsh)' >> ~/.zshrc   (behind compinit)
    fish:  reels completion fish > ~/.config/fish/completions/reels.fish)");
    completion->callback([wanted, &chosen] {
        chosen = local_command{[wanted](std::FILE* out) {
            std::fputs(completion_script(describe_reels(), shell_named(*wanted)).c_str(), out);
            return exit_code::ok;
        }};
    });
}

}  // namespace reelsd::cli
