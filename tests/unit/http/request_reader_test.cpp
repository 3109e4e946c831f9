#include "request_reader.hpp"

#include <reelsd/http/router.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

// Goal: bytes become the same requests, or the same refusal, at every split; random damage is at
// worst refused. Method: whole, byte by byte, and 20,000 mutated requests.
namespace reelsd::http {
namespace {

using step = request_reader::step;

constexpr reader_limits limits{.header_bytes_max = 16384, .body_bytes_max = 65536};

/// The outcome of a connection that sends `bytes` in pieces of `piece` bytes: one line per request,
/// and the status of the refusal, if any.
std::vector<std::string> read_all(const std::string& bytes, std::size_t piece) {
    request_reader reader{limits};
    std::vector<std::string> seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.append(std::string_view{bytes}.substr(at, piece));
        for (;;) {
            const auto next = reader.advance();
            if (next == step::need_header || next == step::need_body) break;
            if (next == step::send_continue) {
                seen.emplace_back("continue");
                continue;
            }
            if (next == step::refused) {
                seen.push_back("refused " + std::to_string(number_of(reader.why().code)));
                return seen;
            }
            const auto got = reader.take();
            seen.push_back(
                got.request.method_text + " " + got.request.target.text() + " " + got.request.body +
                (got.keep_alive ? "" : " close"));
        }
    }
    // The session's answer when the client stops in the middle.
    if (reader.has_begun()) seen.emplace_back("refused 400");
    return seen;
}

using lines = std::vector<std::string>;

struct stream_case {
    const char* name;
    std::string bytes;
    lines seen;
};

const std::string chunked = "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

const stream_case streams[] = {
    {"one", "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", {"GET /a "}},
    {"close", "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", {"GET /a  close"}},
    {"1.0", "GET /a HTTP/1.0\r\n\r\n", {"GET /a  close"}},
    {"1.0 keep-alive", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", {"GET /a "}},
    {"1.0 keep-alive in any case, among others",
     "GET /a HTTP/1.0\r\nConnection: x, , Keep-ALIVE\r\n\r\n",
     {"GET /a "}},
    {"close among others, in the second field",
     "GET /a HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nconnection: x ,Close\r\n\r\n",
     {"GET /a  close"}},
    {"close of a proxy's client",
     "GET /a HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n",
     {"GET /a  close"}},
    {"close in a longer word",
     "GET /a HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n",
     {"GET /a "}},
    {"empty Connection", "GET /a HTTP/1.1\r\nHost: a\r\nConnection:\r\n\r\n", {"GET /a "}},
    {"malformed Connection",
     "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close; now\r\n\r\n",
     {"refused 400"}},
    {"malformed Connection with a body",
     "POST /a HTTP/1.1\r\nHost: a\r\nConnection: @\r\nContent-Length: 1\r\n\r\nb",
     {"refused 400"}},
    {"body whose connection closes",
     "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nConnection: close\r\n\r\nb",
     {"POST /a b close"}},
    {"body that is not announced",
     "POST /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n",
     {"POST /a ", "GET /b "}},
    {"empty lines before", "\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n", {"GET /a "}},
    {"pipelined",
     "GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nxyz"
     "\r\nGET /c HTTP/1.1\r\nHost: a\r\n\r\n",
     {"GET /a ", "POST /b xyz", "GET /c "}},
    {"chunked",
     chunked + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
     {"POST /c abc0123456789"}},
    {"only the last chunk", chunked + "0\r\n\r\n", {"POST /c "}},
    {"padded last chunk", chunked + "1\r\n0\r\n000\r\n\r\n", {"POST /c 0"}},
    {"trailers",
     chunked + "1\r\na\r\n0\r\nX: y\r\n\r\nGET /d HTTP/1.1\r\nHost: a\r\n\r\n",
     {"POST /c a", "GET /d "}},
    {"empty body", "POST /e HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", {"POST /e "}},
    {"body of GET", "GET /f HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi", {"GET /f hi"}},
    {"bad size", chunked + "x\r\na\r\n0\r\n\r\n", {"refused 400"}},
    {"blank before size", chunked + " 1\r\na\r\n0\r\n\r\n", {"refused 400"}},
    {"signed size", chunked + "+1\r\na\r\n0\r\n\r\n", {"refused 400"}},
    {"prefixed size", chunked + "0x1\r\na\r\n0\r\n\r\n", {"refused 400"}},
    {"bare LF after size", chunked + "1\na\r\n0\r\n\r\n", {"refused 400"}},
    {"bare LF in extension", chunked + "1;a\nb\r\na\r\n0\r\n\r\n", {"refused 400"}},
    {"bare LF after data", chunked + "1\r\na\n0\r\n\r\n", {"refused 400"}},
    {"chunk longer than announced", chunked + "1\r\nab\r\n0\r\n\r\n", {"refused 400"}},
    {"huge size", chunked + "FFFFFFFFFFFFFFFFF\r\n", {"refused 400"}},
    {"size over the limit", chunked + "10001\r\n", {"refused 413"}},
    {"length in a trailer", chunked + "0\r\nContent-Length: 3\r\n\r\n", {"refused 400"}},
    {"smuggled by length and coding",
     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: "
     "chunked\r\n\r\n0\r\n\r\n",
     {"refused 400"}},
};

TEST(RequestReader, ReadsTheSameAtEverySplit) {
    for (const auto& expected : streams) {
        for (const std::size_t piece : {1U, 2U, 3U, 7U, 100'000U}) {
            SCOPED_TRACE(std::string{expected.name} + " in pieces of " + std::to_string(piece));
            EXPECT_EQ(read_all(expected.bytes, piece), expected.seen);
        }
    }
}

TEST(RequestReader, KeepsTheIdOfARefusedHeader) {
    const std::string begin = "GET / HTTP/1.1\r\nX-Request-Id: mine\r\n";
    for (const auto& rest : {"X: " + std::string(17'000, 'x'), std::string{"a: \x01"}}) {
        request_reader reader{{.header_bytes_max = 16384, .body_bytes_max = 65536}};
        reader.append(begin + rest);
        EXPECT_EQ(reader.advance(), request_reader::step::refused);
        EXPECT_EQ(reader.request_id(), "mine");
    }
}

TEST(RequestReader, KnowsTheIdOfAnIncompleteHeader) {
    request_reader reader{{.header_bytes_max = 16384, .body_bytes_max = 65536}};
    reader.append("GET / HTTP/1.1\r\nX-Request-Id: mine");
    EXPECT_EQ(reader.advance(), request_reader::step::need_header);
    EXPECT_EQ(reader.request_id(), std::nullopt);
    reader.append("\r\nHost");
    EXPECT_EQ(reader.advance(), request_reader::step::need_header);
    EXPECT_EQ(reader.request_id(), "mine");
}

TEST(RequestReader, CountsTheMemoryOfAHeaderWhileItsBodyArrives) {
    request_reader reader{{.header_bytes_max = 16384, .body_bytes_max = 65536}};
    const std::string head =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nX: " + std::string(8000, 'x') +
        "\r\n\r\n";
    reader.append(head + "b");
    EXPECT_EQ(reader.bytes_held(), head.size() + 1);
    EXPECT_EQ(reader.advance(), request_reader::step::need_body);
    EXPECT_EQ(reader.bytes_held(), 2 * head.size() + 1);
    reader.append(std::string(99, 'b'));
    EXPECT_EQ(reader.advance(), request_reader::step::complete);
    EXPECT_EQ(reader.bytes_held(), head.size() + 100);
    EXPECT_EQ(reader.take().head_bytes, head.size());
    EXPECT_EQ(reader.bytes_held(), 0U);
}

// Earlier requests in the same read leave capacity that is not counted for the last one.
TEST(RequestReader, FreesTheCapacityOfEarlierRequests) {
    request_reader reader{{.header_bytes_max = 16384, .body_bytes_max = 65536}};
    const std::string head =
        "GET /a HTTP/1.1\r\nHost: a\r\nX: " + std::string(100, 'x') + "\r\n\r\n";
    std::string many;
    while (many.size() < 16384) many += head;
    reader.append(many + "\r\n");  // An empty line is skipped.
    reader.append(head);
    for (std::size_t left = many.size() / head.size() + 1; left > 0; --left) {
        ASSERT_EQ(reader.advance(), request_reader::step::complete);
        EXPECT_LE(reader.take().request.headers.text_capacity(), 2 * head.size());
    }
    EXPECT_EQ(reader.bytes_held(), 0U);
}

TEST(RequestReader, LimitsApplyExactly) {
    const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    const auto head_of = [&](std::size_t size) {
        return start + std::string(size - start.size() - 4, 'x') + "\r\n\r\n";
    };
    EXPECT_EQ(read_all(head_of(16384), 1000), (lines{"GET / "}));
    EXPECT_EQ(read_all(head_of(16385), 1000), (lines{"refused 431"}));
    EXPECT_EQ(read_all(start + std::string(16384, 'x'), 1000), (lines{"refused 431"}))
        << "without an end";
    std::string empty_lines;
    for (int line = 0; line < 8193; ++line) empty_lines += "\r\n";
    EXPECT_EQ(read_all(empty_lines, 1000), (lines{"refused 431"}));

    const auto body_of = [&](std::size_t size) {
        return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
               "\r\n\r\n" + std::string(size, 'b');
    };
    EXPECT_EQ(read_all(body_of(65536), 9000), (lines{"POST / " + std::string(65536, 'b')}));
    EXPECT_EQ(read_all(body_of(65537), 9000), (lines{"refused 413"}));

    const auto chunks_of = [&](std::size_t count) {
        std::string bytes = chunked;
        for (std::size_t chunk = 0; chunk < count; ++chunk) bytes += "1\r\nb\r\n";
        return bytes + "0\r\n\r\n";
    };
    EXPECT_EQ(read_all(chunks_of(65536), 9000), (lines{"POST /c " + std::string(65536, 'b')}));
    EXPECT_EQ(read_all(chunks_of(65537), 9000), (lines{"refused 413"}));
}

TEST(RequestReader, LimitsTheOverheadOfChunks) {
    std::string extensions = chunked;
    for (int chunk = 0; chunk < 1000; ++chunk)
        extensions += "1;" + std::string(800, 'x') + "\r\nb\r\n";
    EXPECT_EQ(read_all(extensions, 9000), (lines{"refused 413"}));
    EXPECT_EQ(read_all(chunked + "1;" + std::string(70'000, 'x'), 9000), (lines{"refused 413"}));
    const auto trailer = chunked + "0\r\nX: " + std::string(70'000, 'x');
    EXPECT_EQ(read_all(trailer, 9000), (lines{"refused 413"}));
}

TEST(RequestReader, DiscardsTrailers) {
    request_reader reader{limits};
    reader.append(chunked + "0\r\nAuthorization: Bearer x\r\nHost: b\r\n\r\n");
    ASSERT_EQ(reader.advance(), step::complete);
    const auto got = reader.take();
    EXPECT_FALSE(got.request.headers.find("Authorization"));
    EXPECT_EQ(got.request.headers.find_all("host").size(), 1U);
}

TEST(RequestReader, SendsContinueOnceAndOnlyWhenTheBodyIsMissing) {
    const std::string head =
        "POST /e HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n";
    request_reader reader{limits};
    reader.append(head);
    EXPECT_EQ(reader.advance(), step::send_continue);
    EXPECT_EQ(reader.advance(), step::need_body);
    reader.append("hi");
    EXPECT_EQ(reader.advance(), step::complete);

    EXPECT_EQ(read_all(head + "hi", 100'000), (lines{"POST /e hi"}))
        << "the body has arrived already";
    const std::string old = "POST /e HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    EXPECT_EQ(read_all(old + "hi", old.size()), (lines{"POST /e hi close"}));
    const std::string large =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\nExpect: 100-continue\r\n\r\n";
    EXPECT_EQ(read_all(large, 1000), (lines{"refused 413"}));
}

/// Damages a request: flips, removes, repeats and inserts bytes.
std::string mutated(std::string bytes, std::mt19937& random) {
    static constexpr std::string_view spice{
        "\r\n\t\0 :;,%?#/\xFF\x80"
        "0A1",
        17};
    const auto below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
    };
    const auto changes = 1 + below(6);
    for (std::size_t change = 0; change < changes && !bytes.empty(); ++change) {
        const auto at = below(bytes.size());
        switch (below(4)) {
            case 0: bytes[at] = static_cast<char>(below(256)); break;
            case 1: bytes.erase(at, 1 + below(4)); break;
            case 2: bytes.insert(at, bytes.substr(below(bytes.size()), below(40))); break;
            default: bytes.insert(at, 1, spice[below(spice.size())]); break;
        }
    }
    return bytes;
}

TEST(RequestReader, SurvivesDamage) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    constexpr int rounds = 20'000;
    std::size_t refused = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto& stream = streams[static_cast<std::size_t>(round) % std::size(streams)];
        const auto bytes = mutated(stream.bytes, random);
        const auto whole = read_all(bytes, bytes.size() + 1);
        const auto pieces = read_all(bytes, 1 + static_cast<std::size_t>(round) % 11);
        ASSERT_EQ(whole, pieces) << ::testing::PrintToString(bytes);
        if (!whole.empty() && whole.back().starts_with("refused")) ++refused;
    }
    EXPECT_GT(refused, 0U);
}

/// The outcome of the first request's body when its route streams it.
std::vector<std::string> stream_all(const std::string& bytes, std::size_t piece) {
    router routes;
    routes.add(
        verb::post,
        "/c",
        [](request_context&) -> boost::asio::awaitable<response> {
            co_return response{status::ok};
        },
        {.streams_body = [](const request&) { return true; }});
    auto streaming = limits;
    streaming.routes = &routes;
    request_reader reader{streaming};
    std::vector<std::string> seen;
    std::string body;
    bool is_taken = false;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.append(std::string_view{bytes}.substr(at, piece));
        for (;;) {
            const auto next = is_taken ? reader.advance_stream() : reader.advance();
            if (next == step::need_header || next == step::need_body) break;
            if (next == step::piece) {
                body += reader.take_piece();
            } else if (next == step::send_continue) {
                seen.emplace_back("continue");
            } else if (next == step::complete && !is_taken) {
                is_taken = true;
                const auto got = reader.take();
                EXPECT_TRUE(got.streams_body);
                EXPECT_EQ(got.request.body, "");
            } else {
                seen.push_back(std::to_string(body.size()));
                seen.emplace_back(
                    next == step::end ? "end"
                                      : "refused " + std::to_string(number_of(reader.why().code)));
                EXPECT_EQ(reader.has_open_body(), next != step::end);
                return seen;
            }
        }
    }
    EXPECT_TRUE(reader.has_open_body());
    seen.emplace_back("open");
    return seen;
}

TEST(RequestReader, StreamsABodyInPiecesWithoutLimit) {
    const std::string body(200'000, 'x');
    const std::string head = "POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n";
    EXPECT_EQ(stream_all(head + "\r\n" + body, 9000), (lines{"200000", "end"}));
    EXPECT_EQ(
        stream_all(head + "Expect: 100-continue\r\n\r\n" + body, head.size() + 24),
        (lines{"continue", "200000", "end"}));
    EXPECT_EQ(stream_all(head + "\r\n" + body.substr(1), 9000), (lines{"open"}));
    EXPECT_EQ(
        stream_all(chunked + "30d40\r\n" + body + "\r\n0\r\n\r\n", 16'000),
        (lines{"200000", "end"}));
    EXPECT_EQ(stream_all(chunked + "1\r\na\r\nx\r\n", 1), (lines{"1", "refused 400"}));
    EXPECT_EQ(stream_all(chunked + "0\r\n\r\n", 1000), (lines{"0", "end"}));
    EXPECT_EQ(stream_all("POST /c HTTP/1.1\r\nHost: a\r\n\r\n", 1000), (lines{"0", "end"}));
}

}  // namespace
}  // namespace reelsd::http
