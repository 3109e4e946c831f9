#pragma once

#include "terminal.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli {

enum class alignment : std::uint8_t { left, right };

struct table_column {
    std::string heading = {};
    alignment align = alignment::left;
    /// Which column goes first when the terminal is too narrow: 1, then 2 and so on; 0 stays.
    int leaves = 0;
    /// Takes what the others leave, and is cut to that. At most one column.
    bool stretches = false;
    /// Cells; a longer text is cut, where anything is cut at all.
    std::size_t cells_max = 32;
};

struct table_cell {
    std::string text;
    style look = style::plain;
};

/// One line a row, under headings, in columns two blanks apart. Pure; every text is made harmless
/// and put on one line first.
class table {
public:
    explicit table(std::vector<table_column> columns) : columns_{std::move(columns)} {}

    /// As many cells as there are columns.
    void add(std::vector<table_cell> row);

    /// The lines, none wider than `width` cells as far as leaving out and cutting can help; without
    /// a width (where programs read) nothing is left out or cut.
    [[nodiscard]] std::string text(std::optional<std::size_t> width, colours allowed) const;

private:
    [[nodiscard]] std::vector<std::size_t> natural_widths(bool capped) const;
    [[nodiscard]] std::vector<std::size_t> fitted_widths(std::size_t width) const;

    std::vector<table_column> columns_;
    std::vector<std::vector<table_cell>> rows_;
};

/// The beginning of `text` that fits `columns` cells; where something is left out, an ellipsis
/// takes the last cell. `text` is printable() and on one line.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);

}  // namespace reelsd::cli
