#include "request_reader.hpp"

#include "request_head.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/http/router.hpp>

#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>

#include <limits>
#include <utility>

namespace reelsd::http {

namespace beast = boost::beast;

namespace {

/// Bound on one chunk's size line, and on all trailers.
constexpr std::size_t chunk_line_bytes_max = 4096;

/// Bound on the overhead of chunks. A chunk of one byte takes six on the wire, more with
/// extensions.
constexpr std::size_t encoded_per_decoded_max = 8;

/// Beast 1.81 asserts that the last chunk, at least "0\r\n\r\n", is complete or absent
/// (basic_parser.ipp, `n >= 5`): one that arrives in pieces would abort the program. No other part
/// of a valid chunked body that begins with '0' is shorter, so fewer bytes can wait for the rest.
bool may_be_part_of_last_chunk(std::string_view rest) {
    constexpr std::size_t last_chunk_bytes_min = 5;
    return rest.size() < last_chunk_bytes_min && rest.front() == '0';
}

constexpr std::string_view too_large_message = "the request body is too large";
constexpr std::string_view header_too_large_message = "the request header is too large";

constexpr std::string_view malformed_header_message = "malformed request header";

/// Whether the client expects the connection to stay open; nothing for a malformed field.
/// `Proxy-Connection` is not standard, but old clients send it.
std::optional<bool> expects_keep_alive(const header_fields& headers, bool is_version_1_1) {
    bool close = false;
    bool keep_alive = false;
    for (const std::string_view name : {"Connection", "Proxy-Connection"}) {
        for (const auto value : headers.find_all(name)) {
            const beast::http::opt_token_list tokens{{value.data(), value.size()}};
            if (!beast::http::validate_list(tokens)) return std::nullopt;
            for (const auto& each : tokens) {
                const std::string_view token{each.data(), each.size()};
                close = close || equals_ignoring_case(token, "close");
                keep_alive = keep_alive || equals_ignoring_case(token, "keep-alive");
            }
        }
    }
    return is_version_1_1 ? !close : keep_alive;
}

}  // namespace

/// Collects bytes without reserving the announced length: a streamed body is taken in pieces.
struct gathered_body {
    using value_type = std::string;

    class reader {
    public:
        template <bool IsRequest, class Fields>
        reader(beast::http::header<IsRequest, Fields>& /*head*/, value_type& gathered)
            : gathered_{gathered} {}

        void init(const boost::optional<std::uint64_t>& /*length*/, beast::error_code& failed) {
            failed = {};
        }
        template <class Buffers>
        std::size_t put(const Buffers& arrived, beast::error_code& failed) {
            failed = {};
            std::size_t size = 0;
            for (const auto piece : beast::buffers_range(arrived)) {
                gathered_.append(static_cast<const char*>(piece.data()), piece.size());
                size += piece.size();
            }
            return size;
        }
        void finish(beast::error_code& failed) { failed = {}; }

    private:
        value_type& gathered_;
    };
};

struct request_reader::message_parser : beast::http::request_parser<gathered_body> {};

request_reader::request_reader(reader_limits limits) : limits_{limits} {}

request_reader::~request_reader() = default;

bool request_reader::has_begun() const noexcept {
    return !received_.empty() || parser_ != nullptr;
}

void request_reader::append(std::string_view bytes) {
    received_.append(bytes);
}

std::string request_reader::take_piece() {
    auto& gathered = parser_->get().body();
    streamed_bytes_ += gathered.size();
    return std::exchange(gathered, {});
}

std::size_t request_reader::bytes_held() const noexcept {
    const auto of_body = parser_ ? parser_->get().body().size() : message_.request.body.size();
    return received_.size() + of_body + message_.head_bytes * (parser_ ? 2 : 1);
}

void request_reader::drop() noexcept {
    std::string{}.swap(received_);
    parser_.reset();
    message_ = {};
}

std::optional<std::string> request_reader::request_id() const {
    if (refused_id_) return refused_id_;
    const auto named = message_.request.headers.find("X-Request-Id");
    if (!named) return std::nullopt;
    return std::string{*named};
}

request_reader::step request_reader::refuse(refusal why) noexcept {
    refused_ = true;
    why_ = why;
    return step::refused;
}

request_reader::step request_reader::advance() {
    if (refused_) return step::refused;
    if (complete_) return step::complete;
    return parser_ ? advance_body() : advance_header();
}

void request_reader::skip_empty_lines() {
    // Some clients send an empty line after a body (RFC 9112 2.2).
    constexpr std::string_view empty_line = "\r\n";
    std::size_t empty = 0;
    while (std::string_view{received_}.substr(empty).starts_with(empty_line)) {
        empty += empty_line.size();
    }
    received_.erase(0, empty);
    skipped_ += empty;
    if (empty > 0) scanned_ = 0;
}

request_reader::step request_reader::advance_header() {
    skip_empty_lines();
    const auto scan = scan_head(received_, scanned_);
    if (scan.refused) return refuse(*scan.refused);
    const std::size_t size = scan.end.value_or(received_.size());
    if (skipped_ + size > limits_.header_bytes_max) {
        return refuse({status::request_header_fields_too_large, header_too_large_message});
    }
    if (scan.end) return begin_message(*scan.end);
    scanned_ = received_.size();
    return step::need_header;
}

request_reader::step request_reader::begin_message(std::size_t head_size) {
    const std::string_view head = std::string_view{received_}.substr(0, head_size);
    request_head read;
    if (const auto refused = read_request_head(head, read)) {
        refused_id_ = request_id_in(head);
        return refuse(*refused);
    }
    // Beast would call a number that is too large for it malformed.
    if (read.content_length == std::numeric_limits<std::uint64_t>::max()) {
        return refuse({status::content_too_large, too_large_message});
    }
    if (read.announces_body && !begin_body(head)) {
        return refuse({status::bad_request, malformed_header_message});
    }
    auto& request = message_.request;
    request.method_text = read.method;
    request.method = verb_of(request.method_text);
    request.target = std::move(read.target);
    request.headers = {take_received(head_size), std::move(read.fields)};
    message_.is_version_1_1 = read.is_version_1_1;
    message_.head_bytes = head_size;
    const auto keep_alive = expects_keep_alive(request.headers, read.is_version_1_1);
    if (!keep_alive) return refuse({status::bad_request, malformed_header_message});
    message_.keep_alive = *keep_alive;
    is_streaming_ = limits_.routes && limits_.routes->streams_body(message_.request);
    message_.streams_body = is_streaming_;
    streamed_bytes_ = 0;
    if (!is_streaming_ && read.content_length > limits_.body_bytes_max) {
        return refuse({status::content_too_large, too_large_message});
    }
    if (parser_ && !is_streaming_) parser_->body_limit(limits_.body_bytes_max);
    const auto expected = message_.request.headers.find("Expect");
    const bool expects_continue =
        message_.is_version_1_1 && expected && equals_ignoring_case(*expected, "100-continue");
    awaits_continue_ = expects_continue && received_.empty() && parser_ && !parser_->is_done();
    if (!parser_ || is_streaming_) {
        complete_ = true;
        return step::complete;
    }
    return std::exchange(awaits_continue_, false) ? step::send_continue : advance_body();
}

/// Beast reads the body, and needs the head for its framing.
bool request_reader::begin_body(std::string_view head) {
    parser_ = std::make_unique<message_parser>();
    parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes_max));
    parser_->body_limit(boost::none);  // Set when it is known whether the body is streamed.
    body_bytes_read_ = 0;
    beast::error_code failed;
    const auto used = parser_->put(boost::asio::buffer(head), failed);
    parser_->eager(true);
    return !failed && used == head.size() && parser_->is_header_done();
}

/// Usually the head is all that has arrived and is moved. It is copied when the buffer has much
/// more capacity, which would not be counted.
std::string request_reader::take_received(std::size_t head_size) {
    scanned_ = 0;
    skipped_ = 0;
    const bool is_all = received_.size() == head_size;
    if (is_all && received_.capacity() <= 2 * head_size) return std::exchange(received_, {});
    auto head = received_.substr(0, head_size);
    received_.erase(0, head_size);
    if (is_all) std::string{}.swap(received_);
    return head;
}

std::optional<refusal> request_reader::parse_body() {
    const refusal too_large{status::content_too_large, too_large_message};
    const auto encoded_max =
        encoded_per_decoded_max * (limits_.body_bytes_max + (is_streaming_ ? streamed_bytes_ : 0));
    while (!parser_->is_done() && !received_.empty()) {
        if (parser_->chunked() && may_be_part_of_last_chunk(received_)) break;
        beast::error_code failed;
        const auto used = parser_->put(boost::asio::buffer(received_), failed);
        received_.erase(0, used);
        body_bytes_read_ += used;
        if (body_bytes_read_ > encoded_max) return too_large;
        if (failed == beast::http::error::need_more) {
            if (received_.size() > chunk_line_bytes_max) return too_large;
            break;
        }
        if (failed == beast::http::error::body_limit) return too_large;
        if (failed) return refusal{status::bad_request, "malformed request body"};
    }
    return std::nullopt;
}

request_reader::step request_reader::advance_stream() {
    if (refused_) return step::refused;
    if (!parser_) return step::end;
    if (std::exchange(awaits_continue_, false)) return step::send_continue;
    if (const auto refused = parse_body()) return refuse(*refused);
    if (!parser_->get().body().empty()) return step::piece;
    if (!parser_->is_done()) return step::need_body;
    parser_.reset();
    return step::end;
}

request_reader::step request_reader::advance_body() {
    if (const auto refused = parse_body()) return refuse(*refused);
    if (!parser_->is_done()) return step::need_body;
    message_.request.body = std::move(parser_->get().body());
    parser_.reset();
    complete_ = true;
    return step::complete;
}

received_request request_reader::take() {
    invariant(complete_);
    complete_ = false;
    // An idle connection has no buffer; assigning an empty string would keep its memory.
    if (received_.empty()) std::string{}.swap(received_);
    return std::exchange(message_, {});
}

}  // namespace reelsd::http
