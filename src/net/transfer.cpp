#include "transfer.hpp"

#include "socket_address.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/outgoing_address.hpp>

#include <sys/socket.h>

#include <cerrno>
#include <cstdio>

namespace reelsd::net {

namespace {

/// Measured response heads have 2-4 KB (cookies, policies).
constexpr std::size_t head_bytes_max = std::size_t{64} * 1024;

/// "HTTP/1.1 200 OK" and "HTTP/2 200".
std::optional<int> status_of(std::string_view line) {
    if (!line.starts_with("HTTP/")) return std::nullopt;
    const auto space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    const auto status = parse_number<int>(line.substr(space + 1, 3));
    return status && *status >= 100 ? status : std::nullopt;
}

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Runs `step` without letting exceptions pass into libcurl, which is C. finish() rethrows them.
template <class Step>
bool guarded(std::exception_ptr& thrown, Step step) {
    try {
        return step();
    } catch (...) {  // Not hidden: rethrown on our side of libcurl.
        thrown = std::current_exception();
        return false;
    }
}

long number_of(CURL* handle, CURLINFO which) {
    long value = 0;
    curl_easy_getinfo(handle, which, &value);
    return value;
}

/// Whether the tunnel to the target existed when the transfer ended.
bool had_tunnel(CURL* handle, CURLcode outcome, const proxy& by) {
    if (number_of(handle, CURLINFO_NUM_CONNECTS) == 0)
        return true;  // Reused from an earlier request.
    if (!by.is_socks()) return number_of(handle, CURLINFO_HTTP_CONNECTCODE) == 200;
    // libcurl does not report a SOCKS success. A TLS handshake or an empty reply implies the
    // target.
    curl_off_t handshake = 0;
    curl_easy_getinfo(handle, CURLINFO_APPCONNECT_TIME_T, &handshake);
    const bool is_of_tls = outcome == CURLE_PEER_FAILED_VERIFICATION ||
                           outcome == CURLE_SSL_CONNECT_ERROR || outcome == CURLE_GOT_NOTHING;
    return handshake > 0 || is_of_tls;
}

struct proxy_fault {
    const char* reason;
    long status = 0;            ///< The proxy's response to CONNECT, if that is the reason.
    bool is_of_target = false;  ///< The proxy works, and cannot or must not reach the target.
};

bool is_of_target(long connect_status) {
    return connect_status == 403 || connect_status == 502 || connect_status == 504;
}

proxy_fault socks_fault(CURL* handle) {
    switch (number_of(handle, CURLINFO_PROXY_ERROR)) {
        case CURLPX_REPLY_NOT_ALLOWED:
        case CURLPX_REPLY_NETWORK_UNREACHABLE:
        case CURLPX_REPLY_HOST_UNREACHABLE:
        case CURLPX_REPLY_CONNECTION_REFUSED:
        case CURLPX_REPLY_TTL_EXPIRED:
            return {.reason = "it cannot reach the target", .is_of_target = true};
        case CURLPX_NO_AUTH:
        case CURLPX_USER_REJECTED: return {.reason = "it rejects the user or the password"};
        default: return {.reason = "it violated the protocol"};
    }
}

/// Why the proxy opened no tunnel; empty if the proxy is not at fault. Never includes libcurl's
/// messages, which can contain the proxy's password.
std::optional<proxy_fault> fault_of_proxy(CURL* handle, CURLcode outcome, const proxy& by) {
    if (outcome == CURLE_PROXY) return socks_fault(handle);
    if (outcome == CURLE_COULDNT_RESOLVE_PROXY || outcome == CURLE_COULDNT_RESOLVE_HOST)
        return proxy_fault{.reason = "its name cannot be resolved"};
    if (outcome == CURLE_COULDNT_CONNECT)
        return proxy_fault{.reason = "it does not accept connections"};
    if (had_tunnel(handle, outcome, by)) return std::nullopt;
    const auto status = number_of(handle, CURLINFO_HTTP_CONNECTCODE);
    if (status == 407 || status == 401)  // tinyproxy answers 401 to a wrong password.
        return proxy_fault{.reason = "it rejects the user or the password", .status = status};
    if (status >= 300) {
        return proxy_fault{
            .reason = "it refuses the connection",
            .status = status,
            .is_of_target = is_of_target(status)};
    }
    if (outcome == CURLE_OPERATION_TIMEDOUT)
        return proxy_fault{.reason = "it did not answer in time"};
    if (outcome == CURLE_PEER_FAILED_VERIFICATION)
        return proxy_fault{.reason = "its certificate is not trusted"};
    return proxy_fault{.reason = "it closed the connection"};
}

connection_fault fault_of(CURL* handle, CURLcode outcome) {
    switch (outcome) {
        case CURLE_COULDNT_RESOLVE_HOST: return connection_fault::host_not_found;
        case CURLE_COULDNT_CONNECT:
            return number_of(handle, CURLINFO_OS_ERRNO) == ECONNREFUSED
                       ? connection_fault::refused
                       : connection_fault::unreachable;
        case CURLE_OPERATION_TIMEDOUT: return connection_fault::slow;
        case CURLE_PEER_FAILED_VERIFICATION: return connection_fault::certificate_invalid;
        case CURLE_SSL_CONNECT_ERROR: return connection_fault::tls_failed;
        default: return connection_fault::lost;
    }
}

}  // namespace

void transfer::attach(CURL* handle) {
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &transfer::on_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &transfer::on_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, this);
    if (body_reader_) {
        curl_easy_setopt(handle, CURLOPT_READFUNCTION, &transfer::on_read);
        curl_easy_setopt(handle, CURLOPT_READDATA, this);
        curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, &transfer::on_seek);
        curl_easy_setopt(handle, CURLOPT_SEEKDATA, this);
    }
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &transfer::on_open);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, curl_says_.data());
}

std::size_t transfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
    auto& me = *static_cast<transfer*>(self);
    const std::string_view line{data, size * count};
    return guarded(me.thrown_, [&] { return me.take_header(line); }) ? line.size() : 0;
}

std::size_t transfer::on_body(char* data, std::size_t size, std::size_t count, void* self) {
    auto& me = *static_cast<transfer*>(self);
    const std::string_view piece{data, size * count};
    if (guarded(me.thrown_, [&] { return me.take_body(piece); })) return piece.size();
    return piece.empty() ? 1 : 0;  // Any value but the size aborts the transfer.
}

std::size_t transfer::on_read(char* target, std::size_t size, std::size_t count, void* self) {
    auto& me = *static_cast<transfer*>(self);
    std::size_t given = 0;
    const std::span space{target, size * count};
    const bool went_well = guarded(me.thrown_, [&] { return me.give_body(space, given); });
    return went_well ? given : CURL_READFUNC_ABORT;
}

int transfer::on_seek(void* self, curl_off_t offset, int origin) {
    // libcurl seeks only to resend the whole body.
    if (offset != 0 || origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
    auto& me = *static_cast<transfer*>(self);
    me.body_reader_->rewind();
    me.sent_bytes_ = 0;
    return CURL_SEEKFUNC_OK;
}

curl_socket_t transfer::on_open(void* self, curlsocktype purpose, curl_sockaddr* address) {
    auto& me = *static_cast<transfer*>(self);
    const auto peer = address_of(address->addr);
    // The operator configured the proxy, which is the only peer of its transfers.
    const bool is_allowed = me.how_.by_proxy || (peer && me.guard_.allows(me.target_, *peer));
    if (purpose != CURLSOCKTYPE_IPCXN || !is_allowed) {
        me.refused_address_ = peer ? peer->to_string() : "unknown family";
        return CURL_SOCKET_BAD;
    }
    me.was_allowed_ = true;
    // The media child must not inherit it.
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool transfer::fail(error why) {
    failure_ = std::move(why);
    return false;
}

bool transfer::give_body(std::span<char> target, std::size_t& count) {
    const auto given = body_reader_->read(target);
    if (!given) return fail(given.error());
    count = *given;
    sent_bytes_ += count;
    if (request_.on_progress) request_.on_progress(sent_bytes_);
    if (body_reader_->at_end() && count > 0 && request_.on_sent) request_.on_sent();
    return true;
}

bool transfer::take_header(std::string_view line) {
    if (head_ended_) return true;  // Trailers are ignored.
    head_bytes_ += line.size();
    if (head_bytes_ > head_bytes_max)
        return fail(error{errc::connection_failed, "response head is too large"});

    const auto text = trimmed(line);
    if (text.empty()) return head_.status < 200 || end_head();
    if (const auto status = status_of(text)) {
        head_.status = *status;
        head_.headers.clear();  // Drops the fields of an interim response (103).
        return true;
    }
    const auto colon = text.find(':');
    if (colon != std::string_view::npos)
        head_.headers.add(
            std::string{trimmed(text.substr(0, colon))},
            std::string{trimmed(text.substr(colon + 1))});
    return true;
}

bool transfer::end_head() {
    head_ended_ = true;
    const auto location = head_.headers.find("Location");
    if (how_.follows_redirects && is_redirect(head_.status) && location) {
        location_ = std::string{*location};
        return true;
    }
    if (!request_.on_head) return true;
    const auto accepted = request_.on_head(head_);
    return accepted || fail(accepted.error());
}

bool transfer::take_body(std::string_view piece) {
    if (location_) return false;  // A redirect: its body is not needed.
    body_bytes_ += piece.size();
    if (body_bytes_ > request_.response_bytes_max)
        return fail(error{
            request_.oversize_code,
            "more than " + std::to_string(request_.response_bytes_max) + " bytes"});
    if (!request_.sink) {
        body_.append(piece);
        return true;
    }
    const auto taken = request_.sink(std::as_bytes(std::span{piece.data(), piece.size()}));
    return taken || fail(taken.error());
}

error transfer::describe(CURL* handle, CURLcode outcome) const {
    // libcurl reports either when it cannot bind the socket.
    const bool was_unconnected =
        outcome == CURLE_INTERFACE_FAILED || outcome == CURLE_COULDNT_CONNECT;
    if (was_unconnected && !how_.outgoing_address.empty()) {
        const auto local = find_outgoing_address(how_.outgoing_address);
        if (!local) return local.error();
        if (outcome == CURLE_INTERFACE_FAILED)
            return error{
                errc::internal, "outgoing-address: cannot connect from " + how_.outgoing_address};
    }
    if (how_.by_proxy) {
        if (const auto fault = fault_of_proxy(handle, outcome, *how_.by_proxy)) {
            auto detail = how_.by_proxy->address();
            if (fault->is_of_target) detail += " to " + target_.host();
            detail += std::string{": "} + fault->reason;
            if (fault->status != 0) detail += " (status " + std::to_string(fault->status) + ")";
            return error{errc::proxy_failed, std::move(detail)};
        }
    }
    // If another address of the name was allowed, that address failed.
    if (refused_address_ && !was_allowed_) return guard_.refusal_of(target_, *refused_address_);
    std::string detail = target_.host() + ": " + curl_says_.c_str();
    if (curl_says_.front() == '\0') detail += curl_easy_strerror(outcome);
    if (request_.on_fault) request_.on_fault(fault_of(handle, outcome));
    return error{errc::connection_failed, std::move(detail)};
}

result<http_response> transfer::finish(CURL* handle, CURLcode outcome) {
    if (thrown_) std::rethrow_exception(thrown_);
    if (failure_) return *failure_;
    if (outcome != CURLE_OK && !location_) return describe(handle, outcome);
    if (!head_ended_)
        return error{errc::connection_failed, target_.host() + ": not an HTTP response"};
    return http_response{.head = std::move(head_), .body = std::move(body_), .url = target_.text()};
}

}  // namespace reelsd::net
