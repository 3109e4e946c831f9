#include "api/submissions.hpp"
#include <reelsd/base/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

// Goal: what a list is, and under which keys its links are known again. Method: pure functions.
namespace reelsd::api {
namespace {

std::string list_of(int count) {
    auto urls = json::array();
    for (int i = 0; i < count; ++i) urls.push_back("x");
    return json{{"urls", urls}}.dump();
}

TEST(RequestedUrls, AreOneToFifty) {
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
        EXPECT_TRUE(has_urls(body)) << expected.body;
        const auto urls = requested_urls(body);
        EXPECT_EQ(urls ? urls->size() : 0, expected.count) << expected.body;
        EXPECT_EQ(urls ? "" : urls.error().detail(), expected.objection) << expected.body;
    }
    for (const char* single : {R"({})", R"({"urls": null})", R"({"url": "x"})"}) {
        EXPECT_FALSE(has_urls(json::parse(single))) << single;
    }
}

list_keys keys_of(std::string_view key, const json& urls) {
    std::vector<const json*> elements;
    for (const auto& one : urls) elements.push_back(&one);
    return {key, elements};
}

TEST(ListKeys, AreNobodysOwn) {
    const auto keys = keys_of(std::string(255, 'k'), json{"a", "b"});
    std::set<std::string> all;
    for (std::size_t place = 0; place < 50; ++place) {
        const auto key = keys.at(place);
        EXPECT_LE(key.size(), 75U);
        EXPECT_FALSE(requested_idempotency_key(key)) << "a client's key";
        EXPECT_TRUE(key.starts_with(keys.rivals().own.value()));
        EXPECT_TRUE(key.starts_with(keys.rivals().stem));
        all.insert(key);
    }
    EXPECT_EQ(all.size(), 50U);
    EXPECT_EQ(keys.rivals().exact, std::string(255, 'k'));
}

TEST(ListKeys, TellListsApart) {
    const json list{"a", "b"};
    const auto keys = keys_of("key", list);
    EXPECT_EQ(keys.at(1), keys_of("key", list).at(1));
    EXPECT_EQ(rivals_of_single("key").stem, keys.rivals().stem) << "a single link is in their way";
    EXPECT_EQ(rivals_of_single("key").own, std::nullopt);
    for (const auto& other :
         {json{"a"}, json{"b", "a"}, json{"a", "b", "b"}, json{"a\nb"}, json{"a", 1}}) {
        const auto others = keys_of("key", other);
        EXPECT_EQ(others.rivals().stem, keys.rivals().stem);
        EXPECT_NE(others.at(0), keys.at(0)) << other.dump();
    }
    const auto of_another_key = keys_of("Key", list);
    EXPECT_NE(of_another_key.rivals().stem, keys.rivals().stem);
    EXPECT_NE(rivals_of_single("Key").stem, keys.rivals().stem);
}

}  // namespace
}  // namespace reelsd::api
