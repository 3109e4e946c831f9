#include "page.hpp"

#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>

#include <algorithm>

namespace reelsd::cli {
namespace {

constexpr std::size_t columns_min = 40;
constexpr std::size_t field_indent = 19;  ///< Two blanks, the longest label and two more.
constexpr std::size_t time_indent = 4;

}  // namespace

page::page(const render_options& options)
    : columns_{std::max(options.columns, columns_min)}, allowed_{options.allowed} {}

void page::line(std::string_view text, style look) {
    hanging("", 0, text, look);
}

void page::gap() {
    text_.push_back('\n');
}

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

void page::label(std::string_view name) {
    text_.append("  ").append(name).push_back('\n');
}

void page::timed(std::string_view time, std::string_view text) {
    const auto head = std::string(time_indent, ' ').append(time).append("  ");
    hanging(head, head.size(), text);
}

void page::hanging(std::string_view head, std::size_t indent, std::string_view text, style look) {
    const auto lines =
        wrapped(printable(text, line_breaks::keep), columns_ - std::min(indent, columns_ / 2));
    auto lead = std::string{head};
    for (const auto& row : lines) {
        if (row.empty()) {
            lead.erase(lead.find_last_not_of(' ') + 1);  // No blanks at the end of a line.
        } else {
            lead.append(indent - std::min(indent, lead.size()), ' ');
        }
        text_.append(lead).append(styled(row, look, allowed_)).push_back('\n');
        lead.clear();
    }
}

std::string text_or(const json& object, const char* name, const char* otherwise) {
    auto text = text_of(object, name);
    return text && !text->empty() ? *std::move(text) : std::string{otherwise};
}

bool has_elements(const json& array) {
    return array.is_array() && !array.empty();
}

std::vector<std::string> texts_of(const json& object, const char* name) {
    std::vector<std::string> texts;
    const auto& elements = member(object, name);
    if (!elements.is_array()) return texts;
    for (const auto& element : elements) {
        if (element.is_string()) texts.push_back(element.get<std::string>());
    }
    return texts;
}

}  // namespace reelsd::cli
