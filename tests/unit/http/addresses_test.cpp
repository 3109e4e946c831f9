#include <reelsd/http/server.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {
namespace {

namespace ip = boost::asio::ip;

/// The client behind 10.0.0.1, with 10.0.0.0/8 and ::1 as proxies.
std::string client_behind(std::vector<std::string_view> fields, const char* peer = "10.0.0.1") {
    const std::vector<ip_network> proxies{
        *ip_network::parse("10.0.0.0/8"), *ip_network::parse("::1")};
    header_fields headers;
    headers.add("Host", "192.0.2.99");
    for (const auto field : fields) headers.add("x-forwarded-for", field);
    return client_behind(ip::make_address(peer), headers, proxies).to_string();
}

TEST(ForwardedFor, NamesTheClient) {
    EXPECT_EQ(client_behind({"192.0.2.1"}), "192.0.2.1");
    EXPECT_EQ(client_behind({"  2001:db8::1\t"}), "2001:db8::1");
    EXPECT_EQ(client_behind({"192.0.2.1"}, "::ffff:10.0.0.1"), "192.0.2.1");
}

TEST(ForwardedFor, IgnoresClaimsOfTheClient) {
    EXPECT_EQ(client_behind({"127.0.0.1, 192.0.2.1"}), "192.0.2.1");
    EXPECT_EQ(client_behind({"10.9.9.9", "192.0.2.1"}), "192.0.2.1");
    EXPECT_EQ(client_behind({"192.0.2.1"}, "192.0.2.7"), "192.0.2.7");
}

TEST(ForwardedFor, SkipsOwnProxies) {
    EXPECT_EQ(client_behind({"203.0.113.5, 192.0.2.1, 10.0.0.2"}), "192.0.2.1");
    EXPECT_EQ(client_behind({"203.0.113.5, 192.0.2.1", "10.0.0.2,::1"}), "192.0.2.1");
    EXPECT_EQ(client_behind({"10.0.0.3, 10.0.0.2"}), "10.0.0.3") << "there is no other address";
}

TEST(ForwardedFor, AcceptsPorts) {
    EXPECT_EQ(client_behind({"192.0.2.1:4711"}), "192.0.2.1");
    EXPECT_EQ(client_behind({"[2001:db8::1]:4711"}), "2001:db8::1");
    EXPECT_EQ(client_behind({"[2001:db8::1]"}), "2001:db8::1");
}

TEST(ForwardedFor, StopsAtTextThatIsNotAnAddress) {
    EXPECT_EQ(client_behind({}), "10.0.0.1");
    for (const auto* const malformed :
         {"",
          ",",
          "unknown",
          "_hidden",
          "192.0.2.1,",
          "[",
          "[]",
          "1.2.3",
          "fe80::1%eth0",
          "192.0.2.1 198.51.100.1",
          "999.1.1.1"}) {
        EXPECT_EQ(client_behind({malformed}), "10.0.0.1") << malformed;
    }
    EXPECT_EQ(client_behind({"192.0.2.1, unknown, 10.0.0.2"}), "10.0.0.2");
}

// A page that has pointed its own name at this machine (DNS rebinding) must not be served.
TEST(OwnHost, AcceptsNamesThatNoOtherSiteCanHave) {
    for (const auto* const host :
         {"127.0.0.1",
          "127.0.0.1:8080",
          "[::1]",
          "[::1]:8080",
          "192.0.2.7:80",
          "localhost",
          "localhost:8080",
          "LocalHost",
          "localhost.",
          "reels.localhost:1",
          "nas",
          "reelsd:8080",
          "a",
          "",
          "reels.example.org",
          "Reels.Example.ORG:443",
          "reels.example.org."}) {
        EXPECT_TRUE(is_own_host(host, "reels.example.org")) << host;
    }
}

TEST(OwnHost, RefusesOtherNames) {
    for (const auto* const host :
         {"evil.test",
          "evil.test:8080",
          "127.0.0.1.evil.test",
          "localhost.evil.test",
          "xlocalhost.test",
          "evil.test.",
          "reels.example.org.evil.test",
          "1.2.3",
          "example.org",
          "a.reels.example.org",
          ".localhost",
          "[::1].evil.test"}) {
        EXPECT_FALSE(is_own_host(host, "reels.example.org")) << host;
    }
    EXPECT_FALSE(is_own_host("evil.test", ""));
}

}  // namespace
}  // namespace reelsd::http
