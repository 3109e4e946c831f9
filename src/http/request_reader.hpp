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
    std::size_t body_bytes_max;  ///< Of a body that is not streamed.
    /// Decides which bodies are streamed; null: none.
    const router* routes = nullptr;
};

/// How a request came over the wire.
struct request_form {
    /// Whether the client expects the connection to stay open.
    bool keep_alive = false;
    bool is_version_1_1 = true;
    /// Of the header, as it arrived.
    std::size_t head_bytes = 0;
    /// Whether the handler reads the body. The request has none.
    bool streams_body = false;
};

/// A request as it came over the wire. Its id and remote address are not known here.
struct received_request : request_form {
    http::request request;
};

/// Turns the bytes of a connection into requests, one after the other, and performs no I/O: the
/// session asks what comes next, and reads or writes accordingly. Memory: the bytes that have
/// arrived and are not consumed, and a parser while a body is read; nothing between two requests.
class request_reader {
public:
    enum class step : std::uint8_t {
        need_header,    ///< Read more and append it; the header is not whole.
        need_body,      ///< Read more and append it; the body is not whole.
        send_continue,  ///< Answer "100 Continue" now, then ask again.
        complete,       ///< `take()` the request.
        refused,        ///< Answer `why()` and close: where the next request begins is not known.
        piece,          ///< `take_piece()` of a streamed body.
        end,            ///< A streamed body is whole.
    };

    explicit request_reader(reader_limits limits);
    ~request_reader();
    request_reader(const request_reader&) = delete;
    request_reader& operator=(const request_reader&) = delete;

    /// Whether a byte of the next request has arrived; empty lines before it are none.
    [[nodiscard]] bool has_begun() const noexcept;

    void append(std::string_view bytes);
    /// Memory for what has arrived of requests that have not been taken: a header is there twice as
    /// long as its body comes.
    [[nodiscard]] std::size_t bytes_held() const noexcept;
    /// For a connection that is given up: nothing of what has arrived will be wanted.
    void drop() noexcept;
    [[nodiscard]] step advance();
    /// The same for the body of a request that has been taken and streams it: `need_body`,
    /// `send_continue`, `piece`, `end` or `refused`.
    [[nodiscard]] step advance_stream();
    /// Whether a streamed body has not been read to its end.
    [[nodiscard]] bool has_open_body() const noexcept { return is_streaming_ && parser_; }

    /// After `refused`.
    [[nodiscard]] refusal why() const noexcept { return why_; }
    /// The field `X-Request-Id` of a request whose header is whole and which has not been taken.
    [[nodiscard]] std::optional<std::string> request_id() const;
    /// After `complete`, once.
    [[nodiscard]] received_request take();
    /// After `piece`, once.
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
    /// Feeds the parser; a refusal when the body is malformed or too large.
    [[nodiscard]] std::optional<refusal> parse_body();

    reader_limits limits_;
    std::string received_;
    /// How much of `received_` has been searched for the head's end.
    std::size_t scanned_ = 0;
    /// Empty lines before the request line, in bytes: they count as part of the header.
    std::size_t skipped_ = 0;
    /// Of the body as encoded.
    std::size_t body_bytes_read_ = 0;
    std::unique_ptr<message_parser> parser_;
    received_request message_;
    /// Of a header that was refused.
    std::optional<std::string> refused_id_;
    /// Of a streamed body, what has been taken of it.
    std::uint64_t streamed_bytes_ = 0;
    bool is_streaming_ = false;
    bool awaits_continue_ = false;
    bool complete_ = false;
    bool refused_ = false;
    refusal why_{status::bad_request, ""};
};

}  // namespace reelsd::http
