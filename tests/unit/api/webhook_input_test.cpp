// Goal: valid input of webhooks is accepted, and other input refused with a text for the client.
#include "api/resources.hpp"
#include <reelsd/base/json.hpp>

#include <gtest/gtest.h>

namespace reelsd::api {
namespace {

result<void> accept_some(std::string_view url) {
    if (url == "https://a.test/") return {};
    return error{errc::invalid_argument, "must be an https URL"};
}

TEST(RequestedWebhookUrl, IsOptional) {
    for (const auto* const body : {"{}", R"({"webhook_url": null})", R"({"url": 7})"}) {
        const auto url = requested_webhook_url(json::parse(body), "webhook_url", &accept_some);
        ASSERT_TRUE(url) << body;
        EXPECT_EQ(*url, std::nullopt);
    }
}

TEST(RequestedWebhookUrl, AcceptsWhatTheCheckAccepts) {
    const auto good = json::parse(R"({"url": "https://a.test/"})");
    EXPECT_EQ(requested_webhook_url(good, "url", &accept_some).value(), "https://a.test/");
    const auto why = [](const char* body) {
        return requested_webhook_url(json::parse(body), "url", &accept_some).error().detail();
    };
    EXPECT_EQ(why(R"({"url": "http://a.test/"})"), "url must be an https URL");
    EXPECT_EQ(why(R"({"url": ""})"), "url must be an https URL");
    for (const auto* const body : {R"({"url": 7})", R"({"url": ["x"]})", R"({"url": true})"}) {
        EXPECT_EQ(why(body), "url must be a string");
    }
}

TEST(RequestedDeliveryState, AcceptsTheThreeStates) {
    EXPECT_EQ(requested_delivery_state({}).value(), std::nullopt);
    EXPECT_EQ(requested_delivery_state("failed").value(), webhooks::delivery_state::failed);
    for (const auto* const wrong : {"", "done", "Failed", "pending "}) {
        const auto refused = requested_delivery_state(wrong);
        ASSERT_FALSE(refused) << wrong;
        EXPECT_EQ(refused.error().detail(), "state must be one of pending, delivered, failed");
    }
}

}  // namespace
}  // namespace reelsd::api
