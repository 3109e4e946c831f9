#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// How bytes cross from the jail inside a JSON document. Source: RFC 4648 section 4.
namespace reelsd::media::base64 {

[[nodiscard]] std::string encode(std::span<const std::byte> bytes);

/// Nothing unless `text` is exactly what encode() makes of some bytes: no blanks, no missing
/// padding, no bits left over.
[[nodiscard]] std::optional<std::vector<std::byte>> decode(std::string_view text);

}  // namespace reelsd::media::base64
