#pragma once

#include <span>
#include <string>
#include <string_view>

namespace reelsd::http {

class router;

/// A file that is compiled into the program (src/embed_files.cmake). Its views are static.
struct embedded_file {
    std::string_view path;          ///< Its path on the server: "/docs/index.html".
    std::string_view content_type;  ///< "text/html; charset=utf-8".
    std::string_view content;
    std::string_view entity_tag;  ///< In quotes; unique to the content.
    std::string_view gzipped;     ///< The compressed content; empty if it is not smaller.
};

struct file_policy {
    /// The value of `Content-Security-Policy`.
    std::string content_security_policy;
};

/// Adds a GET route for each file: 200, or 304 when the client names the file's entity tag in
/// `If-None-Match`. Clients may cache a file but must revalidate it each time, because pages and
/// program must have the same version. Clients that accept gzip get the compressed content. `files`
/// is static.
void add_file_routes(
    router& routes, std::span<const embedded_file> files, const file_policy& policy);

/// Whether one of the tags of an `If-None-Match` field is `entity_tag` or the field is "*" (RFC
/// 9110 13.1.2: weak comparison). Pure.
[[nodiscard]] bool names_entity_tag(
    std::string_view if_none_match, std::string_view entity_tag) noexcept;

/// Whether an `Accept-Encoding` field accepts gzip (RFC 9110 12.5.3): named or covered by "*", and
/// without the weight 0. A field is read up to its first syntax error. Pure.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

}  // namespace reelsd::http
