#include "page.hpp"

#include "text.hpp"
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace reelsd::cli {
namespace {

constexpr std::size_t columns_min = 40;
constexpr std::size_t field_indent = 19;  ///< Two spaces, the longest label and two more.
constexpr std::size_t time_indent = 4;
constexpr std::size_t item_indent = 2;

std::string value_text(const json& value) {
    if (value.is_null()) return none;
    if (value.is_string()) return value.get<std::string>();
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void draw_value(page& out, std::size_t indent, const std::string& lead, const json& value);

/// The members one below the other; `bullet` is before the first one.
void draw_members(page& out, std::size_t indent, std::string_view bullet, const json& object) {
    const auto hanging = indent + bullet.size();
    for (const auto& [name, value] : object.items()) {
        const auto lead = fmt::format("{}{}:", bullet, name);
        draw_value(out, bullet.empty() ? hanging : indent, lead, value);
        bullet = {};
    }
}

void draw_elements(page& out, std::size_t indent, const json& array) {
    for (const auto& element : array) {
        if (element.is_object() && !element.empty()) {
            draw_members(out, indent, "- ", element);
        } else {
            draw_value(out, indent, "-", element);
        }
    }
}

/// A value behind its name or its bullet; the elements of arrays and objects are below it. The
/// recursion is as deep as the document, whose depth parse_foreign_json() bounds.
void draw_value(page& out, std::size_t indent, const std::string& lead, const json& value) {
    const bool is_nested = value.is_structured() && !value.empty();
    const auto text = value.is_structured() ? std::string{none} : value_text(value);
    out.item(indent, lead, is_nested ? std::string{} : text);
    if (!is_nested) return;
    const auto inner = indent + item_indent + (lead.starts_with("- ") ? item_indent : 0);
    if (value.is_array()) {
        draw_elements(out, inner, value);
    } else {
        draw_members(out, inner, "", value);
    }
}

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

void page::item(std::size_t indent, std::string_view lead, std::string_view text) {
    auto whole = printable(lead, line_breaks::to_blank);
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

std::string page::take() {
    return std::move(text_);
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

std::string id_text(const json& reel) {
    const auto id = integer_of(reel, "id");
    return id ? fmt::format("{}", *id) : no_value;
}

std::string cost_text(const json& object, const char* name) {
    const auto cost = number_of(object, name);
    if (!cost) return unknown;
    std::array<char, 400> digits{};  // The longest finite number takes 309, the shortest 326.
    const auto written = std::to_chars(
        digits.data(), digits.data() + digits.size(), *cost, std::chars_format::fixed);
    std::string text{digits.data(), written.ptr};
    const auto point = text.find('.');
    if (point == std::string::npos) return "$" + text + ".00";
    if (text.size() - point == 2) text.push_back('0');
    return "$" + text;
}

void draw_extract(page& out, const json& job) {
    const auto& extract = member(job, "extract");
    const auto failure = text_of(job, "extract_error");
    if (extract.is_null() && !failure) return;
    out.heading("EXTRACT");
    if (failure) out.item(item_indent, "The fields were not extracted:", *failure);
    if (extract.is_object()) draw_members(out, item_indent, "", extract);
}

}  // namespace reelsd::cli
