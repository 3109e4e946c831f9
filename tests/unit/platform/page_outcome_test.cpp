// Goal: each row of platform.md section 3 that concerns the page ends in its one meaning.
// Method: table over the pure function.
#include <reelsd/platform/page_outcome.hpp>

#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

TEST(JudgePage, PutsEverySignalInItsPlace) {
    struct test_case {
        const char* name;
        page_signals signals;
        std::optional<errc> failure;
        bool needs_confirmation;
    };
    using media = page_media;
    using route = page_route;
    using redirect = page_redirect;
    constexpr auto none = std::nullopt;
    const test_case cases[] = {
        {"the video", {.route = route::post, .media = media::video}, none, false},
        {"data outweighs the route", {.route = route::login, .media = media::video}, none, false},
        {"no address", {.media = media::video_without_url}, errc::platform_changed, false},
        {"photo", {.media = media::photo}, errc::unsupported_format, false},
        {"gated", {.route = route::post, .media = media::gated}, errc::video_unavailable, false},
        {"withheld", {.media = media::withheld}, errc::video_unavailable, false},
        {"unreadable", {.media = media::unreadable}, errc::platform_changed, false},
        {"other post", {.media = media::other_post}, errc::platform_changed, false},
        {"null", {.route = route::post, .media = media::null_root}, errc::video_unavailable, true},
        {"error route", {.route = route::not_found}, errc::video_unavailable, true},
        {"throttled shell", {.route = route::post}, errc::platform_rate_limited, false},
        {"login route", {.route = route::login}, errc::platform_rate_limited, false},
        {"login route, follower's link",
         {.route = route::login, .is_follower_link = true},
         errc::video_unavailable,
         false},
        {"garbage", {}, errc::platform_changed, false},
        {"to login",
         {.status = 302, .redirect = redirect::login},
         errc::platform_rate_limited,
         false},
        {"to home",
         {.status = 302, .redirect = redirect::home},
         errc::platform_rate_limited,
         false},
        {"to login, follower's link",
         {.status = 302, .redirect = redirect::login, .is_follower_link = true},
         errc::video_unavailable,
         false},
        {"to a challenge",
         {.status = 302, .redirect = redirect::challenge},
         errc::platform_rate_limited,
         false},
        {"elsewhere",
         {.status = 302, .redirect = redirect::elsewhere},
         errc::platform_changed,
         false},
        {"302 without place", {.status = 302}, errc::platform_changed, false},
        {"429", {.status = 429}, errc::platform_rate_limited, false},
        {"401 wait", {.status = 401, .asks_to_wait = true}, errc::platform_rate_limited, false},
        {"400 wait", {.status = 400, .asks_to_wait = true}, errc::platform_rate_limited, false},
        {"400", {.status = 400}, errc::platform_changed, false},
        {"401", {.status = 401}, errc::platform_failed, false},
        {"403", {.status = 403}, errc::platform_failed, false},
        {"404", {.status = 404}, errc::video_unavailable, true},
        {"410", {.status = 410}, errc::video_unavailable, true},
        {"500", {.status = 500}, errc::platform_failed, false},
        {"503", {.status = 503}, errc::platform_failed, false},
        {"204", {.status = 204}, errc::platform_changed, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto verdict = judge(expected.signals);
        EXPECT_EQ(verdict.failure, expected.failure);
        EXPECT_EQ(verdict.needs_confirmation, expected.needs_confirmation);
        EXPECT_EQ(verdict.reason.empty(), !expected.failure.has_value());
    }
}

}  // namespace
}  // namespace reelsd::platform
