// Goal: no internal address is reached unless the operator allows it, in any notation or embedding.
// Method: tables over pure functions.
#include <reelsd/net/address_guard.hpp>

#include <gtest/gtest.h>

namespace reelsd::net {
namespace {

TEST(ReachOf, KnowsSpecialAddresses) {
    struct test_case {
        const char* address;
        reach expected;
    };
    constexpr test_case cases[] = {
        {"1.1.1.1", reach::world},
        {"157.240.1.174", reach::world},
        {"0.0.0.0", reach::nowhere},
        {"0.1.2.3", reach::nowhere},
        {"10.0.0.1", reach::local},
        {"11.0.0.0", reach::world},
        {"100.63.255.255", reach::world},
        {"100.64.0.1", reach::local},
        {"100.127.255.255", reach::local},
        {"100.128.0.0", reach::world},
        {"127.0.0.1", reach::local},
        {"127.255.255.254", reach::local},
        {"169.254.169.254", reach::nowhere},
        {"172.15.255.255", reach::world},
        {"172.16.0.1", reach::local},
        {"172.31.255.255", reach::local},
        {"172.32.0.0", reach::world},
        {"192.0.0.192", reach::nowhere},
        {"192.0.2.1", reach::nowhere},
        {"192.88.99.1", reach::nowhere},
        {"192.168.1.1", reach::local},
        {"198.18.0.1", reach::nowhere},
        {"198.19.255.255", reach::nowhere},
        {"198.20.0.0", reach::world},
        {"198.51.100.1", reach::nowhere},
        {"203.0.113.1", reach::nowhere},
        {"224.0.0.1", reach::nowhere},
        {"240.0.0.1", reach::nowhere},
        {"255.255.255.255", reach::nowhere},
        {"2a03:2880:f000::1", reach::world},
        {"::", reach::nowhere},
        {"::1", reach::local},
        {"fc00::1", reach::local},
        {"fd12:3456::1", reach::local},
        {"fe80::1", reach::nowhere},
        {"fec0::1", reach::nowhere},
        {"ff02::1", reach::nowhere},
        {"100::1", reach::nowhere},
        {"2001:db8::1", reach::nowhere},
        {"2001:20::1", reach::nowhere},
        {"3fff::1", reach::nowhere},
        {"4000::1", reach::nowhere},
        {"::ffff:127.0.0.1", reach::local},
        {"::ffff:169.254.169.254", reach::nowhere},
        {"::ffff:1.1.1.1", reach::world},
        {"::127.0.0.1", reach::local},
        {"::ffff:0:10.0.0.1", reach::local},
        {"64:ff9b::10.0.0.1", reach::local},
        {"64:ff9b::1.1.1.1", reach::world},
        {"64:ff9b:1::10.0.0.1", reach::nowhere},
        {"2002:7f00:1::", reach::local},
        {"2002:a9fe:a9fe::", reach::nowhere},
        {"2001::f5ff:fffe", reach::local},  // Teredo of 10.0.0.1.
    };
    for (const auto& expected : cases) {
        const auto address = parse_ip_address(expected.address);
        ASSERT_TRUE(address) << expected.address;
        EXPECT_EQ(reach_of(*address), expected.expected) << expected.address;
    }
}

struct guard_case {
    const char* url;
    bool passes;
};

void expect_checks(const address_policy& policy, std::initializer_list<guard_case> cases) {
    const address_guard guard{policy};
    for (const auto& expected : cases) {
        const auto target = url::parse(expected.url);
        ASSERT_TRUE(target) << expected.url;
        const auto checked = guard.check(*target);
        ASSERT_EQ(checked.has_value(), expected.passes) << expected.url;
        if (expected.passes) continue;
        EXPECT_EQ(checked.error().code(), errc::address_refused) << expected.url;
    }
}

TEST(AddressGuard, AllowsOnlyPublicHttpsOfListedHosts) {
    expect_checks(
        {.host_suffixes = {"cdninstagram.com", "fbcdn.net"}},
        {{"https://scontent-fra3-1.cdninstagram.com/v/a.mp4?x", true},
         {"https://cdninstagram.com/", true},
         {"https://instagram.fham1-1.fna.fbcdn.net/a", true},
         {"https://SCONTENT.CDNINSTAGRAM.COM:443/a", true},
         {"http://scontent.cdninstagram.com/a", false},
         {"https://scontent.cdninstagram.com:8443/a", false},
         {"https://evilcdninstagram.com/a", false},
         {"https://cdninstagram.com.evil.test/a", false},
         {"https://cdninstagram.com./a", false},
         {"https://fbcdn.net.local/a", false},
         {"https://localhost/a", false},
         {"https://127.0.0.1/a", false},
         {"https://2130706433/a", false},
         {"https://[::1]/a", false},
         {"https://[::ffff:10.0.0.1]/a", false},
         {"https://169.254.169.254/latest/meta-data/", false},
         {"https://1.1.1.1/a", false}});
}

TEST(AddressGuard, AllowsPrivateAddressesOnlyOfListedHosts) {
    expect_checks(
        {.host_suffixes = {"fbcdn.net", "127.0.0.1", "::1", "localhost"}, .allow_private = true},
        {{"http://127.0.0.1:9000/a", true},
         {"http://2130706433:9000/a", true},
         {"http://localhost:9000/a", true},
         {"http://[::1]:9000/a", true},
         {"http://x.fbcdn.net:81/a", true},
         {"https://x.fbcdn.net/a", true},
         {"http://127.0.0.2:9000/a", false},
         {"http://2130706434:9000/a", false},
         {"http://[::ffff:127.0.0.1]:9000/a", false},
         {"http://10.1.2.3/a", false},
         {"http://169.254.169.254/a", false},
         {"http://0.0.0.0:9000/a", false},
         {"http://1.1.1.1/a", false},
         {"http://evil.test/a", false}});
}

TEST(AddressGuard, NeverAllowsMetadataByPrivateAddresses) {
    expect_checks(
        {.host_suffixes = {"169.254.169.254"}, .allow_private = true},
        {{"http://169.254.169.254/a", false}});
}

// For media hosts behind a tunnel that resolves every name to one of its own addresses.
TEST(AddressGuard, AllowsNetworksOverTls) {
    const address_guard guard{
        {.host_suffixes = {"fbcdn.net"},
         .networks = {*ip_network::parse("198.18.0.0/15")},
         .hosts_setting = "media-hosts",
         .networks_setting = "media-networks"}};
    const auto media = *url::parse("https://x.fbcdn.net/a");
    const auto fake = *parse_ip_address("198.18.0.7");
    EXPECT_TRUE(guard.check(media));
    EXPECT_TRUE(guard.allows(media, fake));
    EXPECT_FALSE(guard.allows(media, *parse_ip_address("10.0.0.1")));
    EXPECT_FALSE(guard.allows(*url::parse("http://x.fbcdn.net/a"), fake));
    EXPECT_FALSE(guard.check(*url::parse("http://x.fbcdn.net/a")));
    EXPECT_FALSE(guard.check(*url::parse("https://x.fbcdn.net:444/a")));
    EXPECT_EQ(
        guard.check(*url::parse("https://cdn.test/a")).error().detail(),
        "cdn.test: not in media-hosts");
    EXPECT_EQ(
        guard.refusal_of(media, "198.18.0.7").detail(),
        "x.fbcdn.net: leads to 198.18.0.7, which is not allowed; media-networks can allow it");
}

// For receivers of webhooks in the operator's own network.
TEST(AddressGuard, AllowsPlainHttpOnlyInNetworks) {
    const address_policy policy{
        .networks = {*ip_network::parse("127.0.0.0/8")}, .plain_in_networks = true};
    expect_checks(
        policy,
        {{"http://127.0.0.1:9000/", true},
         {"https://127.0.0.2/", true},
         {"http://receiver.test:9000/", true},
         {"https://1.1.1.1/", true},
         {"http://1.1.1.1/", false},
         {"https://1.1.1.1:444/", false},
         {"http://10.0.0.1/", false},
         {"https://10.0.0.1/", false},
         {"https://169.254.169.254/", false}});
    const address_guard guard{policy};
    const auto named = *url::parse("http://receiver.test:9000/");
    EXPECT_TRUE(guard.allows(named, *parse_ip_address("127.0.0.1")));
    EXPECT_FALSE(guard.allows(named, *parse_ip_address("1.1.1.1")));
    EXPECT_FALSE(guard.allows(named, *parse_ip_address("10.0.0.1")));
}

TEST(AddressGuard, AllowsTrustedOrigins) {
    expect_checks(
        {.host_suffixes = {"fbcdn.net"}, .trusted_origins = {"http://127.0.0.1:9000"}},
        {{"http://127.0.0.1:9000/reel/x/", true},
         {"http://2130706433:9000/reel/x/", true},
         {"http://127.0.0.1:9001/reel/x/", false},
         {"https://127.0.0.1:9000/reel/x/", false},
         {"http://127.0.0.2:9000/reel/x/", false}});
}

TEST(AddressGuard, AllowsAnyPublicHostWithoutAList) {
    expect_checks(
        {},
        {{"https://api.example.test/", true},
         {"https://1.1.1.1/", true},
         {"http://a.test/", false},
         {"https://10.0.0.1/", false}});
}

// A name that passed the check may resolve to any address, so each address is checked.
TEST(AddressGuard, ChecksTheAddressOfAName) {
    const auto local = *parse_ip_address("127.0.0.1");
    const auto metadata = *parse_ip_address("169.254.169.254");
    const auto world = *parse_ip_address("157.240.1.174");
    const auto media = *url::parse("https://x.fbcdn.net/a");
    const auto trusted = *url::parse("https://platform.test/reel/x/");

    const address_guard strict{
        {.host_suffixes = {"fbcdn.net"}, .trusted_origins = {"https://platform.test"}}};
    EXPECT_TRUE(strict.allows(media, world));
    EXPECT_FALSE(strict.allows(media, local));
    EXPECT_FALSE(strict.allows(media, metadata));
    EXPECT_TRUE(strict.allows(trusted, local));

    const address_guard lenient{{.host_suffixes = {"fbcdn.net"}, .allow_private = true}};
    EXPECT_TRUE(lenient.allows(media, local));
    EXPECT_FALSE(lenient.allows(media, metadata));
}

}  // namespace
}  // namespace reelsd::net
