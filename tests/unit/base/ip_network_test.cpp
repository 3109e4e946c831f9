#include <reelsd/base/ip_network.hpp>

#include <gtest/gtest.h>

// Goal: addresses and networks have one strict notation, and mapped addresses are IPv4. Method:
// tables over pure functions.
namespace reelsd {
namespace {

TEST(IpAddress, ParsesStrictly) {
    for (const char* text :
         {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.1.1.1", "a.b", "[::1]", ":", "fe80::1%lo"})
        EXPECT_FALSE(parse_ip_address(text)) << text;
    EXPECT_EQ(parse_ip_address("FD00::0001")->to_string(), "fd00::1");
    EXPECT_EQ(parse_ip_address("10.2.3.4")->to_string(), "10.2.3.4");
}

TEST(IpNetwork, ParsesStrictly) {
    for (const char* text :
         {"192.0.2.1", "2001:db8::1", "10.0.0.0/8", "fd00::/8", "0.0.0.0/0", "192.0.2.1/32"})
        EXPECT_TRUE(ip_network::parse(text)) << text;
    for (const char* text :
         {"",
          "/8",
          "10.0.0.0/",
          "10.0.0.0/33",
          "10.0.0.0/-1",
          "10.0.0.0/8x",
          "10.0.0.1/8",
          "10.0.0/8",
          "10/8",
          "localhost",
          "fd00::/129",
          "fd00::1/8",
          "[::1]",
          "fe80::1%lo",
          "192.0.2.1:80"})
        EXPECT_FALSE(ip_network::parse(text)) << text;
}

TEST(IpNetwork, ContainsAddressesWithItsPrefix) {
    struct test_case {
        const char* network;
        const char* address;
        bool is_inside;
    };
    constexpr test_case cases[] = {
        {"198.18.0.0/15", "198.18.0.0", true},
        {"198.18.0.0/15", "198.19.255.255", true},
        {"198.18.0.0/15", "198.20.0.0", false},
        {"198.18.0.0/15", "::ffff:198.18.0.1", true},
        {"198.18.0.0/15", "64:ff9b::198.18.0.1", false},
        {"172.16.0.0/12", "172.31.9.9", true},
        {"172.16.0.0/12", "172.32.0.0", false},
        {"10.0.0.1", "10.0.0.1", true},
        {"10.0.0.1", "10.0.0.2", false},
        {"::ffff:10.1.2.3", "10.1.2.3", true},
        {"::ffff:10.0.0.0/104", "10.1.2.3", true},
        {"::ffff:10.0.0.0/104", "11.0.0.0", false},
        {"0.0.0.0/0", "1.2.3.4", true},
        {"0.0.0.0/0", "::1", false},
        {"fd00::/8", "fd12::1", true},
        {"fd00::/8", "fe80::1", false},
        {"fc00::/7", "fd12::1", true},
    };
    for (const auto& expected : cases) {
        const auto network = ip_network::parse(expected.network);
        ASSERT_TRUE(network) << expected.network;
        EXPECT_EQ(network->contains(*parse_ip_address(expected.address)), expected.is_inside)
            << expected.network << " " << expected.address;
    }
}

}  // namespace
}  // namespace reelsd
