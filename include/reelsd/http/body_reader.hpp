#pragma once

#include <reelsd/http/protocol.hpp>

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string_view>

namespace reelsd::http {

/// Why a request is refused before it is whole. The connection closes after the answer.
struct refusal {
    status code;
    /// For the client: a literal.
    std::string_view message;
};

struct body_piece {
    /// Empty at the end of the body and when it is refused. Valid until the next read.
    std::string_view bytes;
    /// The body is malformed, or did not arrive in time (408), or the daemon is stopping (503).
    std::optional<refusal> refused = {};
};

/// The body of a request whose handler reads it while it arrives. A client that waits for "100
/// Continue" gets it with the first read. What the handler leaves unread costs the connection.
/// Thread: the loop's.
class body_reader {
public:
    virtual ~body_reader() = default;
    /// The next piece, of at most some 16 KiB.
    [[nodiscard]] virtual boost::asio::awaitable<body_piece> read() = 0;

protected:
    body_reader() = default;
    body_reader(const body_reader&) = default;
    body_reader& operator=(const body_reader&) = default;
};

}  // namespace reelsd::http
