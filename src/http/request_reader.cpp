#include "request_reader.hpp"

#include "ascii.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/http/router.hpp>

#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

namespace reelsd::http {
namespace {

constexpr std::string_view line_end = "\r\n";

refusal bad(std::string_view message) {
    return {status::bad_request, message};
}

/// Removes the next line and returns it without its end. Every line of a scanned head has one.
std::string_view take_line(std::string_view& rest) {
    const auto end = rest.find(line_end);
    invariant(end != std::string_view::npos);
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + line_end.size());
    return line;
}

bool is_target_text(std::string_view text) {
    // Bytes above ASCII pass: tools send them unescaped, and decoding checks them for UTF-8.
    return std::all_of(text.begin(), text.end(), [](char letter) {
        return byte_of(letter) > 0x20U && byte_of(letter) != 0x7FU && letter != '#';
    });
}

/// The digits of "HTTP/1.1" as {1, 1}; nothing for any other text.
std::optional<std::pair<char, char>> version_of(std::string_view text) {
    constexpr std::string_view prefix = "HTTP/";
    constexpr std::size_t size = prefix.size() + 3;
    if (text.size() != size || !text.starts_with(prefix)) return std::nullopt;
    const char major = text[prefix.size()];
    const char minor = text[prefix.size() + 2];
    if (!is_digit(major) || text[prefix.size() + 1] != '.' || !is_digit(minor)) return std::nullopt;
    return std::pair{major, minor};
}

/// Empty for a malformed target, or one that the method does not allow.
std::optional<request_target> target_of(std::string_view method, std::string_view text) {
    const bool is_served = text == "*" ? method == "OPTIONS" : method != "CONNECT";
    if (!is_served || !is_target_text(text)) return std::nullopt;
    auto target = request_target::parse(std::string{text});
    if (!target) return std::nullopt;
    return std::move(*target);
}

std::optional<refusal> read_request_line(std::string_view line, request_head& parsed) {
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return bad("malformed request line");
    const auto method = line.substr(0, first);
    if (!is_token(method)) return bad("malformed method");
    const auto version = version_of(line.substr(last + 1));
    if (!version) return bad("malformed HTTP version");
    // Before the target: HTTP/2 begins with one that HTTP/1 would call malformed.
    const auto [major, minor] = *version;
    if (major != '1' || minor > '1') {
        return refusal{status::version_not_supported, "only HTTP/1.0 and HTTP/1.1 are served"};
    }
    auto target = target_of(method, line.substr(first + 1, last - first - 1));
    if (!target) return bad("malformed request target");
    parsed.method = method;
    parsed.target = std::move(*target);
    parsed.is_version_1_1 = minor == '1';
    return std::nullopt;
}

/// The fields that decide the request's length and host.
struct framing {
    std::size_t hosts = 0;
    std::size_t lengths = 0;
    std::size_t codings = 0;
    std::string_view host;
    std::string_view length;
    std::string_view coding;
};

void note(framing& seen, std::string_view name, std::string_view value) {
    if (equals_ignoring_case(name, "Host")) {
        ++seen.hosts;
        seen.host = value;
    } else if (equals_ignoring_case(name, "Content-Length")) {
        ++seen.lengths;
        seen.length = value;
    } else if (equals_ignoring_case(name, "Transfer-Encoding")) {
        ++seen.codings;
        seen.coding = value;
    }
}

struct field {
    std::string_view name;
    std::string_view value;
};

std::optional<refusal> read_field(std::string_view line, field& parsed) {
    if (line.front() == ' ' || line.front() == '\t') return bad("folded header lines are obsolete");
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return bad("malformed header field");
    const auto rest = line.substr(colon + 1);
    const auto value = trimmed(rest, optional_whitespace);
    // Even an empty value must be within the line: its place in the head is recorded.
    parsed = {.name = line.substr(0, colon), .value = value.empty() ? rest.substr(0, 0) : value};
    if (!is_token(parsed.name)) return bad("malformed header name");
    const auto is_forbidden = [](char letter) { return is_control(letter) && letter != '\t'; };
    if (std::any_of(parsed.value.begin(), parsed.value.end(), is_forbidden)) {
        return bad("malformed header value");
    }
    return std::nullopt;
}

std::optional<refusal> check_host(const framing& seen, bool is_version_1_1) {
    if (seen.hosts > 1) return bad("Host is given more than once");
    if (is_version_1_1 && seen.hosts == 0) return bad("Host is missing");
    static constexpr auto host_table = alphanumeric_or("-._~!$&'()*+,;=%:[]");
    const auto fits = [](char letter) { return host_table[byte_of(letter)]; };
    if (!std::all_of(seen.host.begin(), seen.host.end(), fits)) return bad("malformed Host");
    return std::nullopt;
}

std::optional<refusal> read_length(std::string_view text, std::uint64_t& length) {
    const auto fits = [](char letter) { return is_digit(letter); };
    if (text.empty() || !std::all_of(text.begin(), text.end(), fits)) {
        return bad("malformed Content-Length");
    }
    const auto* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, length).ec == std::errc::result_out_of_range) {
        length = std::numeric_limits<std::uint64_t>::max();
    }
    return std::nullopt;
}

std::optional<refusal> read_framing(const framing& seen, request_head& parsed) {
    const bool is_version_1_1 = parsed.is_version_1_1;
    if (auto refused = check_host(seen, is_version_1_1)) return refused;
    parsed.announces_body = seen.lengths > 0 || seen.codings > 0;
    if (seen.lengths > 1) return bad("Content-Length is given more than once");
    if (seen.codings > 0) {
        if (seen.lengths > 0) return bad("Transfer-Encoding and Content-Length exclude each other");
        if (!is_version_1_1) return bad("HTTP/1.0 does not support Transfer-Encoding");
        if (seen.codings > 1 || !equals_ignoring_case(seen.coding, "chunked")) {
            return bad("Transfer-Encoding must be chunked");
        }
    }
    if (seen.lengths == 1) return read_length(seen.length, parsed.content_length);
    return std::nullopt;
}

}  // namespace

head_scan scan_head(std::string_view received, std::size_t from) {
    constexpr std::string_view closing = "\r\n\r\n";
    const auto is_marked = [](char letter) { return is_control(letter) && letter != '\t'; };
    const head_scan bad_line_end{.end = {}, .refused = bad("lines must end with CR LF")};
    bool after_return = from > 0 && received[from - 1] == '\r';
    for (std::size_t at = from; at < received.size(); ++at) {
        if (after_return) {
            if (received[at] != '\n') return bad_line_end;
            const auto seen = received.substr(0, at + 1);
            if (seen.ends_with(closing)) return {.end = seen.size(), .refused = {}};
            after_return = false;
            continue;
        }
        const auto* const next = std::find_if(&received[at], received.end(), is_marked);
        at = static_cast<std::size_t>(next - received.begin());
        if (at == received.size()) break;
        if (*next == '\n') return bad_line_end;
        if (*next != '\r') {
            return {.end = {}, .refused = bad("the header has a control character")};
        }
        after_return = true;
    }
    return {};
}

std::optional<refusal> read_request_head(std::string_view head, request_head& parsed) {
    invariant(head.ends_with("\r\n\r\n"));
    auto rest = head;
    if (auto refused = read_request_line(take_line(rest), parsed)) return refused;
    const auto place_of = [&](std::string_view part) {
        return static_cast<std::uint32_t>(part.data() - head.data());
    };
    constexpr std::size_t fields_usual = 16;
    parsed.fields.reserve(fields_usual);
    framing seen;
    for (auto line = take_line(rest); !line.empty(); line = take_line(rest)) {
        if (parsed.fields.size() == header_fields_max) {
            return refusal{status::request_header_fields_too_large, "too many header fields"};
        }
        field next;
        if (auto refused = read_field(line, next)) return refused;
        note(seen, next.name, next.value);
        parsed.fields.push_back(
            {.name_begin = place_of(next.name),
             .name_size = static_cast<std::uint32_t>(next.name.size()),
             .value_begin = place_of(next.value),
             .value_size = static_cast<std::uint32_t>(next.value.size())});
    }
    return read_framing(seen, parsed);
}

std::optional<std::string> request_id_in(std::string_view head) {
    while (head.find(line_end) != std::string_view::npos) {
        const auto line = take_line(head);
        if (line.empty()) break;
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        if (!equals_ignoring_case(line.substr(0, colon), "X-Request-Id")) continue;
        return std::string{trimmed(line.substr(colon + 1), optional_whitespace)};
    }
    return std::nullopt;
}

namespace beast = boost::beast;

namespace {

/// Bound on one chunk's size line, and on all trailers.
constexpr std::size_t chunk_line_bytes_max = 4096;

/// Bound on the overhead of chunks. A chunk of one byte takes six or more on the wire.
constexpr std::size_t encoded_per_decoded_max = 8;

/// Beast 1.81 asserts that the last chunk, at least "0\r\n\r\n", is complete or absent
/// (basic_parser.ipp, `n >= 5`): one that arrives in pieces would abort the program. No other part
/// of a valid chunked body that begins with '0' is shorter, so fewer bytes can wait for the rest.
bool may_be_part_of_last_chunk(std::string_view rest) {
    constexpr std::size_t last_chunk_bytes_min = 5;
    return rest.size() < last_chunk_bytes_min && rest.front() == '0';
}

constexpr std::string_view too_large_message = "the request body is too large";
/// Of a body that is not streamed. A video without a Content-Type is one.
constexpr std::string_view body_too_large_message =
    "the request body is larger than 64 KiB; send a video as a form or with Content-Type: "
    "video/mp4";
static_assert(bounds::request_body_bytes_max == std::size_t{64} * 1024, "The message says so.");
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
    if (message_.head_bytes == 0) return request_id_in(received_);
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
    const std::size_t size = scan.end.value_or(received_.size());
    const bool is_too_large = skipped_ + size > limits_.header_bytes_max;
    if (scan.refused) return refuse(*scan.refused);
    if (is_too_large)
        return refuse({status::request_header_fields_too_large, header_too_large_message});
    if (scan.end) return begin_message(*scan.end);
    scanned_ = received_.size();
    return step::need_header;
}

request_reader::step request_reader::begin_message(std::size_t head_size) {
    const std::string_view head = std::string_view{received_}.substr(0, head_size);
    request_head read;
    if (const auto refused = read_request_head(head, read)) return refuse(*refused);
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
        return refuse({status::content_too_large, body_too_large_message});
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
    const refusal too_large{
        status::content_too_large, is_streaming_ ? too_large_message : body_too_large_message};
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
