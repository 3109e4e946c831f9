#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace reelsd::test {

/// A TCP server on loopback whose answers a test writes byte by byte: incomplete headers, false
/// lengths, silence.
class scripted_server {
public:
    /// One accepted connection, inside a handler.
    class connection {
    public:
        explicit connection(int socket) : socket_{socket} {}

        /// The next request with its head and, by Content-Length, its body; empty at the end.
        std::string read_request() {
            std::string request;
            while (request.find("\r\n\r\n") == std::string::npos) {
                if (!read_more(request)) return {};
            }
            const auto whole = request.find("\r\n\r\n") + 4 + announced_length(request);
            while (request.size() < whole) {
                if (!read_more(request)) return {};
            }
            return request;
        }

        void write(std::string_view bytes) {
            while (!bytes.empty()) {
                const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
                if (sent <= 0) return;
                bytes.remove_prefix(static_cast<std::size_t>(sent));
            }
        }

        /// For tests that speak something else over it.
        [[nodiscard]] int socket() const noexcept { return socket_; }

        /// Says nothing more and returns when the other side has hung up.
        void wait_for_close() {
            std::string rest;
            while (read_more(rest)) {
            }
        }

    private:
        bool read_more(std::string& into) {
            char buffer[4096];
            const auto count = ::recv(socket_, buffer, sizeof buffer, 0);
            if (count <= 0) return false;
            into.append(buffer, static_cast<std::size_t>(count));
            return true;
        }

        static std::size_t announced_length(const std::string& request) {
            const auto at = request.find("Content-Length: ");
            return at == std::string::npos ? 0 : std::stoul(request.substr(at + 16));
        }

        int socket_;
    };

    /// Runs on a separate thread for each connection; the connection closes when it returns.
    using handler = std::function<void(connection&)>;

    explicit scripted_server(handler handle) : handle_{std::move(handle)} {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
            ::getsockname(listener_, generic, &size) != 0)
            throw std::runtime_error{"scripted_server: no port"};
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread{[this] { accept_all(); }};
    }

    ~scripted_server() {
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        {
            const std::scoped_lock guard{lock_};
            for (const int open : open_) ::shutdown(open, SHUT_RDWR);
        }
        for (auto& worker : workers_) worker.join();
        for (const int open : open_) ::close(open);
        ::close(listener_);
    }
    scripted_server(const scripted_server&) = delete;
    scripted_server& operator=(const scripted_server&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string origin() const { return "http://127.0.0.1:" + std::to_string(port_); }

private:
    void accept_all() {
        while (true) {
            const int accepted = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (accepted < 0) return;
            const std::scoped_lock guard{lock_};
            open_.push_back(accepted);
            workers_.emplace_back([this, accepted] {
                connection peer{accepted};
                handle_(peer);
                ::shutdown(accepted, SHUT_WR);
                peer.wait_for_close();
            });
        }
    }

    handler handle_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::mutex lock_;
    std::vector<int> open_;
    std::vector<std::thread> workers_;
    std::thread acceptor_;
};

}  // namespace reelsd::test
