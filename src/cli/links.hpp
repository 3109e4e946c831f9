#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

/// The links and video files that a command submits.
namespace reelsd::cli {

/// `link` with "https://" if it begins with the platform's host: the server requires whole links,
/// and users leave the scheme out.
[[nodiscard]] std::string complete_link(std::string_view link);

/// The links in a text, separated by blanks and line breaks, completed, each once, in order. Lines
/// that begin with # are comments.
[[nodiscard]] std::vector<std::string> links_in(std::string_view text);

/// Reads `in` to its end, at most `bytes_max`.
[[nodiscard]] std::string read_text(std::FILE* in, std::size_t bytes_max);

/// An Idempotency-Key for a list: 32 hexadecimal digits of a hash of the links and their order.
[[nodiscard]] std::string key_of_links(const std::vector<std::string>& links);

/// Whether an argument names a video file rather than a link: it has no scheme, and either the file
/// exists or the extension is that of a video.
[[nodiscard]] bool is_video_file(const std::string& argument);

}  // namespace reelsd::cli
