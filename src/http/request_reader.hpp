#pragma once

#include <reelsd/http/request.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Strict parsing of a request's head. Beast 1.81, which reads the bodies, accepts heads that other
/// servers on the way may read differently (folded lines, lists of lengths, several Hosts, odd
/// transfer codings). They allow request smuggling, so they are refused before Beast sees them.
/// Pure functions.
namespace reelsd::http {

struct head_scan {
    /// Bytes of the head, including its closing empty line; nothing while it is incomplete.
    std::optional<std::size_t> end;
    /// Set when the bytes cannot begin a valid head: a line end other than CR LF, or a control
    /// character.
    std::optional<refusal> refused;
};

/// Continues a scan of `received` at `from`.
[[nodiscard]] head_scan scan_head(std::string_view received, std::size_t from);

struct request_head {
    std::string_view method;  ///< Within the head.
    request_target target;
    bool is_version_1_1 = true;
    /// Whether it has a Content-Length, even of 0, or a Transfer-Encoding; without them there is
    /// no body (RFC 9112 6.3).
    bool announces_body = false;
    /// Of the body, in bytes; 0 without a Content-Length, and the largest number for one that is
    /// larger.
    std::uint64_t content_length = 0;
    /// In order, as places in the head; values without surrounding whitespace.
    std::vector<header_fields::place> fields;
};

/// Parses a whole head: request line, fields, closing empty line. `parsed` is valid only when this
/// returns nothing. Refuses with 505 a version other than HTTP/1.0 and 1.1, with 431 more than
/// `header_fields_max` fields, and with 400 everything else that RFC 9112 forbids or that two
/// servers may read differently.
[[nodiscard]] std::optional<refusal> read_request_head(std::string_view head, request_head& parsed);

/// The value of the first field `X-Request-Id` in the complete lines of a head, which may be
/// malformed.
[[nodiscard]] std::optional<std::string> request_id_in(std::string_view head);

/// Browsers send 15 to 20; 16 KiB could hold thousands.
inline constexpr std::size_t header_fields_max = 100;

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

    /// Whether a byte of the next request has arrived; empty lines before it do not count.
    [[nodiscard]] bool has_begun() const noexcept {
        return !received_.empty() || parser_ != nullptr;
    }

    void append(std::string_view bytes) { received_.append(bytes); }
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
    /// The `X-Request-Id` field, if its line has arrived, of a request that has not been taken.
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
    /// Bytes of a streamed body that have been taken.
    std::uint64_t streamed_bytes_ = 0;
    bool is_streaming_ = false;
    bool awaits_continue_ = false;
    bool complete_ = false;
    bool refused_ = false;
    refusal why_{status::bad_request, ""};
};

}  // namespace reelsd::http
