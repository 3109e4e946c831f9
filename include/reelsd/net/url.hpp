#pragma once

#include <reelsd/base/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace reelsd::net {

/// An absolute http or https URL. libcurl parses it and later makes the connection, so the checked
/// target and the connected target cannot differ. Immutable.
class url {
public:
    /// errc::invalid_argument unless `text` is an absolute http(s) URL of printable ASCII without
    /// whitespace, backslashes and user info, with a host and a port of 1-65535. A host whose last
    /// label is a number is an IPv4 address without a trailing dot.
    [[nodiscard]] static result<url> parse(std::string_view text);

    /// Resolves `reference` (absolute or relative, as in a Location header) against this URL.
    /// errc::invalid_argument as for parse().
    [[nodiscard]] result<url> resolve(std::string_view reference) const;

    /// The exact bytes passed to parse(), so that signatures stay valid.
    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /// "http" or "https".
    [[nodiscard]] const std::string& scheme() const noexcept { return scheme_; }
    /// In lower case, without brackets; an IPv4 address in any notation (decimal, hexadecimal,
    /// octal, fewer parts) as four decimal parts.
    [[nodiscard]] const std::string& host() const noexcept { return host_; }
    /// Explicit or the scheme's own.
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] bool has_default_port() const noexcept;
    /// At least "/".
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    /// "https://host" or "http://host:9000": scheme and host in lower case, no default port.
    [[nodiscard]] std::string origin() const;
    /// Host and path only, for logs: queries of media URLs are signatures.
    [[nodiscard]] std::string redacted() const { return host_ + path_; }

private:
    url() = default;

    std::string text_;
    std::string scheme_;
    std::string host_;
    std::string path_;
    std::uint16_t port_ = 0;
};

}  // namespace reelsd::net
