#pragma once

#include "render.hpp"
#include "terminal.hpp"
#include <reelsd/base/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

/// Parts of the texts in render.hpp.
namespace reelsd::cli {

/// Shown in place of a value that the server did not send.
inline constexpr const char* unknown = "unknown";
inline constexpr const char* none = "none";
inline constexpr const char* no_value = "?";

/// Builds a page of text: headings, labelled fields with a hanging indent, timed lines. Makes every
/// text printable().
class page {
public:
    explicit page(const render_options& options);

    /// Wrapped.
    void line(std::string_view text, style look = style::plain);

    /// A blank line.
    void gap();

    /// Wrapped, with the indent of timed(): "    text ...".
    void indented(std::string_view text, style look = style::plain);

    /// A blank line and the section's name.
    void heading(std::string_view name);

    /// "  Label         text ...", with a hanging indent.
    void field(std::string_view label, std::string_view text);

    /// A label without a text; timed() lines follow.
    void label(std::string_view name);

    /// "    00:03  text", with a hanging indent.
    void timed(std::string_view time, std::string_view text);

    /// "- name: text ..." behind `indent` spaces, with a hanging indent of two more. `lead` is
    /// "- name:", untrusted.
    void item(std::size_t indent, std::string_view lead, std::string_view text);

    [[nodiscard]] std::string take();

private:
    void hanging(
        std::string_view head, std::size_t indent, std::string_view text,
        style look = style::plain);

    std::size_t columns_;
    colours allowed_;
    std::string text_;
};

/// The id of a reel, or no_value.
[[nodiscard]] std::string id_text(const json& reel);

/// "$0.16522": the shortest decimal of the same value, with at least two decimal places. For up to
/// 15 digits that is what the server wrote. `unknown` without a number.
[[nodiscard]] std::string cost_text(const json& object, const char* name);

/// The section with the fields that the submission of a job requested, or why there are none.
/// Nothing if it requested none.
void draw_extract(page& out, const json& job);

}  // namespace reelsd::cli
