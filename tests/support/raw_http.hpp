#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::testing {

/// One answer as it came over the wire.
struct raw_response {
    int status = 0;
    /// Status line and fields, with the closing empty line.
    std::string head;
    std::string body;

    /// The value of a field whose name is spelled exactly so; nothing if there is none.
    [[nodiscard]] std::optional<std::string> field(std::string_view name) const {
        const auto key = "\r\n" + std::string{name} + ": ";
        const auto at = head.find(key);
        if (at == std::string::npos) return std::nullopt;
        const auto begin = at + key.size();
        return head.substr(begin, head.find("\r\n", begin) - begin);
    }
};

/// A client that sends exactly the bytes it is given, over one blocking connection to loopback, and
/// gives up after `patience_seconds` without a byte, so that a test fails and does not hang.
class raw_client {
public:
    static constexpr int patience_seconds = 20;

    /// Not connected yet: for tests that need the socket before they take all descriptors away.
    raw_client() : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
        if (socket_ < 0) throw std::runtime_error{"no socket"};
        const timeval patience{patience_seconds, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    explicit raw_client(std::uint16_t port) : raw_client{} { connect(port); }
    raw_client(raw_client&& other) noexcept
        : socket_{std::exchange(other.socket_, -1)}, received_{std::move(other.received_)} {}
    raw_client& operator=(raw_client&&) = delete;
    virtual ~raw_client() { close(); }

    void connect(std::uint16_t port) {
        sockaddr_in where{};
        where.sin_family = AF_INET;
        where.sin_port = htons(port);
        where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const void* const untyped = &where;
        if (::connect(socket_, static_cast<const sockaddr*>(untyped), sizeof where) != 0) {
            throw std::runtime_error{"cannot connect"};
        }
    }

    void close() {
        if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    }

    /// False when the server has closed the connection.
    virtual bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    void shutdown_send() { ::shutdown(socket_, SHUT_WR); }

    /// Reads one answer; `with_body` is false for answers to HEAD. Nothing when the connection was
    /// closed before an answer was whole.
    std::optional<raw_response> read(bool with_body = true) {
        raw_response answer;
        constexpr std::string_view closing = "\r\n\r\n";
        while (received_.find(closing) == std::string::npos) {
            if (!receive()) return std::nullopt;
        }
        const auto head_size = received_.find(closing) + closing.size();
        answer.head = received_.substr(0, head_size);
        received_.erase(0, head_size);
        constexpr std::size_t status_at = 9;
        answer.status = std::stoi(answer.head.substr(status_at, 3));
        const auto length = answer.field("Content-Length");
        const std::size_t size = with_body && length ? std::stoul(*length) : 0;
        while (received_.size() < size) {
            if (!receive()) return std::nullopt;
        }
        answer.body = received_.substr(0, size);
        received_.erase(0, size);
        return answer;
    }

    /// Sends and reads one answer.
    std::optional<raw_response> ask(std::string_view request) {
        return send(request) ? read() : std::nullopt;
    }

    /// What arrives up to and including `end`; all that arrived, if the connection closes before.
    std::string read_until(std::string_view end) {
        for (;;) {
            const auto at = received_.find(end);
            if (at != std::string::npos) {
                auto text = received_.substr(0, at + end.size());
                received_.erase(0, text.size());
                return text;
            }
            if (!receive()) return std::exchange(received_, {});
        }
    }

    /// Whether something (bytes or the end) is there to be read within that time.
    bool is_readable_within(int milliseconds) {
        if (!received_.empty()) return true;
        pollfd watched{socket_, POLLIN, 0};
        return ::poll(&watched, 1, milliseconds) > 0;
    }

    /// True when the server closes, or resets, with nothing more to say.
    bool is_closed_by_server() { return received_.empty() && !receive(); }

protected:
    [[nodiscard]] int socket() const noexcept { return socket_; }

    /// How many bytes came into `target`; 0 for the end, less when there are none.
    virtual ssize_t receive_some(std::span<char> target) {
        return ::recv(socket_, target.data(), target.size(), 0);
    }

private:
    bool receive() {
        std::array<char, 16384> bytes{};
        const auto size = receive_some(bytes);
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            throw std::runtime_error{"the server kept the client waiting"};
        }
        if (size <= 0) return false;
        received_.append(bytes.data(), static_cast<std::size_t>(size));
        return true;
    }

    int socket_;
    std::string received_;
};

}  // namespace reelsd::testing
