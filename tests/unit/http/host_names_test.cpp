#include <reelsd/http/host_names.hpp>

#include <gtest/gtest.h>

// Goal: a page that has pointed its own name at this machine (DNS rebinding) is told from the names
// that this server has. Method: a table.
namespace reelsd::http {
namespace {

TEST(HostNames, OfOursAreServed) {
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

TEST(HostNames, OfOthersAreNot) {
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
