#include "table.hpp"

#include "text.hpp"
#include <reelsd/base/invariant.hpp>

#include <algorithm>
#include <numeric>

namespace reelsd::cli {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::string_view ellipsis = "\xE2\x80\xA6";  // U+2026, one cell
/// Other columns are dropped before the stretching column gets narrower than this.
constexpr std::size_t stretch_cells_min = 24;

/// Width of all columns and gaps; a dropped column has the width 0.
std::size_t total_of(const std::vector<std::size_t>& widths) {
    std::size_t total = 0;
    for (const auto width : widths) {
        if (width > 0) total += width + (total > 0 ? gap.size() : 0);
    }
    return total;
}

std::string padded(std::string_view text, std::size_t width, alignment align) {
    const auto used = columns_of(text);
    const std::string padding(width - std::min(used, width), ' ');
    return align == alignment::left ? std::string{text} + padding : padding + std::string{text};
}

/// Pads a cell, with the style on its text alone.
std::string drawn(
    const table_cell& cell, std::size_t width, const table_column& column, colours allowed) {
    const auto cut = cut_to(cell.text, width);
    const auto shown = padded(cut, width, column.align);
    const auto at = shown.find(cut);
    return shown.substr(0, at) + styled(cut, cell.look, allowed) + shown.substr(at + cut.size());
}

}  // namespace

void table::add(std::vector<table_cell> row) {
    invariant(row.size() == columns_.size());
    for (auto& cell : row) cell.text = printable(cell.text, line_breaks::to_blank);
    rows_.push_back(std::move(row));
}

std::string table::text(std::optional<std::size_t> width, colours allowed) const {
    const auto widths = width ? fitted_widths(*width) : natural_widths(false);
    std::string lines;
    const auto draw_line = [&](const std::vector<table_cell>& row) {
        std::string line;
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            if (widths[index] == 0) continue;
            if (!line.empty()) line += gap;
            line += drawn(row[index], widths[index], columns_[index], allowed);
        }
        line.erase(line.find_last_not_of(' ') + 1);  // No spaces at the end of a line.
        lines.append(line).push_back('\n');
    };
    std::vector<table_cell> headings;
    headings.reserve(columns_.size());
    for (const auto& column : columns_) headings.push_back({column.heading, style::strong});
    draw_line(headings);
    for (const auto& row : rows_) draw_line(row);
    return lines;
}

std::vector<std::size_t> table::natural_widths(bool capped) const {
    std::vector<std::size_t> widths;
    widths.reserve(columns_.size());
    for (std::size_t index = 0; index < columns_.size(); ++index) {
        const auto& column = columns_[index];
        auto width = columns_of(column.heading);
        for (const auto& row : rows_) width = std::max(width, columns_of(row[index].text));
        if (capped && !column.stretches) width = std::min(width, column.cells_max);
        widths.push_back(width);
    }
    return widths;
}

std::vector<std::size_t> table::fitted_widths(std::size_t width) const {
    auto widths = natural_widths(true);
    const auto stretching = std::find_if(
        columns_.begin(), columns_.end(), [](const auto& column) { return column.stretches; });
    const auto last_dropped =
        std::accumulate(columns_.begin(), columns_.end(), 0, [](int last, const auto& column) {
            return std::max(last, column.drop_order);
        });
    // The stretching column may shrink to its minimum.
    const auto needed = [&] {
        auto least = widths;
        if (stretching != columns_.end()) {
            auto& own = least[static_cast<std::size_t>(stretching - columns_.begin())];
            own = std::min(own, stretch_cells_min);
        }
        return total_of(least);
    };
    for (int dropped = 1; dropped <= last_dropped && needed() > width; ++dropped) {
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            if (columns_[index].drop_order == dropped) widths[index] = 0;
        }
    }
    if (stretching == columns_.end()) return widths;
    auto& own = widths[static_cast<std::size_t>(stretching - columns_.begin())];
    const auto others = total_of(widths) - own;
    own = std::clamp(width - std::min(width, others), std::min<std::size_t>(own, 1), own);
    return widths;
}

std::string cut_to(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string{text};
    if (columns == 0) return {};
    std::string head{prefix_that_fits(text, columns - 1)};
    head.erase(head.find_last_not_of(' ') + 1);
    return head.append(ellipsis);
}

}  // namespace reelsd::cli
