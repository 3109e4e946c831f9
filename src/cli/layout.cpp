#include "layout.hpp"

#include <reelsd/base/invariant.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace reelsd::cli {
namespace {

constexpr std::size_t columns_min = 40;
constexpr std::size_t field_indent = 19;  ///< Two spaces, the longest label and two more.
constexpr std::size_t time_indent = 4;
constexpr std::size_t item_indent = 2;

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

page::page(const render_options& options)
    : columns_{std::max(options.columns, columns_min)}, allowed_{options.allowed} {}

void page::indented(std::string_view text, style look) {
    hanging("", time_indent, text, look);
}

void page::heading(std::string_view name) {
    gap();
    text_.append(styled(name, style::strong, allowed_)).push_back('\n');
}

void page::field(std::string_view label, std::string_view text) {
    hanging(std::string{"  "}.append(label), field_indent, text);
}

void page::timed(std::string_view time, std::string_view text) {
    const auto head = std::string(time_indent, ' ').append(time).append("  ");
    hanging(head, head.size(), text);
}

void page::item(std::size_t indent, std::string_view lead, std::string_view text) {
    auto whole = one_line(lead);
    if (!text.empty()) whole.append(" ").append(text);
    // Deep levels share an indent, so that each keeps half of the width.
    const auto kept = std::min(indent, columns_ / 2);
    auto left = kept;
    for (const auto& row :
         wrapped(printable(whole, line_breaks::keep), columns_ - kept - item_indent)) {
        text_.append(row.empty() ? 0 : left, ' ').append(row).push_back('\n');
        left = kept + item_indent;
    }
}

void page::hanging(std::string_view head, std::size_t indent, std::string_view text, style look) {
    const auto columns = columns_ - std::min(indent, columns_ / 2);
    auto lead = std::string{head};
    for (const auto& row : wrapped(printable(text, line_breaks::keep), columns)) {
        if (row.empty()) {
            lead.erase(lead.find_last_not_of(' ') + 1);  // No spaces at the end of a line.
        } else {
            lead.append(indent - std::min(indent, lead.size()), ' ');
        }
        text_.append(lead).append(styled(row, look, allowed_)).push_back('\n');
        lead.clear();
    }
}

void table::add(std::vector<table_cell> row) {
    invariant(row.size() == columns_.size());
    for (auto& cell : row) cell.text = one_line(cell.text);
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

std::string table::dropped(std::optional<std::size_t> width) const {
    const auto widths = width ? fitted_widths(*width) : natural_widths(false);
    std::string names;
    for (std::size_t index = 0; index < columns_.size(); ++index) {
        if (widths[index] > 0) continue;
        names.append(names.empty() ? "" : ", ").append(columns_[index].heading);
    }
    return names;
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
