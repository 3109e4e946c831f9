#pragma once

#include <span>
#include <string>
#include <string_view>

namespace reelsd::http {

class router;

/// A file that is compiled into the program (src/embed_files.cmake). Its views live for ever.
struct embedded_file {
    std::string_view path;          ///< Where it is served: "/docs/index.html".
    std::string_view content_type;  ///< "text/html; charset=utf-8".
    std::string_view content;
    std::string_view entity_tag;  ///< In its quotes; another content has another one.
    std::string_view gzipped;     ///< The content as gzip has it; empty where that saves nothing.
};

/// What browsers may do with the files.
struct file_policy {
    /// The value of `Content-Security-Policy`.
    std::string content_security_policy;
};

/// Adds a GET route for each file: 200, or 304 when the client names the file's entity tag in
/// `If-None-Match`. Clients may keep a file but must ask again each time, so that nobody is shown
/// the pages of an older program. Who takes gzip is given that. `files` lives for ever.
void add_file_routes(
    router& routes, std::span<const embedded_file> files, const file_policy& policy);

/// Whether one of the tags of an `If-None-Match` field is `entity_tag` or the field is "*" (RFC
/// 9110 13.1.2: weak comparison). Pure.
[[nodiscard]] bool names_entity_tag(
    std::string_view if_none_match, std::string_view entity_tag) noexcept;

/// Whether an `Accept-Encoding` field takes gzip (RFC 9110 12.5.3): named or covered by "*", and
/// without the weight 0. Of a field that breaks its grammar counts what stands before. Pure.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

}  // namespace reelsd::http
