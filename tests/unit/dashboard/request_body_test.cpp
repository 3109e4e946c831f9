#include "dashboard/resources.hpp"
#include "dashboard/session_authentication.hpp"

#include <gtest/gtest.h>
#include <support/http_request.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::dashboard {
namespace {

TEST(TextIn, AcceptsStringsThatTheDatabaseCanStore) {
    const auto body = json::parse(R"({"a": "x", "n": 1, "z": "a\u0000b", "long": "12345"})");
    EXPECT_EQ(text_in(body, "a", 5).value(), "x");
    EXPECT_EQ(text_in(body, "long", 5).value(), "12345");
    EXPECT_EQ(text_in(body, "long", 4).error().detail(), "long has more than 4 bytes");
    EXPECT_EQ(text_in(body, "n", 5).error().detail(), "n must be a string");
    EXPECT_EQ(text_in(body, "none", 5).error().detail(), "none must be a string");
    EXPECT_EQ(text_in(body, "z", 5).error().detail(), "z must not contain U+0000");
}

TEST(RequestedJobs, AcceptAFewPositiveNumbers) {
    const auto jobs = requested_jobs(json::parse(R"({"ids": [1, 9223372036854775807]})"));
    ASSERT_TRUE(jobs);
    EXPECT_EQ(*jobs, (std::vector<job_id>{job_id{1}, job_id{9223372036854775807}}));
    for (const char* text :
         {R"({})",
          R"({"ids": 1})",
          R"({"ids": []})",
          R"({"ids": [0]})",
          R"({"ids": [-1]})",
          R"({"ids": [1.5]})",
          R"({"ids": ["1"]})",
          R"({"ids": [9223372036854775808]})",
          R"({"ids": [1, null]})"}) {
        EXPECT_FALSE(requested_jobs(json::parse(text))) << text;
    }
    json many{{"ids", json::array()}};
    for (int i = 1; i <= 101; ++i) many["ids"].push_back(i);
    EXPECT_FALSE(requested_jobs(many));
}

struct RefuseOtherSites : ::testing::Test {
    using fields = std::vector<std::pair<const char*, const char*>>;

    /// Status with which a POST with these fields is rejected; 0 if it is accepted.
    static unsigned refused(const fields& sent, const std::string& body = "{}") {
        auto asked = testing::make_request(http::verb::post, "/dashboard/sign-in");
        for (const auto& [name, value] : sent) asked.headers.add(name, value);
        asked.body = body;
        const auto log = log::logger::silent();
        const http::request_context ctx{
            std::move(asked), log, deadline::after(std::chrono::hours{1})};
        const auto answer = refuse_other_sites(ctx, "https://reels.example.com");
        return answer ? number_of(answer->code()) : 0;
    }
};

TEST_F(RefuseOtherSites, AcceptsItsOwnPagesAndPrograms) {
    const auto json_type = std::pair{"Content-Type", "application/json"};
    EXPECT_EQ(refused({json_type}), 0U) << "curl sends no origin";
    EXPECT_EQ(refused({json_type, {"Sec-Fetch-Site", "same-origin"}}), 0U);
    EXPECT_EQ(refused({json_type, {"Host", "a:1"}, {"Origin", "http://a:1"}}), 0U);
    EXPECT_EQ(refused({{"Content-Type", "application/json; charset=utf-8"}}), 0U);
    EXPECT_EQ(refused({{"Content-Type", "APPLICATION/JSON"}}), 0U);
    EXPECT_EQ(refused({json_type, {"Host", "a:1"}, {"Origin", "https://reels.example.com"}}), 0U)
        << "a proxy may replace Host";
    EXPECT_EQ(refused({}, ""), 0U) << "no body, no type";
}

TEST_F(RefuseOtherSites, RefusesCrossSiteRequests) {
    const auto json_type = std::pair{"Content-Type", "application/json"};
    EXPECT_EQ(refused({json_type, {"Sec-Fetch-Site", "cross-site"}}), 403U);
    EXPECT_EQ(refused({json_type, {"Sec-Fetch-Site", "same-site"}}), 403U);
    EXPECT_EQ(refused({json_type, {"Host", "a:1"}, {"Origin", "http://b:1"}}), 403U);
    EXPECT_EQ(refused({json_type, {"Host", "a:1"}, {"Origin", "null"}}), 403U);
    EXPECT_EQ(refused({json_type, {"Host", "a:1"}, {"Origin", "http://reels.example.com"}}), 403U);
    EXPECT_EQ(refused({{"Content-Type", "application/jsonx"}}), 415U);
    EXPECT_EQ(refused({{"Content-Type", "text/plain"}}), 415U);
    EXPECT_EQ(refused({}), 415U);
}

}  // namespace
}  // namespace reelsd::dashboard
