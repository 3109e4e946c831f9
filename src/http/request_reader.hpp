#pragma once

#include "request_head.hpp"
#include <reelsd/http/request.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {

class router;

struct reader_limits {
    std::size_t header_bytes_max;
    std::size_t body_bytes_max;  ///< Limit of a body that is not streamed.
    /// Decides which bodies are streamed; null: none.
    const router* routes = nullptr;
};

/// Properties of a request that only the connection needs.
struct request_form {
    /// Whether the client expects the connection to stay open.
    bool keep_alive = false;
    bool is_version_1_1 = true;
    /// Size of the header as received.
    std::size_t head_bytes = 0;
    /// Whether the handler reads the body. The request has none.
    bool streams_body = false;
};

/// A parsed request. Its id and remote address are not known here.
struct received_request : request_form {
    http::request request;
};

/// Parses the bytes of a connection into requests, one after another. Performs no I/O: advance()
/// tells the session what to read or write next. Memory: unconsumed bytes, and a parser while a
/// body is read; nothing between two requests.
class request_reader {
public:
    enum class step : std::uint8_t {
        need_header,    ///< Read more and append it; the header is incomplete.
        need_body,      ///< Read more and append it; the body is incomplete.
        send_continue,  ///< Send "100 Continue", then call again.
        complete,       ///< `take()` the request.
        refused,        ///< Answer `why()` and close: the start of the next request is unknown.
        piece,          ///< `take_piece()` of a streamed body.
        end,            ///< A streamed body is complete.
    };

    explicit request_reader(reader_limits limits);
    ~request_reader();
    request_reader(const request_reader&) = delete;
    request_reader& operator=(const request_reader&) = delete;

    /// Whether a byte of the next request has arrived; empty lines before it do not count.
    [[nodiscard]] bool has_begun() const noexcept;

    void append(std::string_view bytes);
    /// Memory of requests that have not been taken. A header counts twice while its body arrives.
    [[nodiscard]] std::size_t bytes_held() const noexcept;
    /// Frees all memory, for a connection that will be closed.
    void drop() noexcept;
    [[nodiscard]] step advance();
    /// Likewise for the streamed body of a request that has been taken: `need_body`,
    /// `send_continue`, `piece`, `end` or `refused`.
    [[nodiscard]] step advance_stream();
    /// Whether a streamed body has not been read to its end.
    [[nodiscard]] bool has_open_body() const noexcept { return is_streaming_ && parser_; }

    /// Why the request was refused. Call after `refused`.
    [[nodiscard]] refusal why() const noexcept { return why_; }
    /// The field `X-Request-Id` of a request whose header is complete and which has not been taken.
    [[nodiscard]] std::optional<std::string> request_id() const;
    /// Moves the request out. Call once after `complete`.
    [[nodiscard]] received_request take();
    /// Moves the piece out. Call once after `piece`.
    [[nodiscard]] std::string take_piece();

private:
    struct message_parser;

    step refuse(refusal why) noexcept;
    void skip_empty_lines();
    step advance_header();
    step begin_message(std::size_t head_size);
    [[nodiscard]] bool begin_body(std::string_view head);
    [[nodiscard]] std::string take_received(std::size_t head_size);
    step advance_body();
    /// Feeds the parser. Returns a refusal when the body is malformed or too large.
    [[nodiscard]] std::optional<refusal> parse_body();

    reader_limits limits_;
    std::string received_;
    /// Bytes of `received_` that have been searched for the head's end.
    std::size_t scanned_ = 0;
    /// Empty lines before the request line, in bytes: they count as part of the header.
    std::size_t skipped_ = 0;
    /// Encoded bytes of the body read so far.
    std::size_t body_bytes_read_ = 0;
    std::unique_ptr<message_parser> parser_;
    received_request message_;
    /// X-Request-Id of a refused header.
    std::optional<std::string> refused_id_;
    /// Bytes of a streamed body that have been taken.
    std::uint64_t streamed_bytes_ = 0;
    bool is_streaming_ = false;
    bool awaits_continue_ = false;
    bool complete_ = false;
    bool refused_ = false;
    refusal why_{status::bad_request, ""};
};

}  // namespace reelsd::http
