#include "served.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Goal: slow, idle, vanished and too many clients are handled as documented, and a stop loses no
// request. Method: the times are options, set to milliseconds; tests assert outcomes, not times.
namespace reelsd::http {
namespace {

using namespace std::chrono_literals;
using testing::raw_client;

/// Sends a byte every few milliseconds until the server answers: any single wait is short.
void drip(raw_client& client) {
    constexpr int pause_milliseconds = 3;
    while (!client.is_readable_within(pause_milliseconds) && client.send("x")) {
    }
}

TEST_F(Served, CutsASlowHeader) {
    options.header_time_max = 60ms;
    start();
    raw_client client{port};
    client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX: ");
    drip(client);
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 408);
    EXPECT_EQ(got->field("Connection"), "close");
    EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Served, CutsASlowBody) {
    options.body_time_max = 60ms;
    start();
    raw_client client{port};
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n");
    drip(client);
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 408);
    EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Served, StreamedBodyHasNoSizeLimitAndKeepsTheConnection) {
    start();
    raw_client client{port};
    client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n");
    client.send(std::string(300'000, 'x') + get_hello);
    const auto counted = client.read();
    ASSERT_TRUE(counted);
    EXPECT_EQ(counted->body, "300000");
    const auto next = client.read();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->status, 200);
}

TEST_F(Served, StreamedBodyThatIsNotReadClosesTheConnection) {
    start();
    raw_client client{port};
    client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n-");
    const auto refused = client.read();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 409);
    EXPECT_EQ(refused->field("Connection"), "close");
}

TEST_F(Served, CutsAStalledStreamedBody) {
    options.stream_stall_max = 60ms;
    start();
    raw_client client{port};
    client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\nx");
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 408);
    EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Served, CutsASlowStreamedBody) {
    options.stream_time_max = 60ms;
    start();
    raw_client client{port};
    client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n");
    drip(client);
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 408);
    EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Served, AnswersASilentNewConnectionAndClosesAnIdleOne) {
    options.header_time_max = 60ms;
    options.idle_time_max = 60ms;
    start();
    raw_client late_client{port};
    const auto answer = late_client.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 408);

    raw_client idle{port};
    ASSERT_TRUE(idle.ask(get_hello));
    EXPECT_TRUE(idle.is_closed_by_server());
}

TEST_F(Served, GivesEachRequestItsOwnTime) {
    options.header_time_max = 1s;
    start();
    raw_client client{port};
    ASSERT_TRUE(client.ask(get_hello));
    client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX: ");
    drip(client);
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 408);
}

TEST_F(Served, ClosesTheConnectionOfARefusedClientThatStays) {
    start();
    raw_client client{port};
    const auto got = client.ask("nonsense\r\n\r\n");
    ASSERT_TRUE(got);
    await_counts([](const server_counts& now) { return now.connections_open == 0; });
}

TEST_F(Served, ClosesTheConnectionOfAClientThatDoesNotRead) {
    options.write_stall_max = 60ms;
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n"));
    await_counts([](const server_counts& now) {
        return now.connections_accepted == 1 && now.connections_open == 0;
    });
}

/// Reads 16 KiB at a time with a pause before each, through a small receive buffer.
class slow_reader : public raw_client {
public:
    explicit slow_reader(std::uint16_t port) {
        constexpr int bytes = 65536;
        ::setsockopt(socket(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
        connect(port);
    }

private:
    ssize_t receive_some(std::span<char> target) override {
        constexpr int pause_milliseconds = 10;
        ::poll(nullptr, 0, pause_milliseconds);
        return raw_client::receive_some(target);
    }
};

// The kernel's send buffer grows to half of the response and accepts no more before a third of it
// is free: the server's writes are further apart than write_stall_max, although the client reads.
TEST_F(Served, ServesAClientThatReadsSlowlyButSteadily) {
    options.write_stall_max = 400ms;
    start();
    // The server cannot tell a stall of a busy machine from one of the client.
    std::size_t size = 0;
    for (int attempt = 0; attempt < 5 && size < std::size_t{8} << 20U; ++attempt) {
        slow_reader client{port};
        const auto got = client.ask("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
        if (got && got->status == 200) size = got->body.size();
    }
    EXPECT_EQ(size, std::size_t{8} << 20U);
}

TEST_F(Served, LimitsTheTimeOfAWholeResponse) {
    options.write_time_max = 60ms;
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n"));
    await_counts([](const server_counts& now) {
        return now.connections_accepted == 1 && now.connections_open == 0;
    });
}

TEST_F(Served, StopsTheHandlerWhenItsClientLeaves) {
    start();
    raw_client client{port};
    ASSERT_TRUE(client.send(get_wait));
    await_counts([](const server_counts& now) { return now.requests_running == 1; });
    client.close();
    await_counts([](const server_counts& now) {
        return now.requests_running == 0 && now.connections_open == 0;
    });
    EXPECT_EQ(exchanges(), (std::vector<std::string>{"GET /wait 200 7"}));
}

TEST_F(Served, AnswersManyLongPollsAtTheSameTime) {
    start();
    constexpr std::size_t count = 100;
    std::vector<raw_client> clients;
    for (std::size_t client = 0; client < count; ++client) {
        clients.emplace_back(port);
        ASSERT_TRUE(clients.back().send(get_wait));
    }
    await_counts([](const server_counts& now) { return now.requests_running == count; });
    on_loop([this] {
        released.notify_all();
        return 0;
    });
    for (auto& client : clients) {
        const auto got = client.read();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->body, "released");
    }
}

TEST_F(Served, RejectsTooManyConnections) {
    options.connections_max = 2;
    start();
    raw_client first{port};
    raw_client second{port};
    ASSERT_TRUE(first.ask(get_hello));
    ASSERT_TRUE(second.ask(get_hello));
    raw_client third{port};
    const auto refused = third.ask(get_hello);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    EXPECT_EQ(refused->field("Retry-After"), "5");
    EXPECT_EQ(refused->field("Connection"), "close");
    EXPECT_EQ(counts().connections_refused, 1U);
    EXPECT_TRUE(first.ask(get_hello)) << "the first connection is still served";

    second.close();
    third.close();
    await_counts([](const server_counts& now) { return now.connections_open == 1; });
    raw_client fourth{port};
    const auto served_again = fourth.ask(get_hello);
    ASSERT_TRUE(served_again);
    EXPECT_EQ(served_again->status, 200);
}

TEST_F(Served, SurvivesALackOfDescriptors) {
    start();
    raw_client client;
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    auto none = limit;
    none.rlim_cur = 0;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    client.connect(port);
    client.send(get_hello);
    await_counts([](const server_counts& now) { return now.accept_failures > 0; });
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "hello");
}

TEST_F(Served, StopAnswersLongPollsAndClosesIdleConnections) {
    start();
    raw_client idle{port};
    ASSERT_TRUE(idle.ask(get_hello));
    raw_client fresh{port};
    raw_client waiting{port};
    ASSERT_TRUE(waiting.send(get_wait));
    await_counts([](const server_counts& now) {
        return now.requests_running == 1 && now.connections_open == 3;
    });

    stop(deadline::after(20s));

    EXPECT_TRUE(idle.is_closed_by_server());
    EXPECT_TRUE(fresh.is_closed_by_server());
    const auto got = waiting.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->body, "stopped");
    EXPECT_EQ(got->field("Connection"), "close");
    EXPECT_THROW(raw_client{port}, std::runtime_error);
    EXPECT_EQ(served->counts().connections_open, 0U);
}

TEST_F(Served, StopAnswersRequestsThatHaveArrivedUnread) {
    start();
    raw_client kept{port};
    ASSERT_TRUE(kept.ask(get_hello));
    // The loop is blocked, so that bytes and connections wait in the kernel when the stop begins.
    std::promise<void> hold;
    boost::asio::post(loop, [held = hold.get_future().share()] { held.wait(); });
    auto stopped =
        boost::asio::co_spawn(loop, served->stop(deadline::after(20s)), boost::asio::use_future);
    raw_client queued{port};
    ASSERT_TRUE(queued.send(get_hello));
    ASSERT_TRUE(kept.send(get_hello));
    hold.set_value();
    stopped.get();
    thread.join();
    for (auto* const client : {&kept, &queued}) {
        const auto got = client->read();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->status, 200);
        EXPECT_EQ(got->field("Connection"), "close");
    }
}

// The process or its machine may be suspended while a request arrives.
TEST_F(Served, AnswersRequestsThatArriveDuringASuspension) {
    options.header_time_max = 2s;
    start();
    raw_client client{port};
    await_counts([](const server_counts& now) { return now.connections_open == 1; });
    // The loop is blocked until the header's deadline has passed.
    std::promise<void> unset;
    const auto late_at = std::chrono::steady_clock::now() + options.header_time_max;
    boost::asio::post(
        loop, [looks = unset.get_future().share(), late_at] { looks.wait_until(late_at); });
    ASSERT_TRUE(
        client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX: " + std::string(8000, 'x') + "\r\n\r\n"));
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 200);
}

TEST_F(Served, StopAnswersAnIncompleteRequest) {
    start();
    raw_client client{port};
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf");
    raw_client other{port};
    ASSERT_TRUE(other.ask(get_hello)) << "the first half has been read";
    stop(deadline::after(20s));
    const auto got = client.read();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 503);
    EXPECT_EQ(got->field("Retry-After"), "5");
}

TEST_F(Served, StopCutsAHandlerThatDoesNotReact) {
    start();
    raw_client client{port};
    client.send("GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n");
    await_counts([](const server_counts& now) { return now.requests_running == 1; });
    stop(deadline::after(50ms));
    EXPECT_EQ(served->counts().connections_open, 0U);
    EXPECT_EQ(never.waiters(), 0U);
}

TEST_F(Served, NamesAPortInUse) {
    start();
    server_options same_port;
    same_port.address = {.host = "127.0.0.1", .port = port};
    server second{loop.get_executor(), routes, log::logger::silent(), same_port};
    const auto bound = second.start();
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().code(), errc::conflict) << "the daemon may be started again";
    EXPECT_EQ(
        bound.error().detail(),
        "cannot listen on 127.0.0.1:" + std::to_string(port) + ": Address already in use");
}

TEST_F(Served, ListenerCanOutliveItsServer) {
    start();
    server second{loop.get_executor(), routes, log::logger::silent(), options};
    const auto bound = on_loop([&] {
        unique_fd same{::dup(served->listener())};
        return second.start(std::move(same));
    });
    ASSERT_TRUE(bound);
    EXPECT_EQ(*bound, port);
    boost::asio::co_spawn(loop, served->stop(deadline::after(20s)), boost::asio::use_future).get();
    EXPECT_EQ(on_loop([&] { return served->listener(); }), -1);
    for (int connection = 0; connection < 3; ++connection) {
        raw_client client{port};
        const auto got = client.ask(get_hello);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->body, "hello");
    }
    boost::asio::co_spawn(loop, second.stop(deadline::after(20s)), boost::asio::use_future).get();
    thread.join();
    EXPECT_THROW(raw_client{port}, std::runtime_error);
}

TEST_F(Served, RefusesADescriptorThatIsNotAListener) {
    server refused{loop.get_executor(), routes, log::logger::silent(), options};
    EXPECT_FALSE(refused.start(unique_fd{::dup(STDIN_FILENO)}));
    EXPECT_EQ(refused.listener(), -1);
}

TEST_F(Served, StopServesOneMoreRequestOfIdleConnections) {
    options.drain_time_max = 20s;
    start();
    raw_client idle{port};
    ASSERT_TRUE(idle.ask(get_hello));
    raw_client fresh{port};
    await_counts([](const server_counts& now) { return now.connections_open == 2; });
    auto stopped =
        boost::asio::co_spawn(loop, served->stop(deadline::after(20s)), boost::asio::use_future);
    on_loop([] { return 0; });  // The stop has begun.
    for (auto* const client : {&idle, &fresh}) {
        const auto got = client->ask(get_hello);
        ASSERT_TRUE(got);
        EXPECT_EQ(got->body, "hello");
        EXPECT_EQ(got->field("Connection"), "close");
        EXPECT_TRUE(client->is_closed_by_server());
        client->close();
    }
    stopped.get();
    thread.join();
}

TEST(ListenAddress, IsParsed) {
    struct test_case {
        const char* text;
        const char* host;
        std::uint16_t port;
    };
    const test_case cases[] = {
        {"127.0.0.1:8080", "127.0.0.1", 8080},
        {"[::1]:0", "::1", 0},
        {"[::]:65535", "::", 65535},
        {":80", "0.0.0.0", 80},
        {"localhost:1", "127.0.0.1", 1},
    };
    for (const auto& expected : cases) {
        const auto read = parse_listen_address(expected.text);
        ASSERT_TRUE(read) << expected.text;
        EXPECT_EQ(read->host, expected.host);
        EXPECT_EQ(read->port, expected.port);
    }
    const char* const malformed[] = {
        "",
        "8080",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1:80x",
        "127.0.0.1: 80",
        "::1:80",
        "[::1]",
        "[127.0.0.1]:80",
        "example.com:80",
        "1.2.3:80"};
    for (const char* const text : malformed) {
        const auto read = parse_listen_address(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code(), errc::invalid_argument);
    }
}

}  // namespace
}  // namespace reelsd::http
