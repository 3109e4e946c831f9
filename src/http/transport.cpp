#include "transport.hpp"

#include <reelsd/base/text.hpp>

#include <boost/asio/buffer.hpp>

#include <linux/sockios.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>

#include <array>
#include <new>
#include <utility>

namespace reelsd::http {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// A TLS connection begins with a record's type, which is not text. Plain HTTP may begin with an
/// empty line.
bool begins_plain_http(char first) {
    return is_alphanumeric(first) || first == '\r' || first == '\n';
}

transport::outcome plain_outcome(const error_code& failed, transport::outcome readiness) {
    if (!failed) return transport::outcome::done;
    if (failed == asio::error::would_block) return readiness;
    return failed == asio::error::eof ? transport::outcome::ended : transport::outcome::failed;
}

/// `head` and `body`, as far as they fit into `scratch`.
std::span<char> gathered(std::string_view head, std::string_view body, std::span<char> scratch) {
    const auto of_head = head.copy(scratch.data(), scratch.size());
    const auto rest = scratch.subspan(of_head);
    return scratch.first(of_head + body.copy(rest.data(), rest.size()));
}

}  // namespace

void transport::session_deleter::operator()(ssl_st* session) const noexcept {
    SSL_free(session);
}

transport::transport(asio::ip::tcp::socket socket, const tls_identity* identity)
    : socket_{std::move(socket)} {
    if (identity == nullptr) return;
    tls_.reset(SSL_new(identity->context()));
    if (!tls_ || SSL_set_fd(tls_.get(), socket_.native_handle()) != 1) {
        ERR_clear_error();
        throw std::bad_alloc{};
    }
}

transport::~transport() = default;

transport::outcome transport::outcome_of(int returned) {
    switch (SSL_get_error(tls_.get(), returned)) {
        case SSL_ERROR_WANT_READ: return outcome::want_read;
        case SSL_ERROR_WANT_WRITE: return outcome::want_write;
        case SSL_ERROR_ZERO_RETURN: return outcome::ended;
        default: break;
    }
    is_broken_ = true;
    failure_ = take_openssl_errors();
    return outcome::failed;
}

transport::outcome transport::peek_first_byte() {
    std::array<char, 1> first{};
    error_code failed;
    socket_.receive(asio::buffer(first), asio::socket_base::message_peek, failed);
    const auto peeked = plain_outcome(failed, outcome::want_read);
    if (peeked != outcome::done) return peeked;
    has_first_byte_ = true;
    if (!begins_plain_http(first.front())) return outcome::done;
    met_plain_http_ = true;
    tls_.reset();
    return outcome::failed;
}

transport::outcome transport::shake_hands() {
    if (!tls_) return outcome::done;
    if (!has_first_byte_) {
        const auto peeked = peek_first_byte();
        if (peeked != outcome::done) return peeked;
    }
    ERR_clear_error();
    const int returned = SSL_accept(tls_.get());
    return returned == 1 ? outcome::done : outcome_of(returned);
}

transport::moved transport::read_some(std::span<char> target) {
    if (!tls_ || has_ended_sending_) {
        error_code failed;
        const auto size = socket_.read_some(asio::buffer(target.data(), target.size()), failed);
        return {plain_outcome(failed, outcome::want_read), size};
    }
    ERR_clear_error();
    std::size_t size = 0;
    const int returned = SSL_read_ex(tls_.get(), target.data(), target.size(), &size);
    return {returned == 1 ? outcome::done : outcome_of(returned), size};
}

bool transport::has_pending() const noexcept {
    return tls_ && !has_ended_sending_ && SSL_has_pending(tls_.get()) == 1;
}

transport::moved transport::write_some(
    std::string_view head, std::string_view body, std::span<char> scratch) {
    if (!tls_) {
        const std::array<asio::const_buffer, 2> both{asio::buffer(head), asio::buffer(body)};
        error_code failed;
        const auto size = socket_.write_some(both, failed);
        return {plain_outcome(failed, outcome::want_write), size};
    }
    // OpenSSL requires a repeated write to have the same bytes, as gathering again produces.
    std::span<const char> next{body};
    if (!head.empty()) next = gathered(head, body, scratch);
    ERR_clear_error();
    std::size_t size = 0;
    const int returned = SSL_write_ex(tls_.get(), next.data(), next.size(), &size);
    return {returned == 1 ? outcome::done : outcome_of(returned), size};
}

bool transport::can_send_close_notify() const noexcept {
    return tls_ && !is_broken_ && !has_ended_sending_ && SSL_is_init_finished(tls_.get()) == 1;
}

std::size_t transport::unread_bytes() {
    int unread = 0;
    if (::ioctl(socket_.native_handle(), SIOCOUTQ, &unread) != 0) return 0;
    return static_cast<std::size_t>(unread);
}

transport::outcome transport::end_sending() {
    if (can_send_close_notify()) {
        ERR_clear_error();
        // 0: sent, and the peer's has not arrived yet.
        const int returned = SSL_shutdown(tls_.get());
        const auto sent = returned >= 0 ? outcome::done : outcome_of(returned);
        if (sent == outcome::want_write) return sent;
    }
    has_ended_sending_ = true;
    error_code failed;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, failed);
    return failed ? outcome::failed : outcome::done;
}

void transport::send_close_notify() noexcept {
    if (!can_send_close_notify()) return;
    SSL_shutdown(tls_.get());
    ERR_clear_error();  // A closed connection is not an error.
}

std::string take_openssl_errors() {
    std::string reasons;
    while (const auto code = ERR_get_error()) {
        const char* const reason = ERR_reason_error_string(code);
        if (!reasons.empty()) reasons.append("; ");
        reasons.append(reason != nullptr ? reason : "error " + std::to_string(code));
    }
    return reasons;
}

}  // namespace reelsd::http
