#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace reelsd::platform {

/// The platform's JSON; member order is of no interest.
using document = nlohmann::json;

/// The contents of `<script type="application/json" ... data-sjs>` elements, in order, attributes
/// in any order and quoting. Views into `html`.
[[nodiscard]] std::vector<std::string_view> data_blocks_of(std::string_view html);

/// Empty when `text` is no JSON. A halved surrogate pair, which the platform's cutting of texts
/// leaves behind, becomes U+FFFD instead of costing the whole block.
[[nodiscard]] std::optional<document> parse_block(std::string_view text);

}  // namespace reelsd::platform
