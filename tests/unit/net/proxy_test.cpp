// Goal: only proxies that libcurl parses in the same way; errors contain no part of a refused one.
// Method: tables over the pure parser.
#include <reelsd/net/proxy.hpp>

#include <gtest/gtest.h>

namespace reelsd::net {
namespace {

TEST(Proxy, ParsesUrls) {
    struct test_case {
        const char* text;
        const char* url;
        const char* address;
        bool is_socks;
    };
    constexpr test_case cases[] = {
        {"http://proxy.test:3128", "http://proxy.test:3128", "proxy.test:3128", false},
        {"HTTPS://Proxy.test:443/", "https://Proxy.test:443", "proxy.test:443", false},
        {"socks5h://u:p%40ss%2F@10.0.0.1:1080",
         "socks5h://u:p%40ss%2F@10.0.0.1:1080",
         "10.0.0.1:1080",
         true},
        {"http://user-session-7@[::1]:8080",
         "http://user-session-7@[::1]:8080",
         "[::1]:8080",
         false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        const auto parsed = proxy::parse(expected.text);
        ASSERT_TRUE(parsed) << parsed.error().to_string();
        EXPECT_EQ(parsed->url(), expected.url);
        EXPECT_EQ(parsed->address(), expected.address);
        EXPECT_EQ(parsed->is_socks(), expected.is_socks);
    }
    EXPECT_EQ(proxy::parse("http://u:p%40@a:1")->credentials(), "u:p%40");
    EXPECT_EQ(proxy::parse("http://a:1")->credentials(), "");
}

TEST(Proxy, HidesUserAndPassword) {
    const auto masked = [](const char* url, std::string text) {
        proxy::parse(url)->hide_in(text);
        return text;
    };
    constexpr const char* with_login = "http://ann:s3c%40ret@a:1";
    EXPECT_EQ(
        masked(with_login, "http://ann:s3c%40ret@a:1: s3c@ret of ann, s3c%40ret; planned"),
        "http://***@a:1: *** of ***, ***; planned");
    EXPECT_EQ(masked("http://customer@a:1", "xcustomery"), "x***y");
    EXPECT_EQ(masked("http://ann:@a:1", "ann"), "***");
    EXPECT_EQ(masked("http://a:1", "a text"), "a text");
}

TEST(Proxy, RefusesAmbiguousUrlsWithoutRepeatingThem) {
    const std::string long_host(254, 'h');
    const std::string cases[] = {
        "",
        "hidden",
        "hidden:3128",
        "ftp://u:hidden@proxy.test:21",
        "socks5://u:hidden@proxy.test:1080",
        "http://u:hidden@proxy.test",
        "http://u:hidden@proxy.test:0",
        "http://u:hidden@proxy.test:65536",
        "http://u:hidden@proxy.test:31 28",
        "http://u:hid@den@proxy.test:3128",
        "http://u:hid/den@proxy.test:3128",
        "http://u:hidden@:3128",
        "http://u:hidden@[bad:9011",
        "http://u:hidden@a:b:3128",
        "http://u:hidden@proxy.test:3128/path",
        "http://u:hidden@proxy.test:3128?q",
        "http://u:hidden@" + long_host + ":3128",
    };
    for (const auto& text : cases) {
        SCOPED_TRACE(text);
        const auto parsed = proxy::parse(text);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().code(), errc::invalid_argument);
        EXPECT_EQ(parsed.error().detail().find("hid"), std::string::npos);
    }
}

}  // namespace
}  // namespace reelsd::net
