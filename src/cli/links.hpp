#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The links and files that a command submits, and the URLs of the API.
namespace reelsd::cli {

/// `link` with "https://" if it begins with the platform's host: the server requires whole links,
/// and users leave the scheme out.
[[nodiscard]] std::string complete_link(std::string_view link);

/// The links in a text, separated by whitespace and line breaks, completed, each once, in order.
/// Lines that begin with # are comments.
[[nodiscard]] std::vector<std::string> links_in(std::string_view text);

/// Reads `in` to its end, at most `bytes_max`.
[[nodiscard]] std::string read_text(std::FILE* in, std::size_t bytes_max);

/// An Idempotency-Key for a list: 32 hexadecimal digits of a hash of the links, their order and the
/// options of the submission.
[[nodiscard]] std::string key_of_links(
    const std::vector<std::string>& links, std::string_view options);

/// Whether an argument names a video file rather than a link: it has no scheme, and either the file
/// exists or the extension is that of a video.
[[nodiscard]] bool is_video_file(const std::string& argument);

/// Most links that the server accepts in one request.
inline constexpr std::size_t list_links_max = 50;
/// Bytes of all links and options in the encoded request. The server accepts bodies up to 64 KiB.
inline constexpr std::size_t list_bytes_max = std::size_t{60} * 1024;

/// Splits a list into requests that the server accepts: the number of links in each, in order. Each
/// request also has options of `options_bytes`.
[[nodiscard]] std::vector<std::size_t> parts_of(
    const std::vector<std::string>& links, std::size_t options_bytes);

struct query_parameter {
    std::string_view name;
    std::optional<std::string> value;  ///< None: the parameter is left out.
};

/// `path` with the parameters that have a value, percent-encoded: "/api/v1/reels?limit=20".
[[nodiscard]] std::string path_with_query(
    std::string_view path, const std::vector<query_parameter>& parameters);

/// The decoded value of a query parameter of a link; empty if the link has none of that name.
[[nodiscard]] std::optional<std::string> parameter_of(
    std::string_view link, std::string_view parameter);

/// The target of the first link with the relation "next" in a Link header (RFC 8288), unchanged;
/// empty if there is none or the header is malformed.
[[nodiscard]] std::optional<std::string> next_link_of(std::string_view link_header);

}  // namespace reelsd::cli
