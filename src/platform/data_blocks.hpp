#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace reelsd::platform {

/// The platform's JSON; member order is of no interest.
using document = nlohmann::json;

/// The data of a page.
struct data_blocks {
    /// In order. Views into the page.
    std::vector<std::string_view> all = {};
    /// The page ends within a script: the rest of it, and of its data, is missing.
    bool is_cut = false;
};

/// The contents of `<script type="application/json" ... data-sjs>` elements, attributes in any
/// order and quoting.
[[nodiscard]] data_blocks data_blocks_of(std::string_view html);

/// The part of a JSON text up to the end of the value that it begins with. Empty when that does not
/// end.
[[nodiscard]] std::string_view value_at(std::string_view text);

/// The values of all members called `name` in a JSON text, at whatever depth, but for those within
/// such a value: found without reading the rest, of which a page has a hundred times as much. A
/// value that does not end goes to the text's end. Views into `text`; cost is linear.
[[nodiscard]] std::vector<std::string_view> values_of(std::string_view text, std::string_view name);

/// `text` without leading blanks.
[[nodiscard]] std::string_view behind_blanks(std::string_view text);

/// Empty when `text` is no JSON. A halved surrogate pair, which the platform's cutting of texts
/// leaves behind, becomes U+FFFD instead of costing the whole block.
[[nodiscard]] std::optional<document> parse_block(std::string_view text);

}  // namespace reelsd::platform
