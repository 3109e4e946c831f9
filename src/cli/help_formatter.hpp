#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>

namespace reelsd::cli {

/// CLI11's help with commands first, one column for all names, and text wrapped to `columns` cells.
class help_formatter final : public CLI::Formatter {
public:
    explicit help_formatter(std::size_t columns);

    std::string make_help(
        const CLI::App* app, std::string called, CLI::AppFormatMode mode) const override;
    std::string make_description(const CLI::App* app) const override;
    std::string make_subcommand(const CLI::App* command) const override;
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;

private:
    /// With its arguments: "show KIND...".
    [[nodiscard]] std::string command_name(const CLI::App* command) const;
    /// `text` wrapped to what the column of names leaves.
    [[nodiscard]] std::string entry_text(const std::string& text) const;

    std::size_t columns_;
};

}  // namespace reelsd::cli
