#pragma once

#include <reelsd/base/result.hpp>

#include <string>
#include <string_view>

namespace reelsd::net {

/// A proxy that the operator configured. Immutable.
class proxy {
public:
    /// `text` is "http://HOST:PORT", "https://HOST:PORT" or "socks5h://HOST:PORT"; a user and a
    /// password, percent-encoded, may precede the host. errc::invalid_argument otherwise; the
    /// detail never contains `text`.
    [[nodiscard]] static result<proxy> parse(std::string_view text);

    /// For libcurl and for child processes. May contain a password: never log it.
    [[nodiscard]] const std::string& url() const noexcept { return url_; }
    /// User and password of url(), still percent-encoded; may be empty.
    [[nodiscard]] std::string_view credentials() const noexcept;
    /// Masks user and password, encoded and decoded, in text that another program wrote.
    void hide_in(std::string& text) const;
    /// "proxy.example:3128" or "[::1]:3128", for messages, names and metrics.
    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    /// Whether the proxy uses SOCKS, which has no status codes.
    [[nodiscard]] bool is_socks() const noexcept { return is_socks_; }

private:
    proxy() = default;

    std::string url_;
    std::string address_;
    bool is_socks_ = false;
};

}  // namespace reelsd::net
