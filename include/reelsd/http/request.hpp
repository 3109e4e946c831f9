#pragma once

#include <reelsd/http/header_fields.hpp>
#include <reelsd/http/protocol.hpp>
#include <reelsd/http/target.hpp>

#include <string>

namespace reelsd::http {

/// One whole request, as a value: header and body have been read and checked.
struct request {
    verb method = verb::get;
    /// The method as sent, for logs: "PROPFIND".
    std::string method_text = "GET";
    request_target target;
    header_fields headers;
    std::string body;
    /// The client's X-Request-Id if it sent a sane one, else a generated one.
    std::string id;
    /// The client's IP address, without the port: the peer's, or what a proxy says that it is.
    std::string remote;
    /// Whether the client runs on this machine: the connection comes from a loopback address, and
    /// no proxy forwards the request for a client elsewhere.
    bool is_local = false;
};

/// Whether `text` may be used as a request's id: 1-128 of [A-Za-z0-9._-].
[[nodiscard]] bool is_sane_request_id(std::string_view text) noexcept;

}  // namespace reelsd::http
