#include "api/resources.hpp"
#include <reelsd/base/json.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Goal: lists are parsed and identified. Method: pure functions.
namespace reelsd::api {
namespace {

std::string list_of(int count) {
    auto urls = json::array();
    for (int i = 0; i < count; ++i) urls.push_back("x");
    return json{{"urls", urls}}.dump();
}

TEST(RequestedUrls, AcceptOneToFifty) {
    constexpr const char* no_list = "urls must be an array of 1 to 50 links";
    struct test_case {
        std::string body;
        std::size_t count;
        const char* objection;
    };
    const test_case cases[] = {
        {R"({"urls": ["x"]})", 1, ""},
        {R"({"urls": [1, null, {}]})", 3, ""},
        {R"({"urls": ["x"], "url": null})", 1, ""},
        {list_of(50), 50, ""},
        {list_of(51), 0, no_list},
        {R"({"urls": []})", 0, no_list},
        {R"({"urls": "x"})", 0, no_list},
        {R"({"urls": {"0": "x"}})", 0, no_list},
        {R"({"urls": false})", 0, no_list},
        {R"({"urls": ["x"], "url": "x"})", 0, "give url or urls, not both"},
        {R"({"urls": 7, "url": 7})", 0, "give url or urls, not both"},
    };
    for (const auto& expected : cases) {
        const auto body = json::parse(expected.body);
        EXPECT_NE(find_member(body, "urls"), nullptr) << expected.body;
        const auto urls = requested_urls(body);
        EXPECT_EQ(urls ? urls->size() : 0, expected.count) << expected.body;
        EXPECT_EQ(urls ? "" : urls.error().detail(), expected.objection) << expected.body;
    }
    for (const char* single : {R"({})", R"({"urls": null})", R"({"url": "x"})"}) {
        EXPECT_EQ(find_member(json::parse(single), "urls"), nullptr) << single;
    }
}

std::string hash_of(const json& urls) {
    std::vector<const json*> elements;
    for (const auto& element : urls) elements.push_back(&element);
    return request_hash_of(elements);
}

TEST(RequestHash, DistinguishesLists) {
    const json list{"a", "b"};
    EXPECT_EQ(hash_of(list), hash_of(json{"a", "b"}));
    EXPECT_EQ(hash_of(list).size(), 32U);
    for (const auto& other :
         {json{"a"}, json{"b", "a"}, json{"a", "b", "b"}, json{"a\nb"}, json{"a", 1}}) {
        EXPECT_NE(hash_of(other), hash_of(list)) << other.dump();
    }
}

// Compatibility: lists stored by the previous release have the same hash.
TEST(RequestHash, IsTruncatedSha256) {
    EXPECT_EQ(hash_of(json::array({"a", "b"})), "14bdec8c77f9feebc3b047fa42657bac");
}

}  // namespace
}  // namespace reelsd::api
