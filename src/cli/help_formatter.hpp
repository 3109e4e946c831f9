#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>

namespace reelsd::cli {

/// CLI11's help with the commands first, one column width for all names and wrapped text.
class help_formatter final : public CLI::Formatter {
public:
    /// `columns`: width of the terminal in cells.
    explicit help_formatter(std::size_t columns);

    std::string make_help(
        const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_description(const CLI::App* app) const override;
    std::string make_subcommand(const CLI::App* subcommand) const override;
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;

private:
    /// With its arguments: "show KIND...".
    [[nodiscard]] std::string command_name(const CLI::App* subcommand) const;
    /// `text` wrapped to the width next to the names.
    [[nodiscard]] std::string entry_text(const std::string& text) const;

    std::size_t columns_;
};

}  // namespace reelsd::cli
