#include "request_head.hpp"

#include "ascii.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
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
    // Also an empty value must be within the line: its place in the head is recorded.
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
    while (!head.empty()) {
        const auto line = head.substr(0, head.find(line_end));
        head.remove_prefix(std::min(line.size() + line_end.size(), head.size()));
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        if (!equals_ignoring_case(line.substr(0, colon), "X-Request-Id")) continue;
        return std::string{trimmed(line.substr(colon + 1), optional_whitespace)};
    }
    return std::nullopt;
}

}  // namespace reelsd::http
