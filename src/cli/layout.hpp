#pragma once

#include "text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Layouts of text on a terminal.
namespace reelsd::cli {

struct render_options {
    std::size_t columns = 80;  ///< Width of running text, at least 40.
    /// Width of tables; none: not a terminal, so nothing is cut.
    std::optional<std::size_t> table_columns = std::nullopt;
    colours allowed = colours::off;
};

/// Builds a page of text: headings, labelled fields with a hanging indent, timed lines. Makes every
/// text printable().
class page {
public:
    explicit page(const render_options& options);

    /// Wrapped.
    void line(std::string_view text, style look = style::plain) { hanging("", 0, text, look); }

    /// A blank line.
    void gap() { text_.push_back('\n'); }

    /// Wrapped, with the indent of timed(): "    text ...".
    void indented(std::string_view text, style look = style::plain);

    /// A blank line and the section's name.
    void heading(std::string_view name);

    /// "  Label         text ...", with a hanging indent.
    void field(std::string_view label, std::string_view text);

    /// A label without a text; timed() lines follow.
    void label(std::string_view name) { text_.append("  ").append(name).push_back('\n'); }

    /// "    00:03  text", with a hanging indent.
    void timed(std::string_view time, std::string_view text);

    /// "- name: text ..." behind `indent` spaces, with a hanging indent of two more. `lead` is
    /// "- name:", untrusted.
    void item(std::size_t indent, std::string_view lead, std::string_view text);

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void hanging(
        std::string_view head, std::size_t indent, std::string_view text,
        style look = style::plain);

    std::size_t columns_;
    colours allowed_;
    std::string text_;
};

enum class alignment : std::uint8_t { left, right };

struct table_column {
    std::string heading = {};
    alignment align = alignment::left;
    /// Order in which columns are dropped if the terminal is too narrow, from 1; 0: never.
    int drop_order = 0;
    /// Takes the remaining width. At most one column.
    bool stretches = false;
    /// Longer text is cut if the table has a width.
    std::size_t cells_max = 32;
};

struct table_cell {
    std::string text;
    style look = style::plain;
};

/// A line for each row, below headings. Makes every text printable() on one line.
class table {
public:
    explicit table(std::vector<table_column> columns) : columns_{std::move(columns)} {}

    /// `row` has a cell for each column.
    void add(std::vector<table_cell> row);

    /// The lines. With a width in cells, drops and cuts columns to fit where possible.
    [[nodiscard]] std::string text(std::optional<std::size_t> width, colours allowed) const;
    /// Headings of the columns that text() drops, with commas; empty if it shows all.
    [[nodiscard]] std::string dropped(std::optional<std::size_t> width) const;

private:
    [[nodiscard]] std::vector<std::size_t> natural_widths(bool capped) const;
    [[nodiscard]] std::vector<std::size_t> fitted_widths(std::size_t width) const;

    std::vector<table_column> columns_;
    std::vector<std::vector<table_cell>> rows_;
};

/// `text` cut to `columns` cells, the last of which is an ellipsis if anything is cut. `text` is
/// printable() and on one line.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);

}  // namespace reelsd::cli
