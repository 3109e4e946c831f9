#include "served.hpp"
#include "tls_client.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

// Goal: TLS connections behave like plain ones, and slow or broken handshakes cost no more than a
// slow header. Method: the real server, and a client of OpenSSL.
namespace reelsd::http {
namespace {

using namespace std::chrono_literals;
using testing::pem_folder;
using testing::raw_client;
using testing::tls_credentials;

constexpr const char* get_last = "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
constexpr std::size_t big_size = std::size_t{8} << 20U;

struct Tls : Served {
    Tls() {
        // Both sides write to peers that have closed; the daemon ignores SIGPIPE too.
        std::signal(SIGPIPE, SIG_IGN);
        options.tls = identity_of("first");
    }

    [[nodiscard]] std::shared_ptr<const tls_identity> identity_of(const std::string& name) const {
        const tls_credentials credentials{name};
        const auto loaded = tls_identity::load(
            {.certificate = folder.write("certificate.pem", credentials.certificate_pem()),
             .key = folder.write("key.pem", credentials.key_pem())});
        if (!loaded) throw std::runtime_error{loaded.error().to_string()};
        return *loaded;
    }

    void await_no_connections() {
        await_counts([](const server_counts& now) {
            return now.connections_accepted > 0 && now.connections_open == 0;
        });
    }

    pem_folder folder;
};

TEST_F(Tls, ServesSeveralRequestsInBothVersions) {
    start();
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        tls_client client{port, {.version_max = version}};
        ASSERT_TRUE(client.is_agreed());
        EXPECT_EQ(client.version(), version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3");
        for (int request = 0; request < 3; ++request) {
            const auto got = client.ask(get_hello);
            ASSERT_TRUE(got);
            EXPECT_EQ(got->body, "hello");
        }
        const auto last = client.ask(get_last);
        ASSERT_TRUE(last);
        EXPECT_TRUE(client.is_closed_by_server());
        EXPECT_TRUE(client.received_close_notify());
    }
}

TEST_F(Tls, AnswersPipelinedRequestsOfOneRecordInOrder) {
    start();
    tls_client client{port};
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

TEST_F(Tls, SendsALargeResponseToASlowClient) {
    start();
    tls_client client{port};
    const auto got = client.ask("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, std::string(big_size, 'x'));
    EXPECT_TRUE(client.ask(get_hello));
}

TEST_F(Tls, ClosesWithoutCloseNotifyOnAClientThatDoesNotRead) {
    options.write_stall_max = 60ms;
    start();
    tls_client client{port};
    ASSERT_TRUE(client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n"));
    await_no_connections();
    EXPECT_FALSE(client.read());
    EXPECT_FALSE(client.received_close_notify());
}

TEST_F(Tls, ReadsABodyOfManyRecords) {
    start();
    tls_client client{port};
    const std::string body(60'000, 'b');
    ASSERT_TRUE(client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"));
    constexpr std::size_t piece = 700;
    for (std::size_t at = 0; at < body.size(); at += piece) {
        ASSERT_TRUE(client.send(std::string_view{body}.substr(at, piece)));
    }
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, body);
}

TEST_F(Tls, AnswersAHalfClosedClient) {
    start();
    tls_client client{port};
    ASSERT_TRUE(client.send(get_hello));
    client.say_goodbye();
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "hello");
    EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Tls, StopsTheHandlerWhenItsClientLeaves) {
    start();
    tls_client client{port};
    ASSERT_TRUE(client.send(get_wait));
    await_counts([](const server_counts& now) { return now.requests_running == 1; });
    client.close();
    await_no_connections();
}

TEST_F(Tls, ClosesAnIdleConnectionWithCloseNotify) {
    options.idle_time_max = 60ms;
    start();
    tls_client client{port};
    ASSERT_TRUE(client.ask(get_hello));
    EXPECT_TRUE(client.is_closed_by_server());
    EXPECT_TRUE(client.received_close_notify());
}

TEST_F(Tls, CutsASlowHandshake) {
    options.header_time_max = 60ms;
    start();
    raw_client silent{port};
    EXPECT_TRUE(silent.is_closed_by_server());

    raw_client dripping{port};
    // The header of a handshake record of 512 bytes.
    dripping.send(std::string_view{"\x16\x03\x01\x02\x00\x01", 6});
    constexpr int pause_milliseconds = 3;
    while (!dripping.is_readable_within(pause_milliseconds) && dripping.send("\x01")) {
    }
    EXPECT_TRUE(dripping.is_closed_by_server());
    await_no_connections();
}

TEST_F(Tls, HandshakeAndHeaderShareOneDeadline) {
    options.header_time_max = 2s;
    start();
    tls_client client{port};
    ASSERT_TRUE(client.is_agreed());
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 408);
}

TEST_F(Tls, SurvivesAClientThatLeavesDuringTheHandshake) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send(std::string_view{"\x16\x03\x01\x02\x00\x01\x00", 7}));
    await_counts([](const server_counts& now) { return now.connections_open == 1; });
    client.close();
    await_no_connections();
}

TEST_F(Tls, SurvivesBytesThatAreNotAHandshake) {
    start();
    for (const std::string_view bytes :
         {std::string_view{"\x16\x03\x01\x00\x02\xff\xff", 7},
          std::string_view{"\x00\x00\x00", 3},
          std::string_view{"\x80\x2e\x01\x00\x02\x00", 6}}) {
        raw_client client{port};
        ASSERT_TRUE(client.send(bytes));
        client.shutdown_send();
        client.read_until("an end that does not come");
    }
    await_no_connections();
    tls_client client{port};
    EXPECT_TRUE(client.ask(get_hello)) << "the next connection is not affected";
}

TEST_F(Tls, AnswersPlainHttp) {
    start();
    for (const std::string_view request :
         {"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
          "DELETE /thing HTTP/1.1\r\nHost: a\r\n\r\n",
          "\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
          "P"}) {
        SCOPED_TRACE(request);
        raw_client client{port};
        const auto got = client.ask(request);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->status, 400);
        EXPECT_EQ(
            got->body,
            R"({"message":"a plain HTTP request was sent to an HTTPS port","status":"error"})");
        EXPECT_EQ(got->field("Connection"), "close");
        client.shutdown_send();
        EXPECT_TRUE(client.is_closed_by_server());
    }
    EXPECT_TRUE(exchanges().empty());
}

TEST_F(Tls, RefusesOldVersions) {
    start();
    for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
        const tls_client client{port, {.version_max = version}};
        EXPECT_FALSE(client.is_agreed());
    }
}

TEST_F(Tls, NegotiatesTheProtocol) {
    struct test_case {
        std::string offered;
        bool agreed;
        std::string chosen;
    };
    const test_case cases[] = {
        {"", true, ""},
        {"\x08http/1.1", true, "http/1.1"},
        {"\x02h2\x08http/1.1", true, "http/1.1"},
        {"\x08http/1.0", true, "http/1.0"},
        {"\x02h2", false, ""},
    };
    start();
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.offered);
        const tls_client client{port, {.protocols = expected.offered}};
        EXPECT_EQ(client.is_agreed(), expected.agreed);
        EXPECT_EQ(client.protocol(), expected.chosen);
    }
}

TEST_F(Tls, UsesARenewedIdentityForNewConnections) {
    start();
    tls_client old{port};
    EXPECT_EQ(old.server_name(), "first");
    on_loop([this] {
        served->renew_tls(identity_of("second"));
        return true;
    });
    const tls_client fresh{port};
    EXPECT_EQ(fresh.server_name(), "second");
    const auto got = old.ask(get_hello);
    ASSERT_TRUE(got) << "the earlier connection is still served";
    EXPECT_EQ(got->body, "hello");
}

TEST_F(Tls, RejectsTooManyConnectionsOverTls) {
    options.connections_max = 1;
    start();
    tls_client first{port};
    ASSERT_TRUE(first.ask(get_hello));
    tls_client second{port};
    const auto refused = second.read();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
}

TEST_F(Tls, StopAnswersLongPollsAndClosesTheRest) {
    start();
    tls_client idle{port};
    ASSERT_TRUE(idle.ask(get_hello));
    raw_client silent{port};
    tls_client waiting{port};
    ASSERT_TRUE(waiting.send(get_wait));
    await_counts([](const server_counts& now) {
        return now.requests_running == 1 && now.connections_open == 3;
    });

    stop(deadline::after(20s));

    EXPECT_TRUE(idle.is_closed_by_server());
    EXPECT_TRUE(idle.received_close_notify());
    EXPECT_TRUE(silent.is_closed_by_server());
    const auto got = waiting.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "stopped");
    EXPECT_EQ(served->counts().connections_open, 0U);
}

TEST_F(Tls, StopAnswersRequestsThatHaveArrivedUnread) {
    start();
    tls_client kept{port};
    ASSERT_TRUE(kept.ask(get_hello));
    // The loop is blocked, so that bytes wait in the kernel when the stop begins.
    std::promise<void> hold;
    boost::asio::post(loop, [held = hold.get_future().share()] { held.wait(); });
    auto stopped =
        boost::asio::co_spawn(loop, served->stop(deadline::after(20s)), boost::asio::use_future);
    ASSERT_TRUE(kept.send(get_hello));
    hold.set_value();
    stopped.get();
    thread.join();
    const auto got = kept.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 200);
    EXPECT_EQ(got->field("Connection"), "close");
}

TEST_F(Tls, StreamArrivesPieceByPieceAndACutIsVisible) {
    start();
    tls_client client{port};
    ASSERT_TRUE(client.send("GET /stream?cut=1 HTTP/1.1\r\nHost: a\r\n\r\n"));
    EXPECT_NE(client.read_until("first;\r\n"), "");
    on_loop([this] {
        released.notify_all();
        return true;
    });
    EXPECT_EQ(client.read_until("0\r\n\r\n"), "");
    EXPECT_FALSE(client.received_close_notify());
}

}  // namespace
}  // namespace reelsd::http
