// Goal: each page ends in the right post or error, without unnecessary requests. Method: the
// platform's stand-in, one behaviour per row.
#include "platform/http_resolvers.hpp"
#include "stand_in.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

using test::code;
using test::patience;
using test::stand_in;

using PageResolver = test::resolver_test<page_resolver>;

TEST_F(PageResolver, FindsThePost) {
    stand_in::shared().has_post(code, {{"page", "ok"}, {"author", "some_one"}});
    const auto outcome = resolver_.resolve(post_link(code), patience(), {});
    ASSERT_TRUE(outcome) << outcome.error().why.to_string();
    EXPECT_EQ(outcome->code, code);
    EXPECT_EQ(outcome->author, "some_one");
    EXPECT_THAT(
        std::get<remote_media>(outcome->media).url,
        ::testing::StartsWith(stand_in::shared().origin() + "/v/DYexample01.mp4?efg=e30%3D&oh="));

    const auto report = stand_in::shared().report();
    EXPECT_EQ(report.at("counts").dump(), R"({"page":1})");
    const auto& request = report.at("requests").at(0);
    EXPECT_EQ(request.at("path"), "/reel/DYexample01/");
    const auto& headers = request.at("headers");
    EXPECT_FALSE(headers.contains("Cookie"));
    EXPECT_EQ(headers.at("Accept-Language"), "en-US,en;q=0.9");
    EXPECT_THAT(
        headers.at("sec-ch-ua").get<std::string>(),
        ::testing::HasSubstr("\"Google Chrome\";v=\"156\""));
}

TEST_F(PageResolver, DistinguishesErrors) {
    struct test_case {
        const char* behaviour;
        errc expected;
        int pages;
    };
    constexpr test_case cases[] = {
        {"missing", errc::video_unavailable, 2},
        {"not_found", errc::video_unavailable, 2},
        {"deleted", errc::video_unavailable, 2},
        {"age", errc::video_restricted, 1},
        {"geo", errc::video_restricted, 1},
        {"private", errc::login_required, 1},
        {"photo_page", errc::no_video, 1},
        {"throttled", errc::platform_rate_limited, 1},
        {"login_wall", errc::platform_rate_limited, 1},
        {"login_redirect", errc::platform_rate_limited, 1},
        {"home_redirect", errc::platform_rate_limited, 1},
        {"challenge", errc::platform_rate_limited, 1},
        {"rate_limited", errc::platform_rate_limited, 1},
        {"wait", errc::platform_rate_limited, 1},
        {"server_error", errc::platform_failed, 1},
        {"refused", errc::platform_failed, 1},
        {"garbage", errc::platform_changed, 1},
        {"broken_json", errc::platform_changed, 1},
        {"no_url", errc::platform_changed, 1},
        {"other_post", errc::platform_changed, 1},
        {"endless", errc::platform_changed, 1},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.behaviour);
        stand_in::shared().has_post(code, {{"page", expected.behaviour}});
        const auto outcome = resolver_.resolve(post_link(code), patience(), {});
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().why.code(), expected.expected) << outcome.error().why.to_string();
        EXPECT_EQ(stand_in::shared().count("page"), expected.pages);
    }
}

TEST_F(PageResolver, FollowsRedirectsWithinThePost) {
    stand_in::shared().has_post(code, {{"page", "redirect"}, {"location", "/p/DYexample01/"}});
    EXPECT_TRUE(resolver_.resolve(post_link(code), patience(), {}));
    EXPECT_EQ(stand_in::shared().count("page"), 2);

    for (const char* location :
         {"/reel/DYother0001/",
          "https://evil.test/reel/DYexample01/",
          "http://169.254.169.254/",
          "/reel/DYexample01/" /* a loop */}) {
        SCOPED_TRACE(location);
        stand_in::shared().has_post(code, {{"page", "redirect"}, {"location", location}});
        const auto outcome = resolver_.resolve(post_link(code), patience(), {});
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().why.code(), errc::platform_changed)
            << outcome.error().why.to_string();
        EXPECT_LE(stand_in::shared().count("page"), 4);
    }
}

TEST_F(PageResolver, UsesTheAnswerOfTheSecondAddress) {
    // The first request gets the error page; then the stand-in throttles.
    stand_in::shared().reset(
        {{"posts", {{code, {{"page", "missing"}}}}},
         {"page_budget", 1},
         {"over_budget", "throttled"}});
    const auto outcome = resolver_.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::platform_rate_limited);
}

TEST_F(PageResolver, ReportsAFollowersLinkAsUnavailable) {
    const auto private_link = post_link(code + std::string(28, 'k'));
    stand_in::shared().has_post(private_link.code, {{"page", "login_redirect"}});
    const auto outcome = resolver_.resolve(private_link, patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::login_required);
}

TEST_F(PageResolver, EndsAtTheDeadlineAndOnAStopRequest) {
    stand_in::shared().has_post(code, {{"page", "stall"}});
    const auto late =
        resolver_.resolve(post_link(code), deadline::after(std::chrono::milliseconds{50}), {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().why.code(), errc::timed_out);

    std::stop_source stop;
    stop.request_stop();
    const auto stopped = resolver_.resolve(post_link(code), patience(), stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().why.code(), errc::cancelled);
}

TEST_F(PageResolver, ExpandsShareLinks) {
    struct test_case {
        const char* target;
        std::optional<errc> failure;
    };
    constexpr test_case cases[] = {
        {"DYexample01", std::nullopt},
        {"/some.one/p/DYexample01/?img_index=2", std::nullopt},
        {"/accounts/login/?next=x", errc::platform_rate_limited},
        {"/some.one/", errc::video_unavailable},
        {"/", errc::platform_rate_limited},
        {"/challenge/?next=x", errc::platform_rate_limited},
        {"/share/reel/BAKl0x/", errc::platform_changed},
    };
    const auto shared = parse_link("https://www.instagram.com/share/reel/BAKl0x").value();
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.target);
        stand_in::shared().reset({{"shares", {{"BAKl0x", expected.target}}}});
        const auto meant = expand_share_link(client_, origin_, shared, patience(), {});
        ASSERT_EQ(meant.has_value(), !expected.failure);
        if (meant)
            EXPECT_EQ(meant->code, code);
        else
            EXPECT_EQ(no_post{meant.error()}.why.code(), *expected.failure);
    }
    stand_in::shared().reset(json::object());
    const auto unknown = expand_share_link(client_, origin_, shared, patience(), {});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(no_post{unknown.error()}.why.code(), errc::video_unavailable);
}

TEST(RedirectOf, RecognizesTargets) {
    struct test_case {
        const char* location;
        answer_redirect expected;
    };
    constexpr test_case cases[] = {
        {"/", answer_redirect::home},
        {"https://www.instagram.com/", answer_redirect::home},
        {"/?next=x", answer_redirect::home},
        {"/accounts/login/?next=/reel/x/", answer_redirect::login},
        {"https://www.instagram.com/accounts/login", answer_redirect::login},
        {"/challenge/?next=x", answer_redirect::challenge},
        {"/some.one/reel/DYexample01/", answer_redirect::post},
        {"https://www.instagram.com/p/DYexample01/", answer_redirect::post},
        {"/p/DYother0001/", answer_redirect::elsewhere},
        {"/consent/", answer_redirect::elsewhere},
        {"https://evilinstagram.com/p/DYexample01/", answer_redirect::elsewhere},
        {"file:///etc/passwd", answer_redirect::elsewhere},
        {"", answer_redirect::elsewhere},
    };
    const auto from = net::url::parse("https://www.instagram.com/reel/DYexample01/").value();
    for (const auto& expected : cases)
        EXPECT_EQ(redirect_of(from, expected.location, post_link(code)), expected.expected)
            << expected.location;
}

}  // namespace
}  // namespace reelsd::platform
