#include "served.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

// Goal: generated bodies are compressed for clients that accept it, whole and streamed. Method: the
// real server, and zlib to read its responses.
namespace reelsd::http {
namespace {

using testing::raw_client;

std::string unpacked(const std::string& packed) {
    z_stream stream{};
    constexpr int gzip_format = 16;
    if (::inflateInit2(&stream, MAX_WBITS + gzip_format) != Z_OK) return "no memory";
    std::string source = packed;
    std::string text(std::size_t{4} << 20U, ' ');
    stream.next_in = reinterpret_cast<Bytef*>(source.data());
    stream.avail_in = static_cast<uInt>(source.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    const int done = ::inflate(&stream, Z_FINISH);
    text.resize(text.size() - stream.avail_out);
    ::inflateEnd(&stream);
    return done == Z_STREAM_END ? text : "not whole: " + text;
}

/// The body of a chunked response.
std::string joined(std::string chunks) {
    std::string body;
    while (!chunks.empty()) {
        const auto line = chunks.find("\r\n");
        const auto size = std::stoul(chunks.substr(0, line), nullptr, 16);
        body += chunks.substr(line + 2, size);
        chunks.erase(0, line + 2 + size + 2);
    }
    return body;
}

/// Long enough, and not uniform.
std::string long_text() {
    std::string text;
    for (int line = 0; line < 20'000; ++line) text += "line " + std::to_string(line) + ";\n";
    return text;
}

boost::asio::awaitable<void> write_twice(body_writer& body) {
    const auto text = long_text();
    if (!co_await body.write(text)) co_return;
    static_cast<void>(co_await body.write("end"));
}

boost::asio::awaitable<response> give_text(request_context& ctx) {
    co_return gzip_if_accepted(ctx, ctx.json_text(status::ok, long_text()).set("X-Kept", "yes"));
}

boost::asio::awaitable<response> give_stream(request_context& ctx) {
    co_return gzip_if_accepted(ctx, response::of_stream("text/plain", &write_twice));
}

struct Gzip : Served {
    Gzip() {
        routes.add(verb::get, "/text", &give_text);
        routes.add(verb::get, "/pieces", &give_stream);
    }
};

TEST_F(Gzip, CompressesForClientsThatAcceptIt) {
    start();
    raw_client client{port};
    const auto plain = client.ask("GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->body, long_text());
    EXPECT_EQ(plain->field("Content-Encoding"), std::nullopt);
    EXPECT_EQ(plain->field("Vary"), "Accept-Encoding");

    const auto packed =
        client.ask("GET /text HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip;q=0.5\r\n\r\n");
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->field("Content-Encoding"), "gzip");
    EXPECT_EQ(packed->field("Vary"), "Accept-Encoding");
    EXPECT_EQ(packed->field("X-Kept"), "yes");
    EXPECT_LT(packed->body.size(), plain->body.size() / 3);
    EXPECT_EQ(unpacked(packed->body), plain->body);
}

TEST_F(Gzip, CompressesStreams) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send("GET /pieces HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n"));
    const auto head = client.read(false);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->field("Content-Encoding"), "gzip");
    EXPECT_EQ(head->field("Transfer-Encoding"), "chunked");
    auto chunks = client.read_until("\r\n0\r\n\r\n");
    ASSERT_TRUE(chunks.ends_with("0\r\n\r\n"));
    chunks.resize(chunks.size() - 5);
    EXPECT_EQ(unpacked(joined(chunks)), long_text() + "end");
}

}  // namespace
}  // namespace reelsd::http
