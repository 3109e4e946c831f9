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

/// Header fields of a response, in order of arrival; names compare without letter case.
class header_list {
public:
    /// The first field of that name.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
    [[nodiscard]] const std::vector<header>& all() const noexcept { return fields_; }

    void add(std::string name, std::string value);
    void clear() noexcept { fields_.clear(); }

private:
    std::vector<header> fields_;
};

/// Status and header fields: what is known before the body.
struct response_head {
    int status = 0;  ///< 200-599
    header_list headers;
};

struct http_response {
    response_head head;
    /// Content-decoded. Empty when the request had a sink.
    std::string body;
    /// Where the answer came from, after redirects.
    std::string url;

    [[nodiscard]] int status() const noexcept { return head.status; }
};

enum class http_method : std::uint8_t { get, head, post, put, patch, del };

/// A transfer that stays below `bytes_per_second` for `during` is given up.
struct speed_floor {
    std::uint32_t bytes_per_second;
    std::chrono::seconds during;
};

struct http_request {
    http_method method = http_method::get;
    std::string url = {};
    std::vector<header> headers = {};
    /// Sent with POST, PUT and PATCH.
    std::string body = {};
    /// Sent instead of `body`, read piece by piece.
    std::optional<request_body> streamed_body = {};
    /// Called when the last byte of a streamed body has been given to the connection: from then on
    /// the server may have acted on the request, whatever comes back.
    std::function<void()> on_sent = {};
    /// Over a connection of its own, which is closed behind the answer. For what must not be done
    /// twice: a request over a kept connection that turns out to be dead is sent again without
    /// asking.
    bool fresh_connection = false;
    /// Though it has a body it asks only: sending it twice changes nothing.
    bool is_question = false;

    /// Decoded bytes; more is an error. 1 MiB suits every JSON answer we expect.
    std::size_t response_bytes_max = std::size_t{1024} * 1024;
    /// The code of that error: only the caller knows what too much means.
    errc oversize_code = errc::connection_failed;
    /// Redirects to follow (GET and HEAD only), each checked by the guard; more is
    /// errc::connection_failed. With 0 a 3xx answer is returned as it is. To another origin only
    /// harmless header fields go along (no Authorization, cookies, keys).
    int redirects_max = 0;
    /// Ask for a compressed body and decode it. Off: the caller's own Accept-Encoding or none.
    bool compressed = true;
    std::optional<speed_floor> slowest = {};
    /// TCP and TLS together. 10 s: a server that needs more will not serve a video either.
    std::chrono::milliseconds connect_time_max{10'000};

    /// Called once with the final head, before any of its body; an error ends the transfer and is
    /// what send() returns.
    std::function<result<void>(const response_head&)> on_head = {};
    /// Takes the body piece by piece instead of http_response::body; an error likewise.
    std::function<result<void>(std::span<const std::byte>)> sink = {};
};

class engine_pool;

/// Settings of a client. Proxies from the environment are never used, cookies never kept.
struct http_client_settings {
    address_policy policy = {};
    /// Every request goes through a tunnel of this proxy, which also resolves names: the guard then
    /// judges URLs alone. Empty: none.
    std::optional<proxy> by_proxy = {};
    /// Local address or network interface that connections leave from. Empty: the system chooses.
    std::string outgoing_address = {};
    /// PEM bundle; empty: the system's.
    std::string ca_file = {};
    /// Takes whatever certificate it is shown. For a program that asks itself, by an address that
    /// stands in no certificate, what is no secret.
    bool any_certificate = false;
};

/// Blocking HTTP for worker threads. Safe from any thread; calls do not wait for one another.
/// Connections are kept and reused between calls of one client, hence one client per policy.
class http_client {
public:
    explicit http_client(http_client_settings settings);
    ~http_client();
    http_client(const http_client&) = delete;
    http_client& operator=(const http_client&) = delete;

    /// Any complete answer is a success, whatever its status.
    /// Errors: cancelled (at once when `stop` is asked for), timed_out (`by` passed),
    /// invalid_argument (no URL), address_refused (the guard), connection_failed (name, TCP, TLS,
    /// too slow, body shorter than announced, too many redirects), proxy_failed (no tunnel to the
    /// target), the request's own codes.
    [[nodiscard]] result<http_response> send(
        const http_request& request, deadline by, const std::stop_token& stop) const;

private:
    /// Where a request stands on its way along redirects.
    struct hop {
        url target;
        std::vector<header> headers;
        bool follows;
    };
    /// How one exchange of bytes ended.
    struct attempt {
        result<http_response> answer;
        std::optional<std::string> location = {};  ///< Of a redirect that is to be followed.
        /// The answer began with something else, on a connection that was used before.
        bool is_anothers_rest = false;
    };
    struct connection_choice {
        bool is_fresh = false;  ///< Not one that was used before.
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
    std::string outgoing_;  ///< As CURLOPT_INTERFACE takes it.
    std::string ca_file_;
    bool any_certificate_;
};

}  // namespace reelsd::net
