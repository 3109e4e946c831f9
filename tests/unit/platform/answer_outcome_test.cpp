// Goal: each kind of answer has one classification. Method: table over the pure
// function.
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/resolver.hpp>

#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

TEST(Classify, MapsEverySignal) {
    struct test_case {
        const char* name;
        answer_signals signals;
        std::optional<errc> failure;
        bool needs_confirmation;
    };
    using media = answer_media;
    using route = page_route;
    using redirect = answer_redirect;
    using platform_error = answer_error;
    using kind = answer_kind;
    const auto in_query = [](platform_error what, int status = 200) {
        return answer_signals{.kind = kind::query, .status = status, .platform_error = what};
    };
    constexpr auto none = std::nullopt;
    const test_case cases[] = {
        {"the video", {.route = route::post, .media = media::video}, none, false},
        {"data over the route", {.route = route::login, .media = media::video}, none, false},
        {"separate tracks, not accepted",
         {.media = media::video_in_tracks},
         errc::separate_tracks,
         true},
        {"separate tracks, accepted",
         {.media = media::video_in_tracks, .takes_tracks = true},
         none,
         false},
        {"no address", {.media = media::video_without_url}, errc::platform_changed, false},
        {"photo", {.media = media::photo}, errc::no_video, false},
        {"gated", {.route = route::post, .media = media::gated}, errc::video_restricted, false},
        {"withheld", {.media = media::withheld}, errc::login_required, false},
        {"unreadable", {.media = media::unreadable}, errc::platform_changed, false},
        {"other post", {.media = media::other_post}, errc::platform_changed, false},
        {"null", {.route = route::post, .media = media::null_root}, errc::video_unavailable, true},
        {"error route", {.route = route::not_found}, errc::video_unavailable, true},
        {"page without data", {.route = route::post}, errc::platform_rate_limited, false},
        {"login route", {.route = route::login}, errc::platform_rate_limited, false},
        {"login route, follower's link",
         {.route = route::login, .is_follower_link = true},
         errc::login_required,
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
         errc::login_required,
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
        {"401 wait",
         {.status = 401, .platform_error = answer_error::wait},
         errc::platform_rate_limited,
         false},
        {"400 wait",
         {.status = 400, .platform_error = answer_error::wait},
         errc::platform_rate_limited,
         false},
        {"400", {.status = 400}, errc::platform_changed, false},
        {"401", {.status = 401}, errc::platform_failed, false},
        {"403", {.status = 403}, errc::platform_failed, false},
        {"404", {.status = 404}, errc::video_unavailable, true},
        {"410", {.status = 410}, errc::video_unavailable, true},
        {"500", {.status = 500}, errc::platform_failed, false},
        {"query: the video", {.kind = kind::query, .media = media::video}, none, false},
        {"query: the video and an error",
         {.kind = kind::query,
          .media = media::video,
          .platform_error = platform_error::execution_error},
         none,
         false},
        {"query: gated and an error",
         {.kind = kind::query,
          .media = media::gated,
          .platform_error = platform_error::field_exception},
         errc::video_restricted,
         false},
        {"query: null",
         {.kind = kind::query, .media = media::null_root},
         errc::video_unavailable,
         true},
        {"query: null and an error",
         {.kind = kind::query,
          .media = media::null_root,
          .platform_error = platform_error::execution_error},
         errc::platform_failed,
         false},
        {"query: no data", {.kind = kind::query}, errc::platform_changed, false},
        {"query: page", in_query(platform_error::html), errc::platform_failed, false},
        {"query: no JSON", in_query(platform_error::no_json), errc::platform_changed, false},
        {"query: execution error",
         in_query(platform_error::execution_error),
         errc::platform_failed,
         false},
        {"query: field exception",
         in_query(platform_error::field_exception),
         errc::platform_failed,
         false},
        {"query: outdated", in_query(platform_error::outdated), errc::platform_changed, false},
        {"query: 400 outdated",
         in_query(platform_error::outdated, 400),
         errc::platform_changed,
         false},
        {"query: not found", in_query(platform_error::not_found), errc::video_unavailable, true},
        {"query: restricted", in_query(platform_error::restricted), errc::video_restricted, false},
        {"query: private account",
         in_query(platform_error::private_account, 400),
         errc::login_required,
         false},
        {"query: challenge",
         in_query(platform_error::challenge, 400),
         errc::platform_rate_limited,
         false},
        {"query: wait", in_query(platform_error::wait, 401), errc::platform_rate_limited, false},
        {"query: slow down",
         in_query(platform_error::slow_down),
         errc::platform_rate_limited,
         false},
        {"query: 429", in_query(platform_error::no_json, 429), errc::platform_rate_limited, false},
        {"query: 403", in_query(platform_error::html, 403), errc::platform_failed, false},
        {"query: 404", in_query(platform_error::html, 404), errc::platform_changed, false},
        {"query: 500", in_query(platform_error::wait, 500), errc::platform_failed, false},
        {"embed: not allowed",
         {.kind = kind::embed, .media = media::video_without_url},
         errc::platform_failed,
         false},
        {"embed: null",
         {.kind = kind::embed, .media = media::null_root},
         errc::video_unavailable,
         true},
        {"embed: 404", {.kind = kind::embed, .status = 404}, errc::video_unavailable, true},
        {"embed: photo", {.kind = kind::embed, .media = media::photo}, errc::no_video, false},
        {"embed: without data", {.kind = kind::embed}, errc::platform_changed, false},
        {"503", {.status = 503}, errc::platform_failed, false},
        {"204", {.status = 204}, errc::platform_changed, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto classification = classify(expected.signals);
        EXPECT_EQ(classification.failure, expected.failure);
        EXPECT_EQ(classification.needs_confirmation, expected.needs_confirmation);
        EXPECT_EQ(classification.reason.empty(), !expected.failure.has_value());
    }
}

// Goal: 429 limits the client, not the link, whatever its body says.
TEST(Classify, TooManyRequestsThrottleTheClient) {
    for (const auto why :
         {answer_error::none, answer_error::no_json, answer_error::wait, answer_error::html}) {
        const auto of_page = classify({.status = 429, .platform_error = why});
        EXPECT_EQ(of_page.failure, errc::platform_rate_limited);
        EXPECT_TRUE(of_page.throttles_client);
        EXPECT_TRUE(classify({.kind = answer_kind::query, .status = 429, .platform_error = why})
                        .throttles_client);
    }
    EXPECT_FALSE(classify({.status = 401, .platform_error = answer_error::wait}).throttles_client);
}

TEST(TryOutcomeOf, DistinguishesThrottling) {
    no_post none{error{errc::platform_rate_limited}};
    EXPECT_EQ(try_outcome_of(none), try_outcome::rate_limited);
    none.throttles_client = true;
    EXPECT_EQ(try_outcome_of(none), try_outcome::throttled);
}

// The platform sends visitors with a follower's link to the login page, and all visitors of a
// server whose address it refuses.
TEST(TryOutcomeOf, TakesNoRedirectToTheLoginPageForAnAnswer) {
    const answer_signals to_login{
        .status = 302, .redirect = answer_redirect::login, .is_follower_link = true};
    const answer_signals restricted{.platform_error = answer_error::private_account};
    for (const auto& signals : {to_login, restricted}) {
        const auto classification = classify(signals);
        ASSERT_EQ(classification.failure, errc::login_required);
        const no_post none{error{errc::login_required}, classification, signals};
        const bool is_answer = signals.redirect == answer_redirect::none;
        EXPECT_EQ(try_outcome_of(none), is_answer ? try_outcome::answered : try_outcome::failed);
    }
}

}  // namespace
}  // namespace reelsd::platform
