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

/// The bytes of one connection, as they are or within TLS. It never waits: each call does what can
/// be done now and says which readiness of the socket it wants before it is tried again. Over TLS
/// that need not be the direction of the call. Holds no buffer of its own; OpenSSL holds one as
/// long as a record is not whole. Thread: the loop's only. The process must ignore SIGPIPE.
class transport {
public:
    enum class outcome : std::uint8_t {
        done,        ///< As much as could be done; `moved::bytes` says how much.
        want_read,   ///< Again, with the same arguments, when the socket is readable.
        want_write,  ///< Likewise, when it is writable.
        ended,       ///< The peer has sent all that it will.
        failed,      ///< The connection is of no more use.
    };
    struct moved {
        outcome how;
        std::size_t bytes = 0;
    };

    /// Speaks TLS when there is an `identity`, which may go before this does.
    transport(boost::asio::ip::tcp::socket socket, const tls_identity* identity);
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;
    ~transport();

    [[nodiscard]] boost::asio::ip::tcp::socket& socket() noexcept { return socket_; }
    [[nodiscard]] bool is_secure() const noexcept { return tls_ != nullptr; }

    /// To be called first, until it is done; at once without TLS.
    [[nodiscard]] outcome shake_hands();
    /// Whether the peer has sent anything to shake hands about.
    [[nodiscard]] bool has_been_greeted() const noexcept { return greeted_; }
    /// Why shaking hands has failed, if so: the peer speaks HTTP without TLS. It can be answered
    /// in kind: from now on the bytes go as they are.
    [[nodiscard]] bool has_met_plain_http() const noexcept { return met_plain_http_; }

    /// Reads what has arrived into `target`.
    [[nodiscard]] moved read_some(std::span<char> target);
    /// Whether bytes are here already for which the socket need not become readable.
    [[nodiscard]] bool has_pending() const noexcept;

    /// Writes of `head` and then of `body`; not both are empty. `scratch` is overwritten: within
    /// TLS the two are put together there, so that a small answer is one record.
    [[nodiscard]] moved write_some(
        std::string_view head, std::string_view body, std::span<char> scratch);

    /// Bytes in the kernel's send buffer that the peer has not acknowledged; 0 if unknown.
    /// Source: tcp(7), SIOCOUTQ.
    [[nodiscard]] std::size_t unread_bytes();

    /// Tells the peer that nothing more will be sent: TLS's close_notify, then the socket's end.
    /// Afterwards reads give what still comes undecrypted, for nobody will look at it.
    [[nodiscard]] outcome end_sending();
    /// Says close_notify if that can be done at once. Only where no answer is cut: to a client the
    /// word means that it has got everything.
    void say_goodbye() noexcept;

    /// What OpenSSL had to say about the last failure, for the log; empty if nothing.
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

private:
    struct session_deleter {
        void operator()(ssl_st* session) const noexcept;
    };

    [[nodiscard]] bool can_say_goodbye() const noexcept;
    /// What a call of OpenSSL that gave `returned` wants.
    [[nodiscard]] outcome outcome_of(int returned);
    [[nodiscard]] outcome look_at_greeting();

    boost::asio::ip::tcp::socket socket_;
    std::unique_ptr<ssl_st, session_deleter> tls_;
    bool greeted_ = false;
    bool met_plain_http_ = false;
    bool has_ended_sending_ = false;
    bool is_broken_ = false;
    std::string failure_;
};

/// The reasons that OpenSSL keeps for this thread, oldest first and joined by "; ", for the log.
/// Empties the queue, so that no later call is blamed for them.
[[nodiscard]] std::string take_openssl_errors();

}  // namespace reelsd::http
