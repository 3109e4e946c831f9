#pragma once

#include "request_reader.hpp"
#include "response_head.hpp"
#include "transport.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/http/server.hpp>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/core/noncopyable.hpp>
#include <boost/intrusive/list_hook.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reelsd::http {

/// Counts the connections of each client, so that no client takes them all. A client is an IPv4
/// address or an IPv6 /64, which providers assign to one customer. Only the loop's thread.
/// Outlives its slots.
class connection_limiter {
    struct slot_release {
        std::string client = {};
        void operator()(connection_limiter* limiter) const noexcept { limiter->release(client); }
    };

public:
    /// One connection, released on destruction. Null: the client has reached its limit.
    using slot = std::unique_ptr<connection_limiter, slot_release>;

    /// 0 as `per_client_max` means no limit; `unlimited` addresses have many clients each.
    connection_limiter(std::size_t per_client_max, std::vector<ip_network> unlimited)
        : per_client_max_{per_client_max}, unlimited_{std::move(unlimited)} {}

    [[nodiscard]] slot acquire(const boost::asio::ip::address& remote) {
        const auto address = unmapped(remote);
        const bool is_limited = per_client_max_ > 0 && !any_contains(unlimited_, address);
        auto client = client_key(address);
        auto& count = by_client_[client];
        if (is_limited && count >= per_client_max_) return nullptr;
        ++count;
        ++acquired_;
        return {this, slot_release{std::move(client)}};
    }
    /// Slots of all clients together.
    [[nodiscard]] std::size_t acquired() const noexcept { return acquired_; }

private:
    void release(const std::string& client) noexcept {
        const auto known = by_client_.find(client);
        invariant(known != by_client_.end());
        --acquired_;
        if (--known->second == 0) by_client_.erase(known);
    }
    static std::string client_key(const boost::asio::ip::address& remote) {
        constexpr std::ptrdiff_t prefix_bytes = 8;
        if (remote.is_v6()) {
            const auto bytes = remote.to_v6().to_bytes();
            return {bytes.begin(), bytes.begin() + prefix_bytes};
        }
        const auto bytes = remote.to_v4().to_bytes();
        return {bytes.begin(), bytes.end()};
    }

    std::size_t per_client_max_;
    std::vector<ip_network> unlimited_;
    std::unordered_map<std::string, std::size_t> by_client_;
    std::size_t acquired_ = 0;
};

/// Bound on the bytes that all connections of a server hold in memory together, beyond a small
/// allowance for each. Only the loop's thread. Outlives its shares.
class byte_budget : boost::noncopyable {
public:
    /// Bytes that each connection may always hold: an ordinary request or response. 10,000 of them
    /// are 40 MB.
    static constexpr std::size_t allowance = 4096;

    explicit byte_budget(std::size_t bytes_max) : left_{bytes_max} {}

    /// The part of one connection.
    class share : boost::noncopyable {
    public:
        explicit share(byte_budget& budget) : budget_{budget} {}
        ~share() { budget_.left_ += reserved_; }

        /// Whether the connection may hold `bytes` in all. If not, its share does not change.
        [[nodiscard]] bool resize(std::size_t bytes) noexcept {
            const std::size_t required = bytes > allowance ? bytes - allowance : 0;
            if (required > reserved_ && required - reserved_ > budget_.left_) return false;
            budget_.left_ = budget_.left_ + reserved_ - required;
            reserved_ = required;
            return true;
        }
        void clear() noexcept { static_cast<void>(resize(0)); }

    private:
        byte_budget& budget_;
        std::size_t reserved_ = 0;
    };

    [[nodiscard]] std::size_t left() const noexcept { return left_; }

private:
    std::size_t left_;
};

/// State that all sessions of one server share. Only the loop's thread.
struct session_host {
    session_host(const router& known_routes, log::logger logger, server_options server_settings)
        : routes{known_routes}, log{std::move(logger)}, options{std::move(server_settings)} {}

    const router& routes;
    log::logger log;
    server_options options;
    server_counts counts;
    byte_budget buffered{options.buffered_bytes_max};
    /// Once set, no session begins another request.
    bool draining = false;
    http_date date;
    /// The target of all reads but the first of a plain head; sessions copy what they keep. Such
    /// reads are synchronous once the socket is readable, so no two of them overlap.
    std::array<char, std::size_t{16} * 1024> scratch{};
    std::mt19937_64 random{std::random_device{}()};
};

/// The message of an exception, for the log.
[[nodiscard]] inline std::string text_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        // Not hidden: only its text is unknown.
        return "an exception of unknown type";
    }
}

/// One connection: reads requests, passes them to the router, and writes the responses, one after
/// another.
///
/// Waits need no separate timers: a session notes the deadline of its present phase, and the
/// server looks at all sessions several times a second and interrupts those that are late. That
/// costs nothing per request, and one time point per idle connection.
class session : public boost::intrusive::list_base_hook<
                    boost::intrusive::link_mode<boost::intrusive::auto_unlink>>,
                boost::noncopyable {
public:
    using clock = std::chrono::steady_clock;

    session(boost::asio::ip::tcp::socket socket, session_host& host);
    ~session();

    /// Serves the connection until it is closed. The session outlives the call.
    [[nodiscard]] awaitable<void> run();
    /// Answers 503 and closes. `reason` is a literal.
    [[nodiscard]] awaitable<void> reject(std::string_view reason);

    // For the server's supervision of all sessions.

    /// Ends the present wait if its deadline has passed.
    void cut_if_late(clock::time_point now);
    /// Shortens the deadline of a request that arrives, or of the next one; stops a handler.
    void drain(clock::time_point now);
    /// Whether a handler runs, whose client might leave before it ends.
    [[nodiscard]] bool is_answering() const noexcept { return context_ != nullptr; }
    [[nodiscard]] int descriptor() { return transport_.socket().native_handle(); }
    /// Asks a running handler to answer with what it has.
    void hurry_handler();

private:
    enum class phase : std::uint8_t {
        greeting,  ///< TLS handshake, which shares the deadline of the header.
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
        /// In the host's scratch or in `arriving_`: valid until the next wait.
        std::string_view bytes = {};
    };

    struct handler_scope;
    class stream_writer;
    class stream_reader;

    void enter(phase next, std::chrono::milliseconds at_most);
    void await_handler() noexcept;
    [[nodiscard]] bool is_late() const noexcept { return clock::now() >= late_at_; }

    /// Waits until the socket has the readiness that the transport wants, or until the session is
    /// late. False when that is no longer possible.
    [[nodiscard]] awaitable<bool> wait_for(transport::outcome readiness);
    /// `complete`: a request can be read now.
    [[nodiscard]] awaitable<reading> shake_hands();
    [[nodiscard]] awaitable<received> receive();
    /// Whether the next bytes begin a head and are not encrypted.
    [[nodiscard]] bool awaits_plain_head() const noexcept;
    /// The first `arrived` bytes of `arriving_`. If they fill it, also the following bytes that
    /// have arrived already, so that a complete request is read completely.
    [[nodiscard]] std::string_view with_following(std::size_t arrived);
    /// Writes as much as possible now. Returns `done`, or the readiness to wait for.
    [[nodiscard]] transport::outcome write_now(std::string_view& head, std::string_view& body);
    [[nodiscard]] awaitable<bool> write(std::string_view head, std::string_view body);
    /// Whether the client has read since the last call; if so, extends the deadline of the present
    /// write. The kernel's send buffer grows to megabytes and accepts no more before a third of it
    /// is free: a slow client needs longer for that than `write_stall_max`.
    [[nodiscard]] bool has_client_read();
    [[nodiscard]] awaitable<reading> read_request();
    /// The request with its id and client.
    [[nodiscard]] request take_request(request_form& form);
    [[nodiscard]] awaitable<bool> exchange();
    struct stream_form {
        bool in_chunks;
        /// By the connection, besides the pieces.
        std::size_t bytes_held;
    };
    /// Whether the whole body was sent; `written` counts its bytes. Each piece is charged to the
    /// byte budget; one that does not fit cuts the body.
    [[nodiscard]] awaitable<bool> stream(
        request_context& ctx, const body_source& source, stream_form form, std::size_t& written);
    [[nodiscard]] awaitable<void> refuse();
    [[nodiscard]] awaitable<void> linger();

    /// Enters the phase that the reader's last step calls for.
    void enter_reading(request_reader::step step);
    /// Maps a wait that ended without bytes to its consequence.
    [[nodiscard]] reading on_read_end(arrival kind);
    [[nodiscard]] response map_exception(
        request_context& ctx, const std::exception_ptr& thrown) const;
    /// Sets the client's address, and whether it is on this machine.
    void set_client(request& incoming) const;
    [[nodiscard]] std::string response_id(std::optional<std::string_view> client_id);
    void count_response(status code);
    void report_request(
        const request_context& ctx, const response& answer, std::size_t bytes, clock::duration took,
        bool sent);

    /// As many as most heads have.
    static constexpr std::size_t arriving_bytes = 512;

    session_host& host_;
    transport transport_;
    /// Only buffer of an idle connection. Waiting for readability would cost Asio an `epoll_ctl`
    /// for each request; waiting for bytes costs an unsuccessful `recv`, and not even that if the
    /// next request has arrived already.
    std::array<char, arriving_bytes> arriving_{};
    request_reader reader_;
    byte_budget::share buffered_;
    boost::asio::ip::address address_;  ///< Address of the peer.
    std::string remote_;
    bool is_proxy_ = false;  ///< The peer forwards requests and names their clients.
    phase phase_ = phase::greeting;
    bool served_before_ = false;
    clock::time_point late_at_ = clock::time_point::max();
    clock::time_point write_end_at_ = clock::time_point::max();
    /// In the kernel's send buffer, when the client was last seen to read.
    std::size_t unread_bytes_ = 0;
    refusal refusal_{status::bad_request, ""};
    request_context* context_ = nullptr;  ///< Context of the request that is being answered.
};

}  // namespace reelsd::http
