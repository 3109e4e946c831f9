#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli {

/// The links of a text: what blanks and line breaks separate, with the scheme, each once, in
/// order. Lines that begin with # are left out. Pure.
[[nodiscard]] std::vector<std::string> links_in(std::string_view text);

/// Reads `in` to its end, at most `bytes_max`.
[[nodiscard]] std::string read_text(std::FILE* in, std::size_t bytes_max);

/// An Idempotency-Key of a list: 32 hexadecimal digits of a hash of the links and their order.
/// Pure.
[[nodiscard]] std::string key_of_links(const std::vector<std::string>& links);

}  // namespace reelsd::cli
