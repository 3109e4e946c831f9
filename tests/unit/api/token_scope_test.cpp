// Goal: a token reaches the routes of its scope and no other. Method: a table of routes.
#include "api/resources.hpp"

#include <gtest/gtest.h>

namespace reelsd::api {
namespace {

using http::verb;

TEST(TokenScope, DecidesByMethodAndRoute) {
    struct test_case {
        verb method;
        const char* route;
        bool is_read;
        bool is_submit;
    };
    constexpr test_case cases[] = {
        {verb::get, "/reels", true, true},
        {verb::head, "/reels", true, true},
        {verb::get, "/reels/{id}", true, true},
        {verb::get, "/reels/{id}/events", true, true},
        {verb::get, "/reels/{id}/frames/{n}", true, true},
        {verb::get, "/reels/search", true, false},
        {verb::get, "/reels/usage", true, false},
        {verb::get, "/webhook", true, false},
        {verb::get, "/export", true, false},
        {verb::get, "/searches", true, false},
        {verb::post, "/reels/analyze", false, true},
        {verb::post, "/reels/ask", false, false},
        {verb::post, "/reels/{id}/ask", false, false},
        {verb::post, "/webhook/test", false, false},
        {verb::put, "/webhook", false, false},
        {verb::remove, "/reels/{id}", false, false},
        {verb::remove, "/reels", false, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.route);
        EXPECT_TRUE(is_within(token_scope::all, expected.method, expected.route));
        EXPECT_EQ(is_within(token_scope::read, expected.method, expected.route), expected.is_read);
        EXPECT_EQ(
            is_within(token_scope::submit, expected.method, expected.route), expected.is_submit);
    }
}

}  // namespace
}  // namespace reelsd::api
