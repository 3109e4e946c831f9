#include "request_reader.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

// Goal: heads that two servers could read differently are refused. Method: one table of heads;
// scanning is tested at every split.
namespace reelsd::http {
namespace {

struct head_case {
    const char* name;
    std::string head;
    /// 0: accepted.
    unsigned status;
};

const head_case heads[] = {
    {"plain", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"1.0 needs no Host", "GET / HTTP/1.0\r\n\r\n", 0},
    {"port, IPv6 and empty Host", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 0},
    {"empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 0},
    {"any letter case, whitespace around values", "GET / HTTP/1.1\r\nhOST:\t a \t\r\n\r\n", 0},
    {"unknown method", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"absolute form", "GET http://x:1/a?b HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"absolute form without path", "GET HTTPS://x HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 0},
    {"raw UTF-8 in target and value",
     "GET /\xC3\xA9 HTTP/1.1\r\nHost: a\r\nX: \xC3\xA9\r\n\r\n",
     0},
    {"length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n\r\n", 0},
    {"chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n", 0},
    {"empty value", "GET / HTTP/1.1\r\nHost: a\r\nX:\r\n\r\n", 0},

    {"no version", "GET /\r\nHost: a\r\n\r\n", 400},
    {"empty line", "\r\n\r\n", 400},
    {"no method", " / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"method with a bracket", "GE(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"tab for blank", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"blank in target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"blank at end of line", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
    {"fragment", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"relative target", "GET a/b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"other scheme", "GET ftp://a/b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"absolute form without host", "GET http:///b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"authority form", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"CONNECT to a path", "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"asterisk for GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
    {"small letters in version", "GET / http/1.1\r\nHost: a\r\n\r\n", 400},
    {"short version", "GET / HTTP/1\r\nHost: a\r\n\r\n", 400},
    {"long version", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400},
    {"version 1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505},
    {"version 2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
    {"version 0.9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505},
    {"preface of HTTP/2", "PRI / HTTP/2.0\r\n\r\n", 505},

    {"no Host", "GET / HTTP/1.1\r\nX: a\r\n\r\n", 400},
    {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
    {"two Hosts in 1.0", "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", 400},
    {"blank in Host", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
    {"path in Host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
    {"user in Host", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400},

    {"blank before colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
    {"no colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400},
    {"no name", "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", 400},
    {"strange name", "GET / HTTP/1.1\r\nHost: a\r\nX(: x\r\n\r\n", 400},
    {"folded", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n", 400},
    {"folded by tab", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\tz\r\n\r\n", 400},
    {"folded first line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400},
    {"control character in value", "GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n", 400},
    {"NUL in value", std::string{"GET / HTTP/1.1\r\nHost: a\r\nX: "} + '\0' + "\r\n\r\n", 400},
    {"DEL in target", "GET /\x7F HTTP/1.1\r\nHost: a\r\n\r\n", 400},

    {"two lengths",
     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
     400},
    {"equal lengths",
     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
     400},
    {"list of lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", 400},
    {"signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400},
    {"negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400},
    {"hexadecimal length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x10\r\n\r\n", 400},
    {"empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400},
    {"length and coding",
     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
     400},
    {"coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"other coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400},
    {"identity", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", 400},
    {"chunked twice",
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
     "chunked\r\n\r\n",
     400},
    {"quoted coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n", 400},
    {"coding with vertical tab",
     "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0B"
     "chunked\r\n\r\n",
     400},
};

TEST(RequestHead, IsParsedStrictly) {
    for (const auto& expected : heads) {
        SCOPED_TRACE(expected.name);
        request_head read;
        const auto refused = read_request_head(expected.head, read);
        EXPECT_EQ(refused ? number_of(refused->code) : 0U, expected.status);
        EXPECT_FALSE(refused && refused->message.empty());
    }
}

TEST(RequestHead, LimitsTheNumberOfFields) {
    std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (std::size_t field = 1; field < header_fields_max; ++field) head += "X: y\r\n";
    request_head read;
    EXPECT_FALSE(read_request_head(head + "\r\n", read));
    EXPECT_EQ(read.fields.size(), header_fields_max);
    request_head too_long;
    const auto refused = read_request_head(head + "X: y\r\n\r\n", too_long);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, status::request_header_fields_too_large);
}

TEST(RequestHead, HasTargetAndFields) {
    const std::string head =
        "POST /a/%62?c HTTP/1.0\r\nHost:\t a \r\nX:\r\nhOST-2: b\tc\r\nContent-Length: 7\r\n\r\n";
    request_head read;
    ASSERT_FALSE(read_request_head(head, read));
    EXPECT_EQ(read.method, "POST");
    EXPECT_EQ(read.target.text(), "/a/%62?c");
    EXPECT_EQ(read.target.segments(), (std::vector<std::string>{"a", "b"}));
    EXPECT_FALSE(read.is_version_1_1);
    EXPECT_TRUE(read.announces_body);
    EXPECT_EQ(read.content_length, 7U);
    const header_fields fields{head, read.fields};
    EXPECT_EQ(fields.size(), 4U);
    EXPECT_EQ(fields.find("host"), "a");
    EXPECT_EQ(fields.find("x"), "");
    EXPECT_EQ(fields.find("Host-2"), "b\tc");
    EXPECT_EQ(fields.find("Host-"), std::nullopt);
}

TEST(RequestHead, DetectsABody) {
    const auto announces = [](const std::string& field) {
        request_head read;
        const auto head = "POST / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n";
        EXPECT_FALSE(read_request_head(head, read)) << field;
        return read.announces_body;
    };
    EXPECT_TRUE(announces("content-LENGTH: 1"));
    EXPECT_TRUE(announces("Content-Length: 0"));
    EXPECT_TRUE(announces("transfer-encoding: chunked"));
    EXPECT_FALSE(announces("X-Content-Length: 1"));
    EXPECT_FALSE(announces("Expect: 100-continue"));
}

TEST(RequestHead, HasItsIdWhenRefused) {
    EXPECT_EQ(request_id_in("GET / HTTP/1.1\r\nx-request-ID: \t abc-1 \r\nHost\r\n\r\n"), "abc-1");
    EXPECT_EQ(request_id_in("GET / HTTP/1.1\r\nX-Request-Id:\r\n\r\n"), "");
    EXPECT_EQ(request_id_in("GET / HTTP/1.1\r\nX-Request-Idle: a\r\n\r\n"), std::nullopt);
    EXPECT_EQ(request_id_in("GET / HTTP/1.1\r\nX-Request-Id: a"), std::nullopt);
    EXPECT_EQ(request_id_in("GET / HTTP/1.1\r\n\r\nX-Request-Id: a\r\n"), std::nullopt);
    EXPECT_EQ(request_id_in(""), std::nullopt);
}

/// Scans the bytes in two pieces.
head_scan scan_in_two(const std::string& bytes, std::size_t split) {
    const auto first = scan_head(std::string_view{bytes}.substr(0, split), 0);
    if (first.end || first.refused) return first;
    return scan_head(bytes, split);
}

TEST(RequestHead, FindsTheEndAtEverySplit) {
    const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    for (std::size_t split = 0; split <= head.size(); ++split) {
        const auto scan = scan_in_two(head + "rest", split);
        EXPECT_EQ(scan.end, head.size());
        EXPECT_FALSE(scan.refused);
    }
}

TEST(RequestHead, RefusesInvalidBytesBeforeTheEnd) {
    const std::string hopeless[] = {
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\n",
        "GET / HTTP/1.1\rHost: a",
        "GET / HTTP/1.1\r\r\n",
        "\n",
        "\x16\x03\x01\x02",
        "GET /\x7F",
    };
    for (const auto& bytes : hopeless) {
        for (std::size_t split = 0; split <= bytes.size(); ++split) {
            const auto scan = scan_in_two(bytes, split);
            EXPECT_TRUE(scan.refused) << ::testing::PrintToString(bytes) << " split at " << split;
            EXPECT_FALSE(scan.end);
        }
    }
}

TEST(RequestHead, DoesNotRefuseAnIncompleteHead) {
    for (const std::string_view open : {"", "G", "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\n\r"}) {
        const auto scan = scan_head(open, 0);
        EXPECT_FALSE(scan.end);
        EXPECT_FALSE(scan.refused);
    }
}

TEST(RequestHead, ClampsALengthThatIsTooLarge) {
    request_head read;
    const std::string head =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000000000000000000000000\r\n\r\n";
    ASSERT_FALSE(read_request_head(head, read));
    EXPECT_EQ(read.content_length, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace reelsd::http
