// Goal: each embed page ends in the right post or error. Method: the platform's stand-in, one
// behaviour per row.
#include "platform/http_resolvers.hpp"
#include "stand_in.hpp"
#include "support/scripted_server.hpp"

#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

using test::code;
using test::patience;
using test::stand_in;

using EmbedResolver = test::resolver_test<embed_resolver>;

TEST_F(EmbedResolver, NamesAProxyThatDoesNotAnswer) {
    reelsd::test::scripted_server silent{[](auto& peer) { peer.wait_for_close(); }};
    const auto address = "127.0.0.1:" + std::to_string(silent.port());
    const net::http_client client{
        {.policy = {.trusted_origins = {origin_.origin()}},
         .by_proxy = net::proxy::parse("http://" + address).value()}};
    const embed_resolver by_proxy{client, {.platform = origin_}};
    const auto outcome = by_proxy.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::proxy_failed) << outcome.error().why.to_string();
    EXPECT_TRUE(outcome.error().why.detail().starts_with(address));
}

TEST_F(EmbedResolver, DistinguishesAnswers) {
    struct test_case {
        const char* behaviour;
        std::optional<errc> failure;
        bool needs_confirmation;
    };
    constexpr auto none = std::nullopt;
    constexpr test_case cases[] = {
        {"ok", none, false},
        {"dom", none, false},
        {"old", none, false},
        {"raw", none, false},
        {"blocked", errc::platform_failed, false},
        {"photo", errc::no_video, false},
        {"null", errc::video_unavailable, true},
        {"not_found", errc::video_unavailable, true},
        {"without_data", errc::platform_changed, false},
        {"shell", errc::platform_changed, false},
        {"other_post", errc::platform_changed, false},
        {"login_redirect", errc::platform_rate_limited, false},
        {"rate_limited", errc::platform_rate_limited, false},
        {"server_error", errc::platform_failed, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.behaviour);
        stand_in::shared().has_post(code, {{"embed", expected.behaviour}});
        const auto outcome = resolver_.resolve(post_link(code), patience(), {});
        EXPECT_EQ(outcome.has_value(), !expected.failure);
        if (!outcome && expected.failure) {
            EXPECT_EQ(outcome.error().why.code(), *expected.failure)
                << outcome.error().why.to_string();
            EXPECT_EQ(outcome.error().needs_confirmation, expected.needs_confirmation);
        }
        EXPECT_EQ(stand_in::shared().report().at("counts").dump(), R"({"embed":1})");
    }
}

TEST_F(EmbedResolver, NeedsABrowsersUserAgent) {
    stand_in::shared().has_post(code, json::object());
    const embed_resolver odd{
        client_, {.platform = origin_, .profile = {.browser_user_agent = "Mozilla/5.0"}}};
    EXPECT_FALSE(odd.resolve(post_link(code), patience(), {}));
}

TEST_F(EmbedResolver, EndsOnAStopRequest) {
    stand_in::shared().has_post(code, {{"embed", "stall"}});
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = resolver_.resolve(post_link(code), patience(), stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().why.code(), errc::cancelled);
}

}  // namespace
}  // namespace reelsd::platform
