// Goal: every misbehaviour of a server ends in the right error, in time, and nothing is sent to
// addresses that the guard refuses. Method: a scripted server on loopback; waits end by events.
#include "support/scripted_server.hpp"
#include <reelsd/net/http_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace reelsd::net {
namespace {

using namespace std::chrono_literals;
using test::scripted_server;
using ::testing::HasSubstr;
using ::testing::Not;

/// Longer than any passing test takes on a busy machine.
constexpr auto patience = 60s;

const http_client& trusting_client() {
    static const http_client client{{.policy = {.allow_private = true}}};
    return client;
}

result<http_response> get(const std::string& url, http_request request = {}) {
    request.url = url;
    return trusting_client().send(request, deadline::after(patience), {});
}

scripted_server answering(std::string answer) {
    return scripted_server{[answer](scripted_server::connection& peer) {
        while (!peer.read_request().empty()) peer.write(answer);
    }};
}

TEST(HttpClient, ReturnsStatusHeadersAndBody) {
    const auto server = answering(
        "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
        "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nX-One:  a b \r\nx-empty:\r\n\r\nhello");
    const auto answer = get(server.origin() + "/x?y=1");
    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_EQ(answer->status(), 404);
    EXPECT_EQ(answer->body, "hello");
    EXPECT_EQ(answer->head.headers.find("x-ONE"), "a b");
    EXPECT_EQ(answer->head.headers.find("X-Empty"), "");
    EXPECT_EQ(answer->head.headers.find("X-Early"), std::nullopt);
    EXPECT_EQ(answer->url, server.origin() + "/x?y=1");
}

TEST(HttpClient, SendsTheRequest) {
    const scripted_server server{[](scripted_server::connection& peer) {
        const auto request = peer.read_request();
        peer.write(
            "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(request.size()) + "\r\n\r\n" +
            request);
    }};
    const auto answer =
        get(server.origin() + "/a/../b?q=%2f|",
            {.method = http_method::post,
             .headers = {{"X-Token", "t"}, {"Accept", "text/html"}, {"Content-Type", "text/plain"}},
             .body = std::string{"a\0b", 3},
             .compressed = false});
    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_THAT(answer->body, HasSubstr("POST /a/../b?q=%2f| HTTP/1.1\r\n"));
    EXPECT_THAT(answer->body, HasSubstr("X-Token: t\r\n"));
    EXPECT_THAT(answer->body, HasSubstr("Accept: text/html\r\n"));
    EXPECT_THAT(answer->body, HasSubstr("Content-Type: text/plain\r\n"));
    EXPECT_THAT(answer->body, HasSubstr(std::string{"\r\n\r\na\0b", 7}));
    EXPECT_THAT(answer->body, Not(HasSubstr("Expect")));
    EXPECT_THAT(answer->body, Not(HasSubstr("Accept-Encoding")));
    EXPECT_THAT(answer->body, Not(HasSubstr("Cookie")));
}

TEST(HttpClient, UsesEachMethod) {
    struct test_case {
        http_method method;
        const char* name;
    };
    constexpr test_case cases[] = {
        {http_method::get, "GET"},
        {http_method::head, "HEAD"},
        {http_method::post, "POST"},
        {http_method::put, "PUT"},
        {http_method::patch, "PATCH"},
        {http_method::del, "DELETE"},
    };
    const scripted_server server{[](scripted_server::connection& peer) {
        for (auto request = peer.read_request(); !request.empty(); request = peer.read_request())
            peer.write(
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Method: " +
                request.substr(0, request.find(' ')) + "\r\n\r\n");
    }};
    for (const auto& expected : cases) {
        const auto answer = get(server.origin(), {.method = expected.method});
        ASSERT_TRUE(answer) << expected.name << answer.error().to_string();
        EXPECT_EQ(answer->head.headers.find("X-Method"), expected.name);
    }
}

TEST(HttpClient, RefusesHeaderInjection) {
    for (const header& field : {header{"X", "a\r\nY: b"}, header{"X\n", "a"}, header{"", "a"}}) {
        const auto answer = get("http://127.0.0.1:1/", {.headers = {field}});
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code(), errc::invalid_argument);
    }
}

// Neither the server nor the proxy is at fault.
TEST(HttpClient, ReportsAnAbsentOutgoingAddress) {
    const auto server = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    const auto from = [&](const char* outgoing_address, std::optional<proxy> by_proxy = {}) {
        const http_client client{
            {.policy = {.allow_private = true},
             .by_proxy = std::move(by_proxy),
             .outgoing_address = outgoing_address}};
        return client.send({.url = server.origin()}, deadline::after(patience), {});
    };
    EXPECT_TRUE(from("127.0.0.9"));
    EXPECT_TRUE(from("lo"));
    for (const char* absent : {"no-such-device", "203.0.113.9", "2001:db8::1"}) {
        for (const bool has_proxy : {false, true}) {
            const auto by_proxy =
                has_proxy ? proxy::parse("socks5h://127.0.0.1:1").value() : std::optional<proxy>{};
            const auto answer = from(absent, by_proxy);
            ASSERT_FALSE(answer) << absent;
            EXPECT_EQ(answer.error().code(), errc::internal) << answer.error().to_string();
            EXPECT_THAT(answer.error().detail(), HasSubstr(absent));
        }
    }
}

TEST(HttpClient, EndsAtTheBodyLimit) {
    const auto server =
        answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    EXPECT_TRUE(get(server.origin(), {.response_bytes_max = 5}));
    const auto answer =
        get(server.origin(), {.response_bytes_max = 4, .oversize_code = errc::platform_changed});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), errc::platform_changed);
}

TEST(HttpClient, ReportsBrokenResponsesAsFailedConnections) {
    const std::string many_fields = [] {
        std::string text = "HTTP/1.1 200 OK\r\n";
        for (int i = 0; i < 40; ++i) text += "X: " + std::string(2000, 'a') + "\r\n";
        return text + "\r\n";
    }();
    const std::string cases[] = {
        "",
        "garbage\r\n\r\n",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
        many_fields,
    };
    for (const auto& text : cases) {
        SCOPED_TRACE(text.substr(0, 60));
        const scripted_server server{[&text](scripted_server::connection& peer) {
            static_cast<void>(peer.read_request());
            peer.write(text);
        }};
        const auto answer = get(server.origin());
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code(), errc::connection_failed) << answer.error().to_string();
    }
}

TEST(HttpClient, ReportsAClosedPortAsAFailedConnection) {
    const std::string origin = [] { return answering("").origin(); }();
    const auto answer = get(origin);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), errc::connection_failed);
}

TEST(HttpClient, StopsImmediatelyOnRequest) {
    std::promise<void> arrived;
    const scripted_server server{[&](scripted_server::connection& peer) {
        static_cast<void>(peer.read_request());
        arrived.set_value();
        peer.wait_for_close();
    }};
    std::stop_source stop;
    auto pending = std::async(std::launch::async, [&] {
        return trusting_client().send(
            {.url = server.origin()}, deadline::after(patience), stop.get_token());
    });
    arrived.get_future().wait();
    stop.request_stop();
    const auto answer = pending.get();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), errc::cancelled);

    const auto later = trusting_client().send(
        {.url = server.origin()}, deadline::after(patience), stop.get_token());
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().code(), errc::cancelled);
}

TEST(HttpClient, EndsAtTheDeadline) {
    const scripted_server server{[](scripted_server::connection& peer) { peer.wait_for_close(); }};
    const auto answer = trusting_client().send({.url = server.origin()}, deadline::after(50ms), {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), errc::timed_out);
}

TEST(HttpClient, AbortsAStalledTransfer) {
    const scripted_server server{[](scripted_server::connection& peer) {
        static_cast<void>(peer.read_request());
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        peer.wait_for_close();
    }};
    const auto answer =
        get(server.origin(), {.slowest = speed_floor{.bytes_per_second = 1024, .during = 1s}});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), errc::connection_failed);
}

TEST(HttpClient, PassesTheBodyToTheSink) {
    const auto server = answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    std::string seen;
    int heads = 0;
    http_request request{.url = server.origin()};
    request.on_head = [&](const response_head& head) -> result<void> {
        ++heads;
        EXPECT_EQ(head.status, 200);
        EXPECT_EQ(seen, "");
        return {};
    };
    request.sink = [&](std::span<const std::byte> piece) -> result<void> {
        seen.append(reinterpret_cast<const char*>(piece.data()), piece.size());
        return {};
    };
    const auto answer = trusting_client().send(request, deadline::after(patience), {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(heads, 1);
    EXPECT_EQ(seen, "hello");
    EXPECT_EQ(answer->body, "");
}

TEST(HttpClient, ReturnsErrorsOfItsCallbacks) {
    const auto server = answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    http_request refuses{.url = server.origin()};
    refuses.on_head = [](const response_head&) -> result<void> {
        return error{errc::video_too_large};
    };
    const auto by_head = trusting_client().send(refuses, deadline::after(patience), {});
    ASSERT_FALSE(by_head);
    EXPECT_EQ(by_head.error().code(), errc::video_too_large);

    http_request full{.url = server.origin()};
    full.sink = [](std::span<const std::byte>) -> result<void> {
        return error{errc::storage_failed};
    };
    const auto by_sink = trusting_client().send(full, deadline::after(patience), {});
    ASSERT_FALSE(by_sink);
    EXPECT_EQ(by_sink.error().code(), errc::storage_failed);

    http_request throws{.url = server.origin()};
    throws.sink = [](std::span<const std::byte>) -> result<void> {
        throw std::runtime_error{"from the sink"};
    };
    EXPECT_THROW(
        static_cast<void>(trusting_client().send(throws, deadline::after(patience), {})),
        std::runtime_error);
}

TEST(HttpClient, FollowsRedirectsItself) {
    const scripted_server other{[](scripted_server::connection& peer) {
        const auto request = peer.read_request();
        peer.write(
            "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(request.size()) + "\r\n\r\n" +
            request);
    }};
    const scripted_server server{[&](scripted_server::connection& peer) {
        for (auto request = peer.read_request(); !request.empty(); request = peer.read_request()) {
            const std::string to =
                request.starts_with("GET /first") ? "/second?x=%2f" : other.origin() + "/third";
            peer.write(
                "HTTP/1.1 302 Found\r\nContent-Length: 4\r\nLocation: " + to + "\r\n\r\nbody");
        }
    }};
    const http_request request{
        .headers = {{"Authorization", "Bearer secret"}, {"Referer", "https://r.test/"}},
        .redirects_max = 2};

    const auto answer = get(server.origin() + "/first", request);
    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_EQ(answer->url, other.origin() + "/third");
    EXPECT_THAT(answer->body, HasSubstr("GET /third "));
    EXPECT_THAT(answer->body, HasSubstr("Referer: https://r.test/"));
    EXPECT_THAT(answer->body, Not(HasSubstr("secret")));

    const auto unfollowed = get(server.origin() + "/first");
    ASSERT_TRUE(unfollowed);
    EXPECT_EQ(unfollowed->status(), 302);
    EXPECT_EQ(unfollowed->head.headers.find("location"), "/second?x=%2f");
    EXPECT_EQ(unfollowed->body, "body");

    const auto too_many = get(server.origin() + "/first", {.redirects_max = 1});
    ASSERT_FALSE(too_many);
    EXPECT_EQ(too_many.error().code(), errc::connection_failed);
}

TEST(HttpClient, ChecksEveryHop) {
    std::atomic<int> inner_requests{0};
    const scripted_server inner{[&](scripted_server::connection&) { ++inner_requests; }};
    const auto outer = answering(
        "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + inner.origin() + "/\r\n\r\n");
    const auto scheme = answering(
        "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: file:///etc/passwd\r\n\r\n");
    const http_client client{{.policy = {.trusted_origins = {outer.origin(), scheme.origin()}}}};

    const auto answer =
        client.send({.url = outer.origin(), .redirects_max = 3}, deadline::after(patience), {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), errc::address_refused);
    EXPECT_EQ(inner_requests, 0);

    const auto file =
        client.send({.url = scheme.origin(), .redirects_max = 3}, deadline::after(patience), {});
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code(), errc::connection_failed);
}

// "localhost" is not listed, but a listed name may resolve to loopback: the last check is at the
// socket.
TEST(HttpClient, RefusesTheAddressOfAName) {
    std::atomic<int> connections{0};
    const scripted_server server{[&](scripted_server::connection&) { ++connections; }};
    const http_client client{{.policy = {.host_suffixes = {"localhost"}}}};
    const auto answer = client.send({.url = "https://localhost/"}, deadline::after(patience), {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), errc::address_refused) << answer.error().to_string();
    EXPECT_EQ(connections, 0);
}

TEST(HttpClient, ServesManyThreads) {
    const auto server = answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 10; ++round) {
                const auto answer = get(server.origin());
                if (answer && answer->body == "hello") ++good;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(good, 80);
}

// The excess of a body that is longer than announced arrives before the next response.
TEST(HttpClient, DoesNotReadStaleBytesAsTheNextResponse) {
    std::atomic<int> connections{0};
    const scripted_server server{[&connections](scripted_server::connection& peer) {
        const bool is_first = ++connections == 1;
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        if (peer.read_request().empty()) return;
        peer.write(is_first ? "the rest of the body" : "HTTP/1.1 204 No Content\r\n\r\n");
        peer.wait_for_close();
    }};
    const http_client client{{.policy = {.allow_private = true}}};
    const auto get = [&] {
        return client.send({.url = server.origin() + "/"}, deadline::after(60s), {});
    };
    for (int i = 0; i < 2; ++i) {
        const auto answer = get();
        ASSERT_TRUE(answer) << answer.error().to_string();
        EXPECT_EQ(answer->body, "ok");
    }
    EXPECT_EQ(connections, 2);
    // A request that may have had an effect is not repeated.
    connections = 0;
    const http_client other{{.policy = {.allow_private = true}}};
    const http_request order{
        .method = http_method::post, .url = server.origin() + "/", .body = "one, please"};
    ASSERT_TRUE(other.send(order, deadline::after(60s), {}));
    const auto again = other.send(order, deadline::after(60s), {});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code(), errc::connection_failed);
    EXPECT_EQ(connections, 1);
}

TEST(HttpClient, ReusesConnectionsExceptForFreshOnes) {
    std::atomic<int> connections{0};
    std::promise<void> hung_up;
    const scripted_server server{[&](scripted_server::connection& peer) {
        const auto number = ++connections;
        while (!peer.read_request().empty())
            peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        if (number == 2) hung_up.set_value();
    }};
    const http_client client{{.policy = {.allow_private = true}}};
    http_request request{.url = server.origin() + "/"};
    const auto send = [&] { return client.send(request, deadline::after(patience), {}); };
    ASSERT_TRUE(send());
    ASSERT_TRUE(send());
    EXPECT_EQ(connections, 1);
    request.fresh_connection = true;
    ASSERT_TRUE(send());
    EXPECT_EQ(connections, 2);
    // Before the client is destroyed, which closes its connections.
    EXPECT_EQ(hung_up.get_future().wait_for(patience), std::future_status::ready);
    request.fresh_connection = false;
    ASSERT_TRUE(send());
    EXPECT_EQ(connections, 2) << "the first one is still open";
}

}  // namespace
}  // namespace reelsd::net
