#include "served.hpp"

#include <gtest/gtest.h>

#include <chrono>

// Goal: a streamed body arrives piece by piece, ends as HTTP requires, and never outlives its
// client or the daemon. Method: raw bytes over loopback.
namespace reelsd::http {
namespace {

using testing::raw_client;

constexpr const char* get_stream = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n";

struct Stream : Served {
    void release() {
        on_loop([this] {
            released.notify_all();
            return true;
        });
    }
    void await_running(std::size_t requests) {
        await_counts([=](const server_counts& now) { return now.requests_running == requests; });
    }
};

TEST_F(Stream, ArrivesPieceByPieceAndKeepsTheConnection) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send(get_stream));
    const auto head = client.read(false);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
    EXPECT_EQ(head->field("Transfer-Encoding"), "chunked");
    EXPECT_EQ(head->field("Content-Length"), std::nullopt);
    EXPECT_EQ(client.read_until("first;\r\n"), "6\r\nfirst;\r\n");
    release();
    EXPECT_EQ(client.read_until("0\r\n\r\n"), "7\r\nsecond;\r\n0\r\n\r\n");
    const auto next = client.ask(get_hello);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->body, "hello");
    EXPECT_EQ(exchanges().front() + ", " + exchanges().at(1), "stream sent, GET /stream 200 13");
}

TEST_F(Stream, ToHttp10EndsWithTheConnection) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    const auto head = client.read(false);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->field("Transfer-Encoding"), std::nullopt);
    EXPECT_EQ(head->field("Connection"), "close");
    EXPECT_EQ(client.read_until("first;"), "first;");
    release();
    EXPECT_EQ(client.read_until("there is no more"), "second;");
}

TEST_F(Stream, HasNoBodyForHead) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n"));
    ASSERT_TRUE(client.read(false));
    const auto next = client.ask(get_hello);
    ASSERT_TRUE(next) << "no body arrived before it";
    EXPECT_EQ(next->body, "hello");
}

TEST_F(Stream, StopsWhenItsClientLeaves) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send(get_stream));
    client.read_until("first;\r\n");
    await_running(1);
    client.close();
    await_running(0);
}

TEST_F(Stream, EndsProperlyWhenTheDaemonStops) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send(get_stream));
    client.read_until("first;\r\n");
    await_running(1);
    stop(deadline::after(std::chrono::seconds{5}));
    EXPECT_EQ(client.read_until("0\r\n\r\n"), "8\r\nstopped;\r\n0\r\n\r\n");
    EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Stream, IsCutByAnException) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send("GET /stream?cut=1 HTTP/1.1\r\nHost: a\r\n\r\n"));
    client.read_until("first;\r\n");
    release();
    EXPECT_EQ(client.read_until("0\r\n\r\n"), "") << "closed without a last chunk";
}

}  // namespace
}  // namespace reelsd::http
