#include "api/resources.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>

#include <gtest/gtest.h>

namespace reelsd::api {
namespace {

TEST(RequestedUrl, NamesTheMissingMember) {
    struct test_case {
        const char* body;
        const char* outcome;
    };
    constexpr test_case cases[] = {
        {R"({})", "url is required"},
        {R"({"url": null})", "url is required"},
        {R"({"url": ""})", "url is required"},
        {R"({"url": " \t\n"})", "url is required"},
        {R"({"URL": "x"})", "url is required"},
        {R"({"url": 7})", "url must be a string"},
        {R"({"url": ["x"]})", "url must be a string"},
        {R"({"url": {}})", "url must be a string"},
        {R"({"url": true})", "url must be a string"},
        {R"({"url": "x", "more": 1})", "x"},
        {R"({"url": " x "})", " x "},
    };
    for (const auto& expected : cases) {
        const auto url = requested_url(json::parse(expected.body).value("url", json()));
        EXPECT_EQ(url ? *url : url.error().detail(), expected.outcome) << expected.body;
    }
}

TEST(RequestedFlag, AcceptsOnlyBooleans) {
    const auto flag_in = [](const char* body) {
        return requested_flag(json::parse(body), "fresh").value();
    };
    EXPECT_EQ(flag_in(R"({})"), flag::off);
    EXPECT_EQ(flag_in(R"({"fresh": null})"), flag::off);
    EXPECT_EQ(flag_in(R"({"fresh": false})"), flag::off);
    EXPECT_EQ(flag_in(R"({"fresh": true})"), flag::on);
    for (const char* body : {R"({"fresh": 1})", R"({"fresh": "true"})", R"({"fresh": []})"}) {
        const auto fresh = requested_flag(json::parse(body), "fresh");
        ASSERT_FALSE(fresh) << body;
        EXPECT_EQ(fresh.error().detail(), "fresh must be true or false");
    }
}

TEST(RequestedIdempotencyKey, AcceptsVisibleAscii) {
    EXPECT_EQ(requested_idempotency_key(std::nullopt).value(), std::nullopt);
    EXPECT_EQ(requested_idempotency_key("8e03978e-40d5").value(), "8e03978e-40d5");
    EXPECT_EQ(requested_idempotency_key("!~").value(), "!~");
    EXPECT_EQ(requested_idempotency_key(std::string(255, 'k')).value()->size(), 255U);
    const std::string too_long(256, 'k');
    for (const std::string_view text :
         {std::string_view{""},
          std::string_view{too_long},
          std::string_view{"a b"},
          std::string_view{"a\tb"},
          std::string_view{"\xc3\xa9"}}) {
        const auto key = requested_idempotency_key(text);
        ASSERT_FALSE(key) << text;
        EXPECT_EQ(key.error().code(), errc::invalid_argument);
        EXPECT_EQ(
            key.error().detail(), "Idempotency-Key must be 1 to 255 visible ASCII characters");
    }
}

TEST(DollarsText, HasAtLeastTwoDecimalsAndIsExact) {
    EXPECT_EQ(jobs::dollars_text("5"), "$5.00");
    EXPECT_EQ(jobs::dollars_text("0"), "$0.00");
    EXPECT_EQ(jobs::dollars_text("12.5"), "$12.50");
    EXPECT_EQ(jobs::dollars_text("12.34"), "$12.34");
    EXPECT_EQ(jobs::dollars_text("0.000001"), "$0.000001");
}

}  // namespace
}  // namespace reelsd::api
