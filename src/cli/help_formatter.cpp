#include "options.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace reelsd::cli {
namespace {

constexpr std::size_t text_cells_min = 20;

/// "STATUS" for "--status".
std::string placeholder(std::string name) {
    name.erase(0, name.find_first_not_of('-'));
    for (auto& c : name) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return name;
}

std::string wrapped_text(std::string_view text, std::size_t columns) {
    return fmt::format("{}", fmt::join(wrapped(text, columns), "\n"));
}

class help_formatter final : public CLI::Formatter {
public:
    explicit help_formatter(std::size_t columns) : columns_{columns} {
        label("Positionals", "Arguments");
        label("SUBCOMMAND", "COMMAND");
    }

    std::string make_help(
        const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        std::size_t widest = 0;
        for (const auto* const subcommand : app->get_subcommands(nullptr)) {
            widest = std::max(widest, command_name(subcommand).size());
        }
        for (const auto* const option : app->get_options()) {
            const auto entry =
                make_option_name(option, option->get_positional()) + make_option_opts(option);
            widest = std::max(widest, entry.size());
        }
        auto sized = *this;
        sized.column_width(widest + 4);  // Two spaces on each side.
        auto text = sized.make_description(app) + "\n" + sized.make_usage(app, std::move(name)) +
                    sized.make_subcommands(app, mode) + sized.make_positionals(app) +
                    sized.make_groups(app, mode);
        const auto footer = sized.make_footer(app);
        return footer.empty() ? text : text + "\n" + footer;
    }

    std::string make_description(const CLI::App* app) const override {
        return wrapped_text(app->get_description() + ".", columns_) + "\n";
    }

    std::string make_subcommand(const CLI::App* subcommand) const override {
        std::stringstream out;
        const auto description = entry_text(subcommand->get_description());
        CLI::detail::format_help(out, command_name(subcommand), description, column_width_);
        return out.str();
    }

    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        if (is_positional) return CLI::Formatter::make_option_name(option, true);
        return fmt::format("{}", fmt::join(names_of(*option), ", "));
    }

    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_positional() || !takes_value(*option)) return {};
        // Choices are too wide for this column.
        return " " + (choices_of(*option).empty() ? option->get_type_name()
                                                  : placeholder(names_of(*option).back()));
    }

    std::string make_option_desc(const CLI::Option* option) const override {
        auto text = option->get_description();
        const auto choices = choices_of(*option);
        if (!choices.empty()) text += fmt::format(": {}", fmt::join(choices, ", "));
        return entry_text(text);
    }

private:
    /// With its arguments: "show KIND...".
    [[nodiscard]] std::string command_name(const CLI::App* subcommand) const {
        auto name = subcommand->get_name();
        for (const auto* const option : subcommand->get_options()) {
            if (option->get_positional()) name += " " + make_option_usage(option);
        }
        return name;
    }

    /// `text` wrapped to the width next to the names.
    [[nodiscard]] std::string entry_text(const std::string& text) const {
        const auto room = columns_ - std::min(column_width_, columns_);
        return wrapped_text(text, std::max(room, text_cells_min));
    }

    std::size_t columns_;
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> make_help_formatter(std::size_t columns) {
    return std::make_shared<help_formatter>(columns);
}

}  // namespace reelsd::cli
