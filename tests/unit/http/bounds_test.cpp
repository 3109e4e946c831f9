#include "served.hpp"
#include "session.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

// Goal: limits of connections per client, and of memory for all connections. Method: the counters
// alone, and the real server on loopback.
namespace reelsd::http {
namespace {

using testing::raw_client;

boost::asio::ip::address from(const char* text) {
    return boost::asio::ip::make_address(text);
}

TEST(ConnectionLimiter, CountsPerClient) {
    struct test_case {
        const char* name;
        const char* first;
        const char* second;
        bool is_same_client;
    };
    constexpr test_case cases[] = {
        {"one address", "192.0.2.1", "192.0.2.1", true},
        {"two addresses", "192.0.2.1", "192.0.2.2", false},
        {"IPv4 over a dual-stack listener", "192.0.2.1", "::ffff:192.0.2.1", true},
        {"one customer of IPv6", "2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true},
        {"two customers of IPv6", "2001:db8:0:1::1", "2001:db8:0:2::1", false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        connection_limiter limiter{1, {}};
        const auto first = limiter.acquire(from(expected.first));
        EXPECT_TRUE(first);
        EXPECT_EQ(
            static_cast<bool>(limiter.acquire(from(expected.second))), !expected.is_same_client);
    }
}

TEST(ConnectionLimiter, ReleasesASlotOnDestruction) {
    connection_limiter limiter{2, {}};
    std::optional<connection_limiter::slot> first{limiter.acquire(from("192.0.2.1"))};
    auto second = limiter.acquire(from("192.0.2.1"));
    EXPECT_FALSE(limiter.acquire(from("192.0.2.1")));
    const auto moved = std::move(second);
    EXPECT_FALSE(limiter.acquire(from("192.0.2.1"))) << "a moved slot is still in use";
    first.reset();
    EXPECT_TRUE(limiter.acquire(from("192.0.2.1")));
}

TEST(ConnectionLimiter, DoesNotLimitProxiesOrWithoutALimit) {
    connection_limiter limiter{1, {*ip_network::parse("192.0.2.1"), *ip_network::parse("::1")}};
    std::vector<connection_limiter::slot> held;
    for (int connection = 0; connection < 3; ++connection) {
        held.push_back(limiter.acquire(from("192.0.2.1")));
        held.push_back(limiter.acquire(from("::ffff:192.0.2.1")));
        held.push_back(limiter.acquire(from("::1")));
    }
    for (const auto& slot : held) EXPECT_TRUE(slot);

    connection_limiter all{0, {}};
    const auto first = all.acquire(from("192.0.2.1"));
    const auto second = all.acquire(from("192.0.2.1"));
    EXPECT_TRUE(first && second);
}

TEST(ByteBudget, CountsBytesBeyondTheAllowance) {
    byte_budget budget{100};
    byte_budget::share small{budget};
    EXPECT_TRUE(small.resize(byte_budget::allowance));
    EXPECT_EQ(budget.left(), 100U);
    EXPECT_TRUE(small.resize(byte_budget::allowance + 60));
    EXPECT_EQ(budget.left(), 40U);
    {
        byte_budget::share other{budget};
        EXPECT_FALSE(other.resize(byte_budget::allowance + 41));
        EXPECT_EQ(budget.left(), 40U) << "a refused resize reserves nothing";
        EXPECT_TRUE(other.resize(byte_budget::allowance + 40));
        EXPECT_FALSE(small.resize(byte_budget::allowance + 61));
        EXPECT_TRUE(small.resize(byte_budget::allowance + 60))
            << "the current size is always granted";
        EXPECT_TRUE(small.resize(byte_budget::allowance + 10));
        EXPECT_EQ(budget.left(), 50U);
    }
    EXPECT_EQ(budget.left(), 90U);
    small.clear();
    EXPECT_EQ(budget.left(), 100U);
}

TEST_F(Served, RejectedConnectionsDoNotCountTowardTheLimit) {
    options.connections_max = 1;
    options.linger_time_max =
        std::chrono::seconds{20};  // A rejected client that stays is still connected.
    start();
    raw_client first{port};
    ASSERT_TRUE(first.ask(get_hello));
    raw_client second{port};
    const auto refused = second.ask(get_hello);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    first.close();
    await_counts([](const server_counts& now) { return now.connections_open == 1; });
    raw_client third{port};
    const auto got = third.ask(get_hello);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 200);
    second.close();
}

TEST_F(Served, LimitsTheBytesOfAllBodies) {
    options.buffered_bytes_max = 50'000;
    start();
    const std::string half(30'000, 'x');
    const auto head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 30001\r\n\r\n";
    std::vector<raw_client> clients;
    for (int client = 0; client < 2; ++client) {
        clients.emplace_back(port);
        ASSERT_TRUE(clients.back().send(head + half));
    }
    // Either client can be the refused one; the other's body is still incomplete.
    await_counts([](const server_counts& now) { return now.responses[5] == 1; });
    raw_client small{port};
    EXPECT_TRUE(small.ask(get_hello)) << "a small request is within its allowance";
    int refused = 0;
    for (auto& client : clients) {
        if (!client.is_readable_within(0)) continue;
        ++refused;
        const auto got = client.read();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->status, 503);
        EXPECT_EQ(got->field("Retry-After"), "5");
        EXPECT_EQ(got->field("Connection"), "close");
    }
    EXPECT_EQ(refused, 1);
    clients.clear();
    await_counts([](const server_counts& now) { return now.connections_open == 1; });
    raw_client again{port};
    const auto accepted = again.ask(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n" +
        std::string(20'000, 'x'));
    ASSERT_TRUE(accepted);
    EXPECT_EQ(accepted->status, 200);
}

TEST_F(Served, LimitsTheBytesOfAllResponses) {
    options.buffered_bytes_max = std::size_t{12} << 20U;
    start();
    raw_client slow{port};
    ASSERT_TRUE(slow.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n"));
    ASSERT_TRUE(slow.is_readable_within(20'000)) << "eight of twelve MiB are in transit";
    raw_client other{port};
    const auto refused = other.ask("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 503);
    EXPECT_EQ(refused->field("Retry-After"), "5");
    EXPECT_EQ(refused->field("Connection"), std::nullopt);
    slow.close();
    await_counts([](const server_counts& now) { return now.connections_open == 1; });
    const auto served_again = other.ask("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(served_again);
    EXPECT_EQ(served_again->status, 200);
}

}  // namespace
}  // namespace reelsd::http
