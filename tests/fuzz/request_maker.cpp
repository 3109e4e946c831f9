#include "request_maker.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace reelsd::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr auto methods = std::to_array<std::string_view>(
    {"GET", "POST", "DELETE", "HEAD", "PUT", "OPTIONS", "get", "PATCH", "X"});

constexpr auto paths = std::to_array<std::string_view>(
    {"/api/v1/reels",
     "/api/v1/reels/analyze",
     "/api/v1/reels/search",
     "/api/v1/reels/usage",
     "/api/v1/reels/42",
     "/api/v1/reels/9223372036854775807",
     "/api/v1/reels/9223372036854775808",
     "/api/v1/reels/%34%32",
     "/api/v1/reels/%00",
     "/api/v1/reels/%zz",
     "/api/v1//reels",
     "/api/v1/reels/..",
     "/healthz",
     "/readyz",
     "/metrics",
     "/",
     "*",
     "http://host/api/v1/reels"});

/// Known routes, which most requests should reach.
constexpr auto known = std::to_array<std::string_view>(
    {"POST /api/v1/reels/analyze",
     "GET /api/v1/reels",
     "GET /api/v1/reels/search",
     "GET /api/v1/reels/search?q=how+to+cook",
     "GET /api/v1/reels/usage",
     "GET /api/v1/reels/usage/budget",
     "GET /api/v1/reels/usage/days?from=2026-05-01",
     "GET /api/v1/reels/usage/days.csv?to=2026-05-31",
     "GET /api/v1/reels/42",
     "DELETE /api/v1/reels/42",
     "HEAD /api/v1/reels/42",
     "GET /api/v1/reels/42/thumbnail",
     "GET /api/v1/reels/42/subtitles.srt",
     "GET /api/v1/reels/42/subtitles.vtt",
     "GET /api/v1/reels/42/usage",
     "GET /metrics",
     "GET /dashboard/api/session",
     "GET /dashboard/api/events",
     "GET /dashboard/api/tokens",
     "GET /dashboard/api/admin/accounts",
     "GET /dashboard/api/admin/overview",
     "DELETE /dashboard/api/tokens/7",
     "POST /dashboard/invitation",
     "POST /dashboard/sign-in"});

constexpr auto names = std::to_array<std::string_view>(
    {"limit",
     "status",
     "author",
     "cursor",
     "wait",
     "q",
     "from",
     "to",
     "size",
     "url",
     "%6cimit",
     ""});

constexpr auto values = std::to_array<std::string_view>(
    {"",
     "1",
     "0",
     "-1",
     "100",
     "101",
     "done",
     "pending",
     "small",
     "error",
     "nbc",
     "n999999999",
     "60",
     "0.5",
     "1e9",
     "nan",
     "2026-05-22",
     "2026-02-30",
     "0000-00-00",
     "pasta",
     "%00",
     "%ff",
     "%F0%9F%8D%9D+soup",
     "'%20OR%201=1--",
     "%22%26|",
     "()!*:",
     "a%20b%20c",
     "%u0041",
     "99999999999999999999"});

constexpr auto hosts = std::to_array<std::string_view>(
    {"www.instagram.com",
     "instagram.com",
     "m.instagram.com",
     "INSTAGRAM.com",
     "instagram.com.evil.test",
     "evil.test",
     "user@instagram.com",
     "instagram.com:443",
     "instagram.com:99999",
     "[::1]",
     "xn--instagrm-8nf.com",
     "%69nstagram.com",
     ""});

constexpr auto link_paths = std::to_array<std::string_view>(
    {"/reel/DYa0IXPgnP5/",
     "/p/DYa0IXPgnP5",
     "/reels/a/",
     "/tv/DYa0IXPgnP5/embed",
     "/share/reel/BAB2x9kLm/",
     "/some.one/reel/DYa0IXPgnP5/?img_index=2",
     "/reel/reelsd-sample/",
     "/reel//",
     "/reel/%2e%2e/",
     "/p/\\u0000/",
     "/stories/x/1/",
     "?#"});

constexpr auto bodies = std::to_array<std::string_view>(
    {"{}",
     "[]",
     "null",
     "{\"url\":null}",
     "{\"url\":7,\"fresh\":1}",
     "{\"url\":\"\",\"fresh\":true}",
     "{\"url\":\"\\ud800\"}",
     "{\"url\":\"\xff\"}",
     "{\"url\":",
     "{\"a\":{\"a\":{\"a\":{\"a\":[[[[[[[[[[]]]]]]]]]]}}}}",
     "url=x"});

constexpr auto fields = std::to_array<std::string_view>(
    {"Host: a\r\n",
     "Host: a\r\nHost: b\r\n",
     "host:\r\n",
     "Idempotency-Key: k\r\n",
     "Idempotency-Key: \xe4\r\n",
     "Idempotency-Key:\r\n",
     "X-Request-Id: ok-1\r\n",
     "X-Request-Id: <script>\r\n",
     "Connection: close\r\n",
     "Connection: keep-alive, upgrade\r\n",
     "Expect: 100-continue\r\n",
     "Transfer-Encoding: chunked\r\n",
     "Transfer-Encoding: gzip, chunked\r\n",
     "Content-Length: 0\r\n",
     "Content-Length: 5, 5\r\n",
     "Content-Length: -1\r\n",
     "Content-Length: 18446744073709551616\r\n",
     " folded: x\r\n",
     "Bad Name: x\r\n",
     "Name : x\r\n",
     "A: b\nC: d\r\n",
     "Authorization: Bearer rls_x\r\n",
     "X-CSRF-Token: known\r\n",
     "X-CSRF-Token: other\r\n",
     "Content-Type: application/json\r\n",
     "Content-Type: text/plain\r\n",
     "Origin: http://a\r\n",
     "Origin: null\r\n",
     "Sec-Fetch-Site: cross-site\r\n",
     "Cookie: reelsd_session=; a=b\r\n",
     "Accept-Encoding: gzip;q=0, *\r\n",
     "If-None-Match: \"\"\r\n",
     "Range: bytes=5-\r\n",
     "Last-Event-ID: 1795262400000000\r\n"});

constexpr auto tokens = std::to_array<std::string_view>(
    {"\r\n"sv,
     "\n"sv,
     "\r"sv,
     "\0"sv,
     " "sv,
     "%"sv,
     "%00"sv,
     "?"sv,
     "&"sv,
     "="sv,
     "#"sv,
     "//"sv,
     "\xc3"sv,
     "\xed\xa0\x80"sv,
     "\xf4\x90\x80\x80"sv,
     "\""sv,
     "{"sv,
     "\\u0000"sv,
     ":"sv,
     ","sv,
     "0\r\n\r\n"sv,
     "ffffffffffffffff\r\n"sv,
     "HTTP/1.0"sv,
     "HTTP/2.0"sv});

template <class Table>
std::string_view one_of(const Table& table, request_maker& dice) {
    return table[dice.number_below(table.size())];
}

bool now_and_then(request_maker& dice, std::size_t one_in) {
    return dice.number_below(one_in) == 0;
}

std::string in_chunks(std::string_view body, request_maker& dice) {
    constexpr auto digits = "0123456789abcdef"sv;
    std::string text;
    while (!body.empty()) {
        const auto size = std::min<std::size_t>(dice.number_below(15) + 1, body.size());
        text.append(1, digits[size]).append("\r\n").append(body.substr(0, size)).append("\r\n");
        body.remove_prefix(size);
    }
    return text + "0\r\n\r\n";
}

}  // namespace

std::string request_maker::link() {
    constexpr auto schemes =
        std::to_array<std::string_view>({"https://", "http://", "HTTPS://", "ftp://", "//", ""});
    if (!now_and_then(*this, 3)) return "https://www.instagram.com/reel/DYa0IXPgnP5/";
    std::string text{one_of(schemes, *this)};
    return text.append(one_of(hosts, *this)).append(one_of(link_paths, *this));
}

std::string request_maker::query() {
    std::string text;
    for (auto count = number_below(3); count > 0; --count) {
        text.append(text.empty() ? "?" : "&").append(one_of(names, *this));
        if (!now_and_then(*this, 8)) text.append("=").append(one_of(values, *this));
    }
    return text;
}

std::string request_maker::body() {
    if (now_and_then(*this, 3)) return std::string{one_of(bodies, *this)};
    constexpr auto commands = std::to_array<std::string_view>(
        {"", ",\"fresh\":true", ",\"fresh\":\"x\"", ",\"more\":[1]"});
    return "{\"url\":\"" + link() + "\"" + std::string{one_of(commands, *this)} + "}";
}

std::string request_maker::composed() {
    std::string text;
    if (now_and_then(*this, 4)) {
        text.append(one_of(methods, *this)).append(" ").append(one_of(paths, *this));
    } else {
        text.append(one_of(known, *this));
    }
    text.append(query()).append(" HTTP/1.1\r\n");
    if (!now_and_then(*this, 20)) text.append("Host: a\r\n");
    if (now_and_then(*this, 3)) text.append(one_of(fields, *this));
    const auto content = body();
    switch (number_below(4)) {
        case 0: return text + "\r\n";
        case 1: return text + "Transfer-Encoding: chunked\r\n\r\n" + in_chunks(content, *this);
        default:
            return text + "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" +
                   content;
    }
}

void request_maker::change(std::string& bytes) {
    const auto at = number_below(bytes.size() + 1);
    switch (number_below(6)) {
        case 0:
            if (at < bytes.size()) bytes[at] = static_cast<char>(number_below(256));
            break;
        case 1: bytes.erase(at, number_below(8)); break;
        case 2: bytes.insert(at, one_of(tokens, *this)); break;
        case 3:
            bytes.insert(at, bytes.substr(number_below(bytes.size() + 1), number_below(64)));
            break;
        case 4: bytes.insert(at, std::string(number_below(300), 'x')); break;
        default: bytes.resize(at); break;
    }
}

std::string request_maker::next() {
    if (replayed_ < corpus_.size()) return corpus_[replayed_++];
    auto bytes = now_and_then(*this, 3) ? std::string{one_of(corpus_, *this)} : composed();
    if (now_and_then(*this, 4)) bytes += composed();
    // Half of them stay unchanged, to get past the parser.
    if (now_and_then(*this, 2)) {
        for (auto count = number_below(4) + 1; count > 0; --count) change(bytes);
    }
    return bytes;
}

}  // namespace reelsd::fuzz
