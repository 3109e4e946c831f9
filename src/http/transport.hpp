#pragma once

#include <reelsd/http/tls_identity.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;

namespace reelsd::http {

/// The byte stream of one connection, plain or over TLS. Never waits: each call does as much as
/// possible now and returns the readiness of the socket to wait for before the next try. With TLS
/// that can differ from the direction of the call. Has no buffer; OpenSSL has one while a record
/// is incomplete. Thread: only the loop's. The process must ignore SIGPIPE.
class transport {
public:
    enum class outcome : std::uint8_t {
        done,        ///< As much as possible is done; see `moved::bytes`.
        want_read,   ///< Repeat with the same arguments when the socket is readable.
        want_write,  ///< Likewise when it is writable.
        ended,       ///< The peer has ended its stream.
        failed,      ///< The connection is unusable.
    };
    struct moved {
        outcome how;
        std::size_t bytes = 0;
    };

    /// Plain without an `identity`, which may be destroyed first.
    transport(boost::asio::ip::tcp::socket socket, const tls_identity* identity);
    ~transport();

    [[nodiscard]] boost::asio::ip::tcp::socket& socket() noexcept { return socket_; }
    [[nodiscard]] bool is_secure() const noexcept { return tls_ != nullptr; }

    /// Must be repeated until it is done, before any other call.
    [[nodiscard]] outcome shake_hands();
    /// Whether the handshake failed because the peer speaks plain HTTP. The stream is plain from
    /// then on, so that the peer can read the response.
    [[nodiscard]] bool has_met_plain_http() const noexcept { return met_plain_http_; }

    /// Reads what has arrived into `target`.
    [[nodiscard]] moved read_some(std::span<char> target);
    /// Whether bytes can be read although the socket is not readable.
    [[nodiscard]] bool has_pending() const noexcept;

    /// Writes `head` and then `body`; not both are empty. Overwrites `scratch`: with TLS both are
    /// gathered there, so that a small response is one record.
    [[nodiscard]] moved write_some(
        std::string_view head, std::string_view body, std::span<char> scratch);

    /// Bytes in the kernel's send buffer that the peer has not acknowledged; 0 if unknown.
    /// Source: tcp(7), SIOCOUTQ.
    [[nodiscard]] std::size_t unread_bytes();

    /// Ends the outgoing stream: TLS's close_notify, then the socket's. Later reads do not decrypt,
    /// because their bytes are discarded.
    [[nodiscard]] outcome end_sending();
    /// Sends close_notify if that is possible now. Not after an incomplete response: close_notify
    /// tells the client that it has received everything.
    void send_close_notify() noexcept;

    /// OpenSSL's messages about the last failure, for the log; may be empty.
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

private:
    struct session_deleter {
        void operator()(ssl_st* session) const noexcept;
    };

    [[nodiscard]] bool can_send_close_notify() const noexcept;
    /// Maps the return value of an OpenSSL call.
    [[nodiscard]] outcome outcome_of(int returned);
    [[nodiscard]] outcome peek_first_byte();

    boost::asio::ip::tcp::socket socket_;
    std::unique_ptr<ssl_st, session_deleter> tls_;
    bool has_first_byte_ = false;
    bool met_plain_http_ = false;
    bool has_ended_sending_ = false;
    bool is_broken_ = false;
    std::string failure_;
};

/// The errors that OpenSSL has queued for this thread, oldest first, separated by "; ", for the
/// log. Clears the queue, so that they are not attributed to a later call.
[[nodiscard]] std::string take_openssl_errors();

}  // namespace reelsd::http
