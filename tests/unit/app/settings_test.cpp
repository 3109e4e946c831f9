#include "app/settings.hpp"

#include <reelsd/platform/source.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace reelsd::app {
namespace {

const setting_definition& definition_of(std::string_view name) {
    const auto* const definition = find_setting(name);
    if (definition == nullptr) throw std::invalid_argument{std::string{name}};
    return *definition;
}

TEST(Settings, DefaultsAreAllowedAndNamesAreUnique) {
    std::set<std::string_view> names;
    settings target;
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            EXPECT_TRUE(names.insert(definition.name).second) << definition.name;
            if (definition.value.default_value.empty()) continue;
            EXPECT_TRUE(apply(definition, definition.value.default_value, target))
                << definition.name;
        }
    }
    EXPECT_EQ(target.listen.host, "127.0.0.1");
    EXPECT_EQ(target.listen.port, 8080);
    EXPECT_EQ(target.video_bytes_max, 104'857'600);
    EXPECT_FALSE(target.resolvers);
    EXPECT_EQ(target.yt_dlp_path, platform::source_settings{}.yt_dlp_path);
    EXPECT_EQ(target.request_profile, platform::request_profile{});
    EXPECT_THAT(target.media_hosts, ::testing::ElementsAre("cdninstagram.com", "fbcdn.net"));
}

TEST(Settings, AnErrorNamesSettingValueAndAllowedValues) {
    settings target;
    const auto refused = apply(definition_of("workers"), "many", target);
    ASSERT_FALSE(refused);
    EXPECT_EQ(
        refused.error().detail(),
        "workers: \"many\" is not allowed; allowed: a whole number from 0 to 256");
}

TEST(Settings, VariablesThatAreNoSettings) {
    constexpr const char* environment[] = {
        "REELSD_WROKERS=3",
        "REELSD_WORKERS=3",
        "REELSD_CONFIG=/reelsd.conf",
        "REELSD_GEMINI_API_KEY_FILE=/key",
        "REELSD_WORKERS_FILE=/workers",
        "REELSD_EMPTY=",
        "WORKERS=3",
        nullptr};
    EXPECT_THAT(
        unknown_variables(environment),
        ::testing::ElementsAre("REELSD_WROKERS", "REELSD_WORKERS_FILE"));
}

TEST(Settings, Bounds) {
    struct test_case {
        const char* name;
        const char* text;
        bool allowed;
    };
    constexpr test_case cases[] = {
        {"workers", "0", true},
        {"media-hosts", "cdn.example.org,127.0.0.1, ::1", true},
        {"media-hosts", "[fd00::5],fbcdn.net", true},
        {"media-hosts", "[]", false},
        {"media-hosts", "[fbcdn.net]", false},
        {"media-hosts", "https://cdn.example.org", false},
        {"media-hosts", "*.example.org", false},
        {"media-hosts", "cdn.example.org:443", false},
        {"media-hosts", "127.0.0.1:443", false},
        {"workers", "256", true},
        {"workers", "257", false},
        {"workers", "-1", false},
        {"workers", "1.5", false},
        {"workers", "", false},
        {"lease-seconds", "1", true},
        {"lease-seconds", "1.5", true},
        {"lease-seconds", "0.9", false},
        {"lease-seconds", "nan", false},
        {"lease-seconds", "inf", false},
        {"shutdown-drain-seconds", "0", true},
        {"shutdown-drain-seconds", "600", true},
        {"shutdown-drain-seconds", "600.1", false},
        {"shutdown-drain-seconds", "-1", false},
        {"retry-base-seconds", "0", true},
        {"retry-base-seconds", "0.05", true},
        {"retry-base-seconds", "-1", false},
        {"listen", "127.0.0.1:0", true},
        {"listen", "[::1]:80", true},
        {"listen", ":80", true},
        {"listen", "localhost:80", true},
        {"listen", "127.0.0.1", false},
        {"listen", "127.0.0.1:65536", false},
        {"listen", "127.0.0.1:http", false},
        {"connections-max", "1", true},
        {"connections-max", "0", false},
        {"connections-per-address-max", "0", true},
        {"connections-per-address-max", "1000001", false},
        {"proxy-addresses", "none", true},
        {"proxy-addresses", "10.0.0.1, 2001:db8::1", true},
        {"proxy-addresses", "10.0.0.0/8, fd00::/8", true},
        {"proxy-addresses", "10.0.0.1/8", false},
        {"proxy-addresses", "10.0.0.0/33", false},
        {"forwarded-for", "true", true},
        {"forwarded-for", "X-Forwarded-For", false},
        {"proxy-addresses", "proxy.example.com", false},
        {"buffered-bytes-max", "1048576", true},
        {"buffered-bytes-max", "1000", false},
        {"reel-cache-bytes-max", "0", true},
        {"reel-cache-bytes-max", "auto", true},
        {"reel-cache-bytes-max", "", false},
        {"reel-cache-bytes-max", "-1", false},
        {"share-port", "true", true},
        {"share-port", "8080", false},
        {"platform-url", "http://127.0.0.1:9000", true},
        {"platform-url", "http://127.0.0.1:9000/", true},
        {"platform-url", "http://127.0.0.1:9000/x", false},
        {"platform-url", "ftp://example.com", false},
        {"platform-url", "instagram.com", false},
        {"resolvers", "page", true},
        {"resolvers", "page,magic", false},
        {"resolvers", "page,", false},
        {"resolvers", "embed, graphql,page", true},
        {"resolvers", "page,page", false},
        {"resolvers", "page,yt-dlp", true},
        {"yt-dlp-path", "/opt/yt-dlp", true},
        {"yt-dlp-path", "", false},
        {"graphql-root-doc-id", "123", true},
        {"graphql-root-doc-id", "12345678901234567890", true},
        {"graphql-root-doc-id", "123456789012345678901", false},
        {"graphql-root-doc-id", "", false},
        {"graphql-logged-out-doc-id", "12x", false},
        {"instagram-app-id", "-1", false},
        {"browser-user-agent", "Mozilla/5.0 (X11)", true},
        {"browser-user-agent", "Mozilla\r\nCookie: x", false},
        {"graphql-user-agent", "", false},
        {"allow-private-addresses", "true", true},
        {"allow-private-addresses", "maybe", false},
        {"media-networks", "198.18.0.0/15, fd00::/8", true},
        {"media-networks", "none", true},
        {"media-networks", "198.18.0.1/15", false},
        {"media-networks", "cdn.test", false},
        {"webhook-networks", "10.0.0.0/8,192.168.1.7", true},
        {"webhook-networks", "10.0.0.0/33", false},
        {"webhook-networks", "", false},
        {"attempts-max", "0", false},
        {"attempts-max", "1", true},
        {"analyzer", "magic", false},
        {"log-level", "trace", false},
        {"database-url", "postgresql://ann:secret@localhost/reels", true},
        {"database-url", "host=/run/postgresql dbname=reels", true},
        {"database-url", "mysql://localhost/reels", false},
        {"database-url", "postgresql://ann:sec%40ret@localhost/reels", true},
        {"database-url", "postgresql://ann@localhost/reels?application_name=reels@web1", true},
        {"database-url", "postgresql://ann@localhost?application_name=reels@web1", true},
        {"database-url", "postgresql:///reels?application_name=a@b@c", true},
        {"database-url", "postgresql://ann:sec@ret@localhost/reels", false},
        {"database-url", "postgresql://ann:sec?r@et@localhost/reels", false},
        {"database-url", "postgresql://ann:sec@r/et@localhost/reels?application_name=a", false},
        {"database-password", "a:/?#[]@ 'b\\", true},
        {"database-password", "one\ntwo", false},
        {"log-format", "json", true},
    };
    for (const auto& expected : cases) {
        settings target;
        EXPECT_EQ(
            apply(definition_of(expected.name), expected.text, target).has_value(),
            expected.allowed)
            << expected.name << " " << expected.text;
    }
}

TEST(Settings, ADatabaseUrlIsNotRepeated) {
    settings target;
    const auto refused = apply(definition_of("database-url"), "secret", target);
    ASSERT_FALSE(refused);
    EXPECT_EQ(
        refused.error().detail(),
        "database-url: this value is not allowed; allowed: postgresql://USER@HOST/NAME, "
        "with %40 for an @ in a password, or host=HOST dbname=NAME, as libpq takes it");
}

TEST(Settings, ADatabasePasswordNeedsADatabase) {
    settings given;
    given.database_password = "word";
    const auto alone = check_together(given);
    ASSERT_FALSE(alone);
    EXPECT_EQ(alone.error().detail(), "database-password is for database-url, which is not set");
    given.database_url = "postgresql://reelsd@db/reelsd";
    EXPECT_TRUE(check_together(given));
}

TEST(Settings, Secrets) {
    std::set<std::string_view> secrets;
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            if (definition.value.shown == exposure::secret) secrets.insert(definition.name);
        }
    }
    const std::set<std::string_view> expected{
        "database-url",
        "database-password",
        "gemini-api-key",
        "media-proxy",
        "model-proxy",
        "openai-api-key",
        "platform-proxy",
        "s3-access-key",
        "s3-secret-key",
        "telegram-proxy",
        "telegram-token",
        "transcriber-api-key",
        "webhook-proxy"};
    EXPECT_EQ(secrets, expected);
}

TEST(Settings, HelpIsSentences) {
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            EXPECT_THAT(std::string{definition.help}, ::testing::EndsWith(".")) << definition.name;
            EXPECT_LE(definition.help.size(), 200U) << definition.name;
        }
    }
}

TEST(Settings, AcceptedValues) {
    EXPECT_EQ(accepted_values(definition_of("workers").value), "a whole number from 0 to 256");
    EXPECT_EQ(
        accepted_values(definition_of("buffered-bytes-max").value),
        "bytes from 1048576 to 68719476736");
    EXPECT_EQ(
        accepted_values(definition_of("webhook-retry-base-seconds").value),
        "seconds from 0.05 to 3600");
    EXPECT_EQ(accepted_values(definition_of("log-format").value), "text or json");
}

TEST(Settings, ACertificateNeedsItsKey) {
    settings given;
    EXPECT_TRUE(check_together(given));
    given.tls_key = "key.pem";
    const auto alone = check_together(given);
    ASSERT_FALSE(alone);
    EXPECT_EQ(
        alone.error().detail(),
        "tls-certificate and tls-key go together: tls-certificate is not set");
    given.tls_certificate = "certificate.pem";
    EXPECT_TRUE(check_together(given));
}

TEST(Settings, AnEmbeddingModelHasTheFormOfItsProvider) {
    for (const auto* const model : {"BAAI/bge-m3", "nomic-embed-text:v1.5"}) {
        settings given;
        given.embedder = "openai";
        ASSERT_TRUE(apply(definition_of("embedding-model"), model, given));
        EXPECT_TRUE(check_together(given)) << model;
        given.embedder = "gemini";
        const auto refused = check_together(given);
        ASSERT_FALSE(refused) << model;
        EXPECT_THAT(refused.error().detail(), ::testing::StartsWith("embedding-model: \""));
        given.embedding_model = "gemini-embedding-001";
        EXPECT_TRUE(check_together(given));
    }
}

TEST(Settings, TheOriginHasAnAddressThatBrowsersOpen) {
    struct test_case {
        const char* host;
        const char* certificate;
        const char* public_url;
        const char* origin;
    };
    constexpr test_case cases[] = {
        {"127.0.0.1", "", "", "http://127.0.0.1:81"},
        {"0.0.0.0", "", "", "http://127.0.0.1:81"},
        {"::", "", "", "http://[::1]:81"},
        {"::1", "a.pem", "", "https://[::1]:81"},
        {"0.0.0.0", "a.pem", "", "https://127.0.0.1:81"},
        {"127.0.0.1", "a.pem", "https://reels.test", "https://reels.test"},
        {"127.0.0.1", "", "http://reels.test", "http://reels.test"},
    };
    for (const auto& expected : cases) {
        settings given;
        given.listen.host = expected.host;
        given.tls_certificate = expected.certificate;
        given.public_url = expected.public_url;
        EXPECT_EQ(public_origin(given, 81), expected.origin);
    }
}

TEST(Settings, EnvironmentNames) {
    EXPECT_EQ(environment_name("video-seconds-max"), "REELSD_VIDEO_SECONDS_MAX");
}

}  // namespace
}  // namespace reelsd::app
