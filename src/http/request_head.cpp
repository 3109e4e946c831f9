#include "request_head.hpp"

#include "ascii.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/http/header_fields.hpp>
#include <reelsd/http/target.hpp>

#include <algorithm>
#include <cstdint>

namespace reelsd::http {

namespace {

constexpr std::string_view line_end = "\r\n";

refusal bad(std::string_view message) {
    return {status::bad_request, message};
}

/// Takes the next line, without its end. Every line of a scanned head has one.
std::string_view take_line(std::string_view& rest) {
    const auto end = rest.find(line_end);
    invariant(end != std::string_view::npos);
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + line_end.size());
    return line;
}

bool is_target_character(char letter) {
    // Bytes above ASCII are let through: tools send them raw, and decoding checks them for UTF-8.
    return byte_of(letter) > 0x20U && byte_of(letter) != 0x7FU && letter != '#';
}

/// The digits of "HTTP/1.1" as {1, 1}; nothing when it is no version at all.
std::optional<std::pair<char, char>> version_of(std::string_view text) {
    constexpr std::string_view prefix = "HTTP/";
    constexpr std::size_t size = prefix.size() + 3;
    if (text.size() != size || !text.starts_with(prefix)) return std::nullopt;
    const char major = text[prefix.size()];
    const char minor = text[prefix.size() + 2];
    if (!is_digit(major) || text[prefix.size() + 1] != '.' || !is_digit(minor)) return std::nullopt;
    return std::pair{major, minor};
}

bool is_sound_target(std::string_view method, std::string_view target) {
    if (target.empty() || !std::all_of(target.begin(), target.end(), is_target_character)) {
        return false;
    }
    if (target == "*") return method == "OPTIONS";
    return method != "CONNECT" && request_target::parse(std::string{target}).has_value();
}

std::optional<refusal> check_request_line(std::string_view line, bool& is_version_1_1) {
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return bad("malformed request line");
    const auto method = line.substr(0, first);
    const auto target = line.substr(first + 1, last - first - 1);
    if (method.empty() || !std::all_of(method.begin(), method.end(), is_token)) {
        return bad("malformed method");
    }
    const auto version = version_of(line.substr(last + 1));
    if (!version) return bad("malformed HTTP version");
    // Before the target: HTTP/2 begins with one that HTTP/1 would call malformed.
    const auto [major, minor] = *version;
    if (major != '1' || minor > '1') {
        return refusal{status::version_not_supported, "only HTTP/1.0 and HTTP/1.1 are served"};
    }
    if (!is_sound_target(method, target)) return bad("malformed request target");
    is_version_1_1 = minor == '1';
    return std::nullopt;
}

/// What the fields say about where the request ends and for whom it is.
struct framing {
    std::size_t hosts = 0;
    std::size_t lengths = 0;
    std::size_t codings = 0;
    std::string_view host;
    std::string_view length;
    std::string_view coding;
};

void note(framing& seen, std::string_view name, std::string_view value) {
    if (same_name(name, "Host")) {
        ++seen.hosts;
        seen.host = value;
    } else if (same_name(name, "Content-Length")) {
        ++seen.lengths;
        seen.length = value;
    } else if (same_name(name, "Transfer-Encoding")) {
        ++seen.codings;
        seen.coding = value;
    }
}

std::optional<refusal> check_field(std::string_view line, framing& seen) {
    if (line.front() == ' ' || line.front() == '\t') return bad("folded header lines are obsolete");
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return bad("malformed header field");
    const auto name = line.substr(0, colon);
    if (!std::all_of(name.begin(), name.end(), is_token)) return bad("malformed header name");
    const auto value = trimmed(line.substr(colon + 1));
    const auto strange = [](char letter) { return is_control(letter) && letter != '\t'; };
    if (std::any_of(value.begin(), value.end(), strange)) return bad("malformed header value");
    note(seen, name, value);
    return std::nullopt;
}

std::optional<refusal> check_host(const framing& seen, bool is_version_1_1) {
    if (seen.hosts > 1) return bad("Host is given more than once");
    if (is_version_1_1 && seen.hosts == 0) return bad("Host is missing");
    const auto fits = [](char letter) {
        return is_alphanumeric(letter) ||
               std::string_view{"-._~!$&'()*+,;=%:[]"}.find(letter) != std::string_view::npos;
    };
    if (!std::all_of(seen.host.begin(), seen.host.end(), fits)) return bad("malformed Host");
    return std::nullopt;
}

std::optional<refusal> check_length(std::string_view text, std::size_t body_bytes_max) {
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) {
        return bad("malformed Content-Length");
    }
    // More digits than any limit has would only overflow.
    constexpr std::size_t digits_max = 18;
    std::uint64_t length = 0;
    for (const char digit : text.substr(0, digits_max)) {
        length = length * 10 + (byte_of(digit) - byte_of('0'));
    }
    if (text.size() > digits_max || length > body_bytes_max) {
        return refusal{status::content_too_large, "the request body is too large"};
    }
    return std::nullopt;
}

std::optional<refusal> check_framing(
    const framing& seen, bool is_version_1_1, std::size_t body_bytes_max) {
    if (auto refused = check_host(seen, is_version_1_1)) return refused;
    if (seen.lengths > 1) return bad("Content-Length is given more than once");
    if (seen.codings > 0) {
        if (seen.lengths > 0) return bad("Transfer-Encoding and Content-Length exclude each other");
        if (!is_version_1_1) return bad("HTTP/1.0 knows no Transfer-Encoding");
        if (seen.codings > 1 || !same_name(seen.coding, "chunked")) {
            return bad("Transfer-Encoding must be chunked");
        }
    }
    if (seen.lengths == 1) return check_length(seen.length, body_bytes_max);
    return std::nullopt;
}

}  // namespace

head_scan scan_head(std::string_view received, std::size_t from) {
    constexpr std::string_view closing = "\r\n\r\n";
    for (std::size_t at = from; at < received.size(); ++at) {
        const char letter = received[at];
        const bool after_return = at > 0 && received[at - 1] == '\r';
        if (letter == '\n') {
            if (!after_return) return {.end = {}, .refused = bad("lines must end with CR LF")};
            const auto seen = received.substr(0, at + 1);
            if (seen.ends_with(closing)) return {.end = seen.size(), .refused = {}};
        } else if (after_return) {
            return {.end = {}, .refused = bad("lines must end with CR LF")};
        } else if (is_control(letter) && letter != '\r' && letter != '\t') {
            return {.end = {}, .refused = bad("the header has a control character")};
        }
    }
    return {};
}

std::optional<refusal> check_request_head(std::string_view head, std::size_t body_bytes_max) {
    invariant(head.ends_with("\r\n\r\n"));
    bool is_version_1_1 = true;
    if (auto refused = check_request_line(take_line(head), is_version_1_1)) return refused;
    framing seen;
    std::size_t fields = 0;
    for (auto line = take_line(head); !line.empty(); line = take_line(head)) {
        if (++fields > header_fields_max) {
            return refusal{status::request_header_fields_too_large, "too many header fields"};
        }
        if (auto refused = check_field(line, seen)) return refused;
    }
    return check_framing(seen, is_version_1_1, body_bytes_max);
}

std::optional<std::string> request_id_in(std::string_view head) {
    while (!head.empty()) {
        const auto line = head.substr(0, head.find(line_end));
        head.remove_prefix(std::min(line.size() + line_end.size(), head.size()));
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        if (!same_name(line.substr(0, colon), "X-Request-Id")) continue;
        return std::string{trimmed(line.substr(colon + 1))};
    }
    return std::nullopt;
}

}  // namespace reelsd::http
