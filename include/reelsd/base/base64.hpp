#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Standard alphabet with padding. Source: RFC 4648 section 4.
namespace reelsd {

[[nodiscard]] std::string base64_encoded(std::span<const std::byte> bytes);

/// Empty unless `text` is exactly what base64_encoded() returns for some bytes: no whitespace, no
/// missing padding, no bits left over.
[[nodiscard]] std::optional<std::vector<std::byte>> base64_decoded(std::string_view text);

}  // namespace reelsd
