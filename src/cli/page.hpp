#pragma once

#include "render.hpp"
#include <reelsd/base/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli {

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

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void hanging(
        std::string_view head, std::size_t indent, std::string_view text,
        style look = style::plain);

    std::size_t columns_;
    colours allowed_;
    std::string text_;
};

/// Shown in place of a value that the server did not send.
inline constexpr const char* unknown = "unknown";

/// The text of a member; `otherwise` if it is missing, empty or not a text.
[[nodiscard]] std::string text_or(const json& object, const char* name, const char* otherwise);
[[nodiscard]] bool has_elements(const json& array);
/// The strings in the array of a member; skips other elements.
[[nodiscard]] std::vector<std::string> texts_of(const json& object, const char* name);

}  // namespace reelsd::cli
