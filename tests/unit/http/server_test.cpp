#include "served.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

// Goal: over a real connection every request gets one response, in order, in the documented shape,
// and no client can crash the server. Method: raw bytes over loopback.
namespace reelsd::http {
namespace {

using ::testing::MatchesRegex;
using testing::raw_client;

TEST_F(Served, ResponsesHaveTheDocumentedFields) {
    start();
    raw_client client{port};
    const auto got =
        client.ask("GET /hello?x=secret HTTP/1.1\r\nHost: a\r\nX-Request-Id: my.id-1\r\n\r\n");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 200);
    EXPECT_TRUE(got->head.starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_EQ(got->body, "hello");
    EXPECT_EQ(got->field("Content-Type"), "application/json");
    EXPECT_EQ(got->field("Content-Length"), "5");
    EXPECT_EQ(got->field("Cache-Control"), "no-store");
    EXPECT_EQ(got->field("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(got->field("X-Request-Id"), "my.id-1");
    EXPECT_EQ(got->field("Connection"), std::nullopt);
    EXPECT_THAT(
        got->field("Date").value_or(""),
        MatchesRegex("[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT"));
    await_counts([](const server_counts& now) { return now.responses[2] == 1; });
    EXPECT_EQ(exchanges(), (std::vector<std::string>{"GET /hello 200 5"}));
}

TEST_F(Served, GeneratesARequestIdWhenTheClientsIsMissingOrMalformed) {
    start();
    raw_client client{port};
    const std::string generated = "[0-9a-f]{16}";
    const auto first = client.ask(get_hello);
    EXPECT_EQ(first->field("Keep-Alive"), "timeout=75");
    const auto second = client.ask("GET /hello HTTP/1.1\r\nHost: a\r\nX-Request-Id: a b\r\n\r\n");
    ASSERT_TRUE(first && second);
    EXPECT_THAT(first->field("X-Request-Id").value_or(""), MatchesRegex(generated));
    EXPECT_THAT(second->field("X-Request-Id").value_or(""), MatchesRegex(generated));
    EXPECT_NE(first->field("X-Request-Id"), second->field("X-Request-Id"));
}

TEST_F(Served, AnswersHeadWithTheSameHeaderAndNoBody) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n"));
    const auto head = client.read(false);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
    EXPECT_EQ(head->field("Content-Length"), "5");
    ASSERT_TRUE(client.send("HEAD /nowhere HTTP/1.1\r\nHost: a\r\n\r\n"));
    const auto missing = client.read(false);
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->status, 404);
    const auto next = client.ask(get_hello);
    ASSERT_TRUE(next) << "no body arrived before it";
    EXPECT_EQ(next->body, "hello");
}

// A connection reads the first 512 bytes of a head into a separate buffer.
TEST_F(Served, AnswersHeadsOfAnySize) {
    start();
    raw_client client{port};
    const std::string begin = "GET /hello HTTP/1.1\r\nHost: a\r\nX: ";
    const std::string end = "\r\n\r\n";
    for (const std::size_t size : {100U, 511U, 512U, 513U, 1023U, 1024U, 1025U, 8000U}) {
        const std::string fill(size - begin.size() - end.size(), 'x');
        const auto head = begin + fill + end;
        ASSERT_EQ(head.size(), size);
        for (const std::string& sent : {head, head + head, get_hello + head}) {
            const auto got = client.ask(sent);
            ASSERT_TRUE(got) << size;
            EXPECT_EQ(got->status, 200) << size;
            if (sent.size() == size) continue;
            const auto second = client.read();
            ASSERT_TRUE(second) << size;
            EXPECT_EQ(second->body, "hello") << size;
        }
    }
}

TEST_F(Served, NoContentHasNoLength) {
    start();
    raw_client client{port};
    const auto got = client.ask("DELETE /thing HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 204);
    EXPECT_EQ(got->field("Content-Length"), std::nullopt);
    EXPECT_TRUE(client.ask(get_hello));
}

TEST_F(Served, AnswersPipelinedRequestsInOrder) {
    start();
    raw_client client{port};
    std::string all;
    constexpr int count = 200;
    for (int request = 0; request < count; ++request) {
        const auto body = std::to_string(request);
        all += "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body;
    }
    ASSERT_TRUE(client.send(all));
    for (int request = 0; request < count; ++request) {
        const auto got = client.read();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->body, std::to_string(request));
    }
}

TEST_F(Served, KeepsTheConnectionOpenOnRequest) {
    struct test_case {
        const char* request;
        const char* connection;
        bool closes;
    };
    const test_case cases[] = {
        {"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n", nullptr, false},
        {"GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "close", true},
        {"GET /hello HTTP/1.0\r\n\r\n", "close", true},
        {"GET /hello HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "keep-alive", false},
    };
    start();
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.request);
        raw_client client{port};
        const auto got = client.ask(expected.request);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->body, "hello");
        EXPECT_EQ(
            got->field("Connection").value_or("none"),
            std::string{expected.connection ? expected.connection : "none"});
        if (expected.closes) {
            EXPECT_TRUE(client.is_closed_by_server());
        } else {
            EXPECT_TRUE(client.ask(get_hello));
        }
    }
}

TEST_F(Served, RefusesMalformedRequestsAndClosesTheConnection) {
    struct test_case {
        std::string bytes;
        int status;
    };
    const test_case cases[] = {
        {"nonsense\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n\r\n", 400},
        {"GET / HTTP/1.1\n", 400},
        {"\x16\x03\x01\x02\x05", 400},
        {"GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505},
        {"GET /" + std::string(20'000, 'x'), 431},
        {"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", 413},
        {"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", 413},
        {"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400},
    };
    start();
    for (const auto& expected : cases) {
        SCOPED_TRACE(::testing::PrintToString(expected.bytes.substr(0, 80)));
        raw_client client{port};
        const auto got = client.ask(expected.bytes);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->status, expected.status);
        EXPECT_THAT(got->body, MatchesRegex(R"(\{"message":"[^"]+","status":"error"\})"));
        EXPECT_EQ(got->field("Content-Type"), "application/json");
        EXPECT_EQ(got->field("Connection"), "close");
        EXPECT_TRUE(got->field("X-Request-Id"));
        client.shutdown_send();
        EXPECT_TRUE(client.is_closed_by_server());
    }
}

TEST_F(Served, HidesExceptionsFromTheClient) {
    start();
    raw_client client{port};
    const auto thrown = client.ask("GET /throw HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(thrown);
    EXPECT_EQ(thrown->status, 500);
    EXPECT_EQ(thrown->body, R"({"message":"internal server error","status":"error"})");
    const auto lost = client.ask("GET /lost HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(lost);
    EXPECT_EQ(lost->status, 503);
    EXPECT_EQ(lost->field("Retry-After"), "5");
    EXPECT_EQ(lost->body.find("SELECT"), std::string::npos);
    EXPECT_TRUE(client.ask(get_hello)) << "the connection stays open";
}

TEST_F(Served, SendsContinue) {
    start();
    raw_client client{port};
    const auto go = client.ask(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    ASSERT_TRUE(go);
    EXPECT_EQ(go->status, 100);
    const auto got = client.ask("hi");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "hi");
}

TEST_F(Served, AnswersAHalfClosedClient) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send(get_hello));
    client.shutdown_send();
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "hello");
    EXPECT_TRUE(client.is_closed_by_server());

    raw_client cut{port};
    ASSERT_TRUE(cut.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf"));
    cut.shutdown_send();
    const auto refused = cut.read();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 400);
}

TEST_F(Served, RefusesABodyInAContentCoding) {
    start();
    const auto ask = [this](const std::string& request, const std::string& coding) {
        raw_client client{port};
        return client.ask(
            request + " HTTP/1.1\r\nHost: a\r\nContent-Encoding: " + coding +
            "\r\nContent-Length: 1\r\n\r\nx");
    };
    for (const std::string request : {"POST /echo", "POST /count"}) {
        SCOPED_TRACE(request);
        for (const std::string coding : {"", "identity", "Identity"}) {
            const auto got = ask(request, coding);
            ASSERT_TRUE(got);
            EXPECT_EQ(got->status, 200) << coding;
        }
        for (const std::string coding : {"gzip", "br, gzip", "identity\r\nContent-Encoding: x"}) {
            const auto got = ask(request, coding);
            ASSERT_TRUE(got);
            EXPECT_EQ(got->status, 415) << coding;
            EXPECT_EQ(got->field("X-Error-Code"), "unsupported_media_type");
        }
    }
    const auto refused = ask("POST /count", "gzip");
    ASSERT_TRUE(refused);
    EXPECT_EQ(
        refused->body,
        R"({"message":"Content-Encoding \"gzip\" is not supported","status":"error"})");
    raw_client client{port};
    const auto empty =
        client.ask("GET /hello HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n\r\n");
    ASSERT_TRUE(empty);
    EXPECT_EQ(empty->status, 200);
}

TEST_F(Served, RefusedUploadCanReadItsResponse) {
    options.linger_time_max = std::chrono::seconds{20};
    start();
    raw_client client{port};
    // The client sends everything before it reads.
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n");
    client.send(std::string(4'000'000, 'x'));
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 413);
}

TEST_F(Served, SendsALargeResponseToASlowClient) {
    start();
    raw_client client{port};
    const auto got = client.ask("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body.size(), std::size_t{8} << 20U);
    EXPECT_TRUE(client.ask(get_hello));
}

TEST_F(Served, SurvivesDamagedRequests) {
    start();
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    const std::string whole =
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    constexpr int rounds = 1000;
    for (int round = 0; round < rounds; ++round) {
        auto bytes = whole;
        const auto changes = 1 + random() % 4;
        for (std::size_t change = 0; change < changes; ++change) {
            bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
        }
        raw_client client{port};
        client.send(bytes);
        client.shutdown_send();
        while (client.read()) {
        }
    }
    raw_client client{port};
    EXPECT_TRUE(client.ask(get_hello));
}

boost::asio::awaitable<response> say_where(request_context& ctx) {
    co_return ctx.json_text(status::ok, ctx.request().is_local ? "here" : "elsewhere");
}

/// The location of a client on loopback whose request has `field`.
std::string location_of(std::uint16_t port, std::string_view field) {
    raw_client client{port};
    const auto got =
        client.ask(std::string{"GET /where HTTP/1.1\r\nHost: a\r\n"}.append(field) + "\r\n");
    return got ? got->body : "no answer";
}

TEST_F(Served, RecognizesLocalClientsWithoutForwardingFields) {
    routes.add(verb::get, "/where", &say_where);
    start();
    EXPECT_EQ(location_of(port, ""), "here");
    EXPECT_EQ(location_of(port, "X-Forwarded-For: 127.0.0.1\r\n"), "elsewhere");
    EXPECT_EQ(location_of(port, "Forwarded: for=192.0.2.1\r\n"), "elsewhere");
}

TEST_F(Served, RecognizesLocalClientsBehindAProxy) {
    routes.add(verb::get, "/where", &say_where);
    options.proxy_addresses = {*ip_network::parse("127.0.0.1")};
    options.forwarded_for = true;
    start();
    EXPECT_EQ(location_of(port, ""), "here") << "without the proxy";
    EXPECT_EQ(location_of(port, "X-Forwarded-For: 192.0.2.1\r\n"), "elsewhere");
    EXPECT_EQ(location_of(port, "X-Forwarded-For: 127.0.0.1, 192.0.2.1\r\n"), "elsewhere");
    EXPECT_EQ(location_of(port, "X-Forwarded-For: 192.0.2.1, 127.0.0.1\r\n"), "elsewhere");
    EXPECT_EQ(location_of(port, "X-Forwarded-For: unknown\r\n"), "elsewhere");
    EXPECT_EQ(location_of(port, "X-Forwarded-For: 192.0.2.1,\r\n"), "elsewhere");
}

}  // namespace
}  // namespace reelsd::http
