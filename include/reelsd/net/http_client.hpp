#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/address_guard.hpp>
#include <reelsd/net/proxy.hpp>
#include <reelsd/net/request_body.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::net {

struct header {
    std::string name;
    std::string value;
};

/// Header fields of a response, in order of arrival. Names are case-insensitive.
class header_list {
public:
    /// The first field of that name.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;

    void add(std::string name, std::string value) {
        fields_.push_back({.name = std::move(name), .value = std::move(value)});
    }
    void clear() noexcept { fields_.clear(); }

private:
    std::vector<header> fields_;
};

/// Position of a partial response in the whole file.
struct content_range {
    std::uint64_t from = 0;
    std::uint64_t total = 0;
};

/// Parses a Content-Range such as "bytes 100-199/200". Empty when the total is "*".
[[nodiscard]] std::optional<content_range> content_range_from(std::string_view text);

/// Status and header fields of a response, available before its body.
struct response_head {
    int status = 0;  ///< 200-599
    header_list headers;
};

struct http_response {
    response_head head;
    /// Content-decoded. Empty when the request had a sink.
    std::string body;
    /// URL of the response after redirects.
    std::string url;

    [[nodiscard]] int status() const noexcept { return head.status; }
};

enum class http_method : std::uint8_t { get, head, post, put, patch, del };

/// Aborts a transfer that stays below `bytes_per_second` for `during`.
struct speed_floor {
    std::uint32_t bytes_per_second;
    std::chrono::seconds during;
};

/// What ended a connection, for callers that explain it to a user.
enum class connection_fault : std::uint8_t {
    host_not_found,
    refused,
    unreachable,
    slow,  ///< No connection within http_request::connect_time_max.
    certificate_invalid,
    tls_failed,
    lost,
};

/// Keys of an S3-compatible store.
struct s3_credentials {
    std::string region;
    std::string access_key;
    std::string secret_key;
};

struct http_request {
    http_method method = http_method::get;
    std::string url = {};
    std::vector<header> headers = {};
    /// Signs the request (AWS Signature Version 4). It then has the field `x-amz-content-sha256`,
    /// and follows no redirects. Null: not signed. Outlives the call.
    const s3_credentials* signed_by = nullptr;
    /// Sent with POST, PUT and PATCH.
    std::string body = {};
    /// Sent instead of `body`, read in chunks.
    std::optional<request_body> streamed_body = {};
    /// Called when the last byte of a streamed body has been passed to the connection. From then on
    /// the server may have acted on the request, whatever the response is.
    std::function<void()> on_sent = {};
    /// Called as a streamed body is passed to the connection, with the bytes passed so far.
    std::function<void(std::uint64_t bytes)> on_progress = {};
    /// Uses a new connection and closes it after the response. For requests that must not be sent
    /// twice: a request over a pooled connection that proves dead is resent automatically.
    bool fresh_connection = false;
    /// The request has a body but only reads: sending it twice changes nothing.
    bool is_idempotent = false;

    /// Decoded bytes; more is an error. 1 MiB is enough for every expected JSON response.
    std::size_t response_bytes_max = std::size_t{1024} * 1024;
    /// Code of that error: only the caller knows what an oversized response means.
    errc oversize_code = errc::connection_failed;
    /// Redirects to follow (GET and HEAD only), each checked by the guard; more is
    /// errc::connection_failed. With 0 a 3xx response is returned unchanged. Another origin
    /// receives only harmless header fields (no Authorization, cookies, keys).
    int redirects_max = 0;
    /// Requests a compressed body and decodes it. Off: the caller's own Accept-Encoding or none.
    bool compressed = true;
    std::optional<speed_floor> slowest = {};
    /// TCP and TLS together. A server that needs more than 10 s is too slow for a video anyway.
    std::chrono::milliseconds connect_time_max{10'000};

    /// Called once with the final head, before any of its body. An error ends the transfer, and
    /// send() returns it.
    std::function<result<void>(const response_head&)> on_head = {};
    /// Receives the body in chunks instead of http_response::body. Errors act as in `on_head`.
    std::function<result<void>(std::span<const std::byte>)> sink = {};
    /// Called before send() returns errc::connection_failed because of the connection.
    std::function<void(connection_fault)> on_fault = {};
};

class engine_pool;

/// Settings of a client. Proxies from the environment are never used, cookies never kept.
struct http_client_settings {
    address_policy policy = {};
    /// Every request uses a tunnel of this proxy. The proxy also resolves names, so the guard
    /// checks only URLs. Empty: no proxy.
    std::optional<proxy> by_proxy = {};
    /// Local address or network interface of outgoing connections. Empty: the system chooses.
    std::string outgoing_address = {};
    /// PEM bundle; empty: the system's.
    std::string ca_file = {};
    /// Accepts any certificate. For a program that requests non-secret data from itself, by an
    /// address that no certificate names.
    bool any_certificate = false;
};

/// Blocking HTTP client for worker threads. Safe from any thread; calls do not block each other.
/// Calls of one client share its connections; therefore each policy needs its own client.
class http_client {
public:
    explicit http_client(http_client_settings settings);
    ~http_client();

    /// Sends the request. Any complete response is a success, whatever its status.
    /// Errors: cancelled (immediately when `stop` is requested), timed_out (`by` passed),
    /// invalid_argument (no URL), address_refused (the guard), connection_failed (name, TCP, TLS,
    /// too slow, body shorter than announced, too many redirects), proxy_failed (no tunnel to the
    /// target), internal (this machine does not have the outgoing address), the request's own
    /// codes.
    [[nodiscard]] result<http_response> send(
        const http_request& request, deadline by, const std::stop_token& stop) const;

private:
    /// Current request of a redirect chain.
    struct hop {
        url target;
        std::vector<header> headers;
        bool follows;
    };
    /// Result of one HTTP request without redirects.
    struct attempt {
        result<http_response> answer;
        std::optional<std::string> location = {};  ///< Target of a redirect to follow.
        /// A reused connection delivered other bytes in place of a response head.
        bool has_stale_bytes = false;
    };
    struct connection_choice {
        bool is_fresh = false;  ///< Never reuses a pooled connection.
    };
    [[nodiscard]] attempt try_once(
        const http_request& request, const hop& at, connection_choice on, deadline by,
        const std::stop_token& stop) const;
    [[nodiscard]] static hop begin(const http_request& request, url target);
    [[nodiscard]] result<std::optional<http_response>> exchange(
        const http_request& request, hop& at, deadline by, const std::stop_token& stop) const;

    std::unique_ptr<engine_pool> engines_;
    address_guard guard_;
    std::optional<proxy> proxy_;
    std::string outgoing_address_;
    std::string ca_file_;
    bool any_certificate_;
};

}  // namespace reelsd::net
