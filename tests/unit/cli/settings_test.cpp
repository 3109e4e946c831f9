#include "cli/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::cli {
namespace {

using ::testing::HasSubstr;

settings_source source(const char* server, const char* token) {
    settings_source source;
    if (server != nullptr) source.server = server;
    if (token != nullptr) source.token = token;
    return source;
}

// Goal: flags override the environment, which overrides the file, for each setting.
TEST(Merged, TakesEachSettingFromTheFirstSource) {
    const auto all = merged(
        source("http://flag.test", "flag"),
        source("http://env.test", "env"),
        source("http://file.test", "file"));
    ASSERT_TRUE(all);
    EXPECT_EQ(all->server, "http://flag.test");
    EXPECT_EQ(all->token, "flag");

    const auto mixed = merged({}, source(nullptr, "env"), source("http://file.test:9000/", "file"));
    ASSERT_TRUE(mixed);
    EXPECT_EQ(mixed->server, "http://file.test:9000") << "without the closing slash";
    EXPECT_EQ(mixed->token, "env");

    const auto from_windows = merged({}, source("http://env.test/\r", "env\r\n"), {});
    ASSERT_TRUE(from_windows);
    EXPECT_EQ(from_windows->server, "http://env.test");
    EXPECT_EQ(from_windows->token, "env");

    const auto usual = merged({}, source(nullptr, "t"), {});
    ASSERT_TRUE(usual);
    EXPECT_EQ(usual->server, default_server);
    EXPECT_EQ(usual->ca_file, "") << "the system's";
}

TEST(Merged, TakesTheCaFile) {
    auto flags = source("https://a.test", "t");
    settings_source environment;
    environment.ca_file = "/dev/null";
    const auto from_environment = merged(flags, environment, {});
    ASSERT_TRUE(from_environment);
    EXPECT_EQ(from_environment->ca_file, "/dev/null");
    flags.ca_file = "/dev/zero";
    const auto from_flag = merged(flags, environment, {});
    ASSERT_TRUE(from_flag);
    EXPECT_EQ(from_flag->ca_file, "/dev/zero");
    flags.ca_file = "/nonexistent/ca.pem";
    const auto refused = merged(flags, environment, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), errc::invalid_argument);
    EXPECT_THAT(refused.error().detail(), HasSubstr("/nonexistent/ca.pem cannot be read: No such"));
}

TEST(Merged, RejectsInvalidSettings) {
    struct test_case {
        const char* name;
        const char* server;
        const char* token;
        const char* message;
    };
    const test_case cases[] = {
        {"no token", "http://a.test", nullptr, "no API token"},
        {"an empty token", "http://a.test", "", "no API token"},
        {"a token that would end the header", "http://a.test", "x\r\nEvil: 1", "spaces"},
        {"no scheme", "a.test:8080", "t", "must look like"},
        {"another scheme", "ftp://a.test", "t", "must look like"},
        {"user info", "http://user@a.test", "t", "must look like"},
        {"a query", "http://a.test/?q", "t", "must look like"},
        {"a fragment", "http://a.test/#f", "t", "must look like"},
        {"no host", "http://", "t", "must look like"},
        {"an empty address", "", "t", "must look like"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto refused = merged(source(expected.server, expected.token), {}, {});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code(), errc::invalid_argument);
        EXPECT_THAT(refused.error().detail(), HasSubstr(expected.message));
    }
}

TEST(Merged, SanitizesABadAddress) {
    const auto refused = merged(source("http://a\x1B[2J", "t"), {}, {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().detail(), Not(HasSubstr("\x1B")));
}

}  // namespace
}  // namespace reelsd::cli
