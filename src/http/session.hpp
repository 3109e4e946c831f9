#pragma once

#include "byte_budget.hpp"
#include "request_reader.hpp"
#include "session_host.hpp"
#include "transport.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list_hook.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {

/// One connection: reads requests, has them answered, writes the answers, one after the other.
///
/// Times are kept without a timer for each wait: a session notes by when its present phase must be
/// over, and the server's watch looks at all sessions several times a second and cuts those that
/// are late. That costs nothing per request, and nothing but a time point per idle connection.
class session : public boost::intrusive::list_base_hook<
                    boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    using clock = std::chrono::steady_clock;

    session(boost::asio::ip::tcp::socket socket, session_host& host);
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    ~session();

    /// Serves the connection until it is closed. The session outlives the call.
    [[nodiscard]] boost::asio::awaitable<void> run();
    /// Says that there is no room (503), and closes. `reason` is a literal.
    [[nodiscard]] boost::asio::awaitable<void> reject(std::string_view reason);

    // For the server's watch.

    /// Ends the present wait if its time has passed.
    void cut_if_late(clock::time_point now);
    /// Hurries a request on its way in, or the next one; tells a waiting handler.
    void drain(clock::time_point now);
    /// Whether a handler runs whose client might leave meanwhile.
    [[nodiscard]] bool is_answering() const noexcept { return context_ != nullptr; }
    [[nodiscard]] int descriptor() { return transport_.socket().native_handle(); }
    /// Tells a running handler that it should answer with what there is.
    void hurry_handler();

private:
    enum class phase : std::uint8_t {
        greeting,  ///< TLS shakes hands. Its time is the header's: both are of the same 10 s.
        idle,
        header,
        body,
        handling,
        writing,
        lingering
    };
    enum class arrival : std::uint8_t { bytes, ended, late, gone };
    enum class reading : std::uint8_t { complete, refused, closed };

    struct received {
        arrival kind;
        /// In the host's scratch, or the session's: valid until the next wait.
        std::string_view bytes;
    };

    struct handler_scope;
    class stream_writer;
    class stream_reader;

    void enter(phase next, std::chrono::milliseconds at_most);
    void await_handler() noexcept;
    [[nodiscard]] bool is_late() const noexcept { return clock::now() >= late_at_; }

    /// Until the socket is ready as the transport wants it, or late. False when it never will be.
    [[nodiscard]] boost::asio::awaitable<bool> wait_for(transport::outcome wanted);
    /// Whether a request can be read now.
    [[nodiscard]] boost::asio::awaitable<reading> shake_hands();
    [[nodiscard]] boost::asio::awaitable<received> receive();
    /// Whether the next bytes are the first of a head, and are not encrypted.
    [[nodiscard]] bool awaits_plain_head() const noexcept;
    /// What has `arrived` in the session's own bytes; when it has filled them, with all that is
    /// here beside: a request that is here as a whole must be seen as a whole.
    [[nodiscard]] std::string_view with_what_follows(std::size_t arrived);
    /// As much as can be written now: `done` when that was all, else what is to be waited for.
    [[nodiscard]] transport::outcome write_now(std::string_view& head, std::string_view& body);
    [[nodiscard]] boost::asio::awaitable<bool> write(std::string_view head, std::string_view body);
    /// Whether the client has read since this was last asked; if so, extends the time of the
    /// present write. The kernel's send buffer grows to megabytes and accepts no more before a
    /// third of it is free: a slow client needs longer for that than `write_stall_max`.
    [[nodiscard]] bool has_client_read();
    [[nodiscard]] boost::asio::awaitable<reading> read_request();
    /// With its id and whom it is for.
    [[nodiscard]] request take_request(request_form& form);
    [[nodiscard]] boost::asio::awaitable<bool> exchange();
    struct stream_form {
        bool in_chunks;
        /// By the connection, beside the pieces.
        std::size_t bytes_held;
    };
    /// Whether the whole body went out; `written` counts its bytes. Pieces count to what the
    /// connections may hold together; one that has no room cuts the body.
    [[nodiscard]] boost::asio::awaitable<bool> stream(
        request_context& ctx, const body_source& source, stream_form form, std::size_t& written);
    [[nodiscard]] boost::asio::awaitable<void> refuse();
    [[nodiscard]] boost::asio::awaitable<void> linger();

    /// Waits for the phase that the reader's last step calls for.
    void enter_reading(request_reader::step step);
    /// What came of a wait for more bytes, when it was not bytes.
    [[nodiscard]] reading on_read_end(arrival kind);
    [[nodiscard]] response map_exception(
        request_context& ctx, const std::exception_ptr& thrown) const;
    /// Sets who asks, and whether from this machine.
    void note_client(request& asked) const;
    void note_answer(status code);
    void log_request(
        const request_context& ctx, const response& answer, std::size_t bytes, clock::duration took,
        bool sent);

    /// As much as most heads have. What follows goes through the host's scratch.
    static constexpr std::size_t arriving_bytes = 512;

    session_host& host_;
    transport transport_;
    /// What an idle connection reads into, its only buffer. To wait until the socket is readable
    /// would cost Asio an `epoll_ctl` for each request; to wait for bytes costs a `recv` in vain,
    /// and not even that when the next request is here already.
    std::array<char, arriving_bytes> arriving_{};
    request_reader reader_;
    byte_budget::share buffered_;
    /// Of the peer.
    boost::asio::ip::address address_;
    std::string remote_;
    bool is_proxy_ = false;  ///< One that tells whom it asks for.
    phase phase_ = phase::greeting;
    bool served_before_ = false;
    clock::time_point late_at_ = clock::time_point::max();
    clock::time_point write_end_at_ = clock::time_point::max();
    /// In the kernel's send buffer, when the client was last seen to read.
    std::size_t unread_bytes_ = 0;
    refusal refusal_{status::bad_request, ""};
    /// Of the request that is being answered.
    request_context* context_ = nullptr;
};

}  // namespace reelsd::http
