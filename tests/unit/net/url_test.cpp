// Goal: the checked target is the one that libcurl connects to; ambiguous URLs are refused.
// Method: tables over the pure parser.
#include <reelsd/net/url.hpp>

#include <gtest/gtest.h>

namespace reelsd::net {
namespace {

TEST(Url, ParsesUrls) {
    struct test_case {
        const char* text;
        const char* origin;
        const char* host;
        int port;
        const char* path;
    };
    constexpr test_case cases[] = {
        {"https://Example.TEST", "https://example.test", "example.test", 443, "/"},
        {"HTTP://a.b:80/x/../y?q#f", "http://a.b", "a.b", 80, "/x/../y"},
        {"https://a.b:8443/", "https://a.b:8443", "a.b", 8443, "/"},
        {"http://2130706433/", "http://127.0.0.1", "127.0.0.1", 80, "/"},
        {"http://0x7f.1/", "http://127.0.0.1", "127.0.0.1", 80, "/"},
        {"http://0177.0.0.1:9000/", "http://127.0.0.1:9000", "127.0.0.1", 9000, "/"},
        {"https://example.test./", "https://example.test.", "example.test.", 443, "/"},
        {"https://a1.b2/", "https://a1.b2", "a1.b2", 443, "/"},
        {"http://[::1]:81/a", "http://[::1]:81", "::1", 81, "/a"},
        {"http://[::FFFF:127.0.0.1]/", "http://[::ffff:127.0.0.1]", "::ffff:127.0.0.1", 80, "/"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        const auto parsed = url::parse(expected.text);
        ASSERT_TRUE(parsed) << parsed.error().to_string();
        EXPECT_EQ(parsed->text(), expected.text);
        EXPECT_EQ(parsed->origin(), expected.origin);
        EXPECT_EQ(parsed->host(), expected.host);
        EXPECT_EQ(parsed->port(), expected.port);
        EXPECT_EQ(parsed->path(), expected.path);
    }
}

TEST(Url, RefusesAmbiguousAndUnsupportedUrls) {
    constexpr const char* cases[] = {
        "",
        "example.test",
        "/path",
        "//example.test/",
        "ftp://example.test/",
        "file:///etc/passwd",
        "gopher://example.test/",
        "https://",
        "https:///path",
        "https:/example.test/",
        "https:example.test/",
        "example.test/?x=https://",
        "https://user@example.test/",
        "https://user:pw@example.test/",
        "https://example.test:0/",
        "https://example.test:65536/",
        "https://example.test:x/",
        "https://exa mple.test/",
        "https://example.test\\@evil.test/",
        "https://example.test/\r\nHost: evil.test",
        "https://ex\xc3\xa4mple.test/",
        "https://127.0.0.1./",
        "https://0x7f000001./",
        "https://127.1./",
        "https://169.254.169.254./",
        "https://1.2.3.4.5/",
        "https://example.1/",
        "https://example.0x/",
        "https://999999999999/",
        "https://256.256.256.256/",
        "https://[::1/",
        "https://[::1%25eth0]x/",
    };
    for (const char* text : cases) {
        const auto parsed = url::parse(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code(), errc::invalid_argument) << text;
    }
    EXPECT_FALSE(url::parse("https://example.test/" + std::string(8192, 'a')));
}

TEST(Url, ResolvesReferences) {
    struct test_case {
        const char* reference;
        const char* expected;
    };
    constexpr test_case cases[] = {
        {"/b?c=%2f&d", "https://a.test/b?c=%2f&d"},
        {"c", "https://a.test/x/c"},
        {"?z=1", "https://a.test/x/y?z=1"},
        {"//other.test/q", "https://other.test/q"},
        {"http://Other.test:81/q?oh=00_%2Bx&oe=6B", "http://Other.test:81/q?oh=00_%2Bx&oe=6B"},
    };
    const auto base = url::parse("https://a.test/x/y?q=1");
    ASSERT_TRUE(base);
    for (const auto& expected : cases) {
        const auto resolved = base->resolve(expected.reference);
        ASSERT_TRUE(resolved) << expected.reference;
        EXPECT_EQ(resolved->text(), expected.expected);
    }
    for (const char* reference :
         {"", "file:///etc/passwd", "https://u@a.test/", "/a b", "ftp://x/"})
        EXPECT_FALSE(base->resolve(reference)) << reference;
}

TEST(Url, HidesSignatures) {
    const auto signed_url = url::parse("https://cdn.test/v/a.mp4?oh=secret&oe=1");
    EXPECT_EQ(signed_url.value().redacted(), "cdn.test/v/a.mp4");
}

}  // namespace
}  // namespace reelsd::net
