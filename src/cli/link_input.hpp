#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli {

/// The links of a text: what blanks and line breaks separate, each once, in order. Lines that begin
/// with # are left out. Pure.
[[nodiscard]] std::vector<std::string> links_in(std::string_view text);

/// Reads `in` to its end, at most `bytes_max`.
[[nodiscard]] std::string read_text(std::FILE* in, std::size_t bytes_max);

/// The same 32 hexadecimal digits for the same links in the same order. The server compares the
/// links itself, so this need not resist attacks. Pure.
[[nodiscard]] std::string key_of_links(const std::vector<std::string>& links);

}  // namespace reelsd::cli
