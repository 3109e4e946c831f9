#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// JSON of the platform: finding it in pages and texts, and reading its members.
namespace reelsd::platform {

/// The order of members does not matter.
using document = nlohmann::json;

struct data_blocks {
    /// In order. Views into the page.
    std::vector<std::string_view> all = {};
    /// The page ends inside a script, so the rest of its data is missing.
    bool is_cut = false;
};

/// The contents of `<script type="application/json" ... data-sjs>` elements, with attributes in any
/// order and quoting.
[[nodiscard]] data_blocks data_blocks_of(std::string_view html);

/// The JSON value at the beginning of `text`; empty when it does not end.
[[nodiscard]] std::string_view value_at(std::string_view text);

/// The values of all members called `name` in a JSON text, at any depth except inside such a value.
/// Searches the text without parsing it, because a page has a hundred times as much other data. A
/// value without an end extends to the end of the text. Views into `text`; cost is linear.
[[nodiscard]] std::vector<std::string_view> values_of(std::string_view text, std::string_view name);

[[nodiscard]] std::string_view without_leading_blanks(std::string_view text);

/// Empty when `text` is not JSON. Half a surrogate pair, which the platform leaves when it cuts a
/// text, becomes U+FFFD.
[[nodiscard]] std::optional<document> parse_block(std::string_view text);

/// The value at a path of object members; null pointer when a member is missing or JSON null, or
/// when a value on the way is not an object.
[[nodiscard]] const document* member(const document& root, std::initializer_list<const char*> path);

/// Text without U+0000, which PostgreSQL cannot store; empty when missing, empty or not text.
[[nodiscard]] std::optional<std::string> text_at(
    const document& root, std::initializer_list<const char*> path);

/// An integer of at least zero. Empty for a negative one, which means hidden.
[[nodiscard]] std::optional<std::int64_t> count_at(
    const document& root, std::initializer_list<const char*> path);

[[nodiscard]] std::optional<bool> truth_at(
    const document& root, std::initializer_list<const char*> path);

/// The array; an empty one when missing or not an array.
[[nodiscard]] const document& array_at(
    const document& root, std::initializer_list<const char*> path);

/// Calls `visit` for every member of every object below `root`. Without recursion, because the
/// sender decides on the depth.
void visit_members(
    const document& root,
    const std::function<void(const std::string& name, const document& value)>& visit);

}  // namespace reelsd::platform
