#pragma once

#include "render.hpp"
#include <reelsd/base/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli {

/// A page of text under construction: headings, labelled fields with a hanging indent, timed lines.
/// Every text that it is given is made printable here, so that no caller can forget it.
class page {
public:
    explicit page(const render_options& options);

    /// A line of its own, wrapped.
    void line(std::string_view text, style look = style::plain);
    /// A blank line.
    void gap();
    /// A line that belongs to the one above: "    text ...".
    void indented(std::string_view text, style look = style::plain);
    /// A blank line and the section's name.
    void heading(std::string_view name);
    /// "  Label         text ...", the text wrapped under itself.
    void field(std::string_view label, std::string_view text);
    /// A label alone; what belongs to it follows as timed() lines.
    void label(std::string_view name);
    /// "    00:03  text", wrapped under the text.
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

/// Tolerant reading of the server's JSON: what is absent, null or of another type is nothing.
[[nodiscard]] const json& member(const json& object, const char* name);
[[nodiscard]] std::optional<std::string> text_of(const json& object, const char* name);
[[nodiscard]] std::optional<double> number_of(const json& object, const char* name);
[[nodiscard]] std::optional<std::int64_t> integer_of(const json& object, const char* name);
[[nodiscard]] std::optional<bool> truth_of(const json& object, const char* name);
/// The text, or `otherwise` when there is none or only an empty one.
[[nodiscard]] std::string text_or(const json& object, const char* name, const char* otherwise);
[[nodiscard]] bool has_elements(const json& array);
/// The strings of an array; other elements are left out.
[[nodiscard]] std::vector<std::string> texts_of(const json& object, const char* name);

}  // namespace reelsd::cli
