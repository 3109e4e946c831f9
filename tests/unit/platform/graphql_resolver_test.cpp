// Goal: the queries' answers end in the right post or error, without unnecessary requests. Method:
// the platform's stand-in, which refuses queries that differ from those of its pages; one behaviour
// per row.
#include "platform/http_resolvers.hpp"
#include "stand_in.hpp"

#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

using test::code;
using test::patience;
using test::stand_in;

using GraphqlResolver = test::resolver_test<graphql_resolver>;

TEST_F(GraphqlResolver, SendsTheRootQueryFirst) {
    stand_in::shared().has_post(code, {{"author", "some_one"}, {"plays", 901}});
    const auto outcome = resolver_.resolve(post_link(code), patience(), {});
    ASSERT_TRUE(outcome) << outcome.error().why.to_string();
    EXPECT_EQ(outcome->author, "some_one");
    EXPECT_EQ(outcome->view_count, 901);
    EXPECT_EQ(stand_in::shared().report().at("counts").dump(), R"({"root":1})");
}

TEST_F(GraphqlResolver, DistinguishesAnswers) {
    struct test_case {
        const char* root;
        const char* logged_out;
        std::optional<errc> failure;
        bool needs_confirmation;
        int roots;
        int logged_outs;

        /// Whether the root query reports that the post is missing, or may be.
        [[nodiscard]] bool is_root_negative() const {
            const std::string_view word{root};
            return word == "null" || word == "missing" || word == "not_found" ||
                   word == "field_exception";
        }
    };
    constexpr auto none = std::nullopt;
    constexpr auto gone = errc::video_unavailable;
    constexpr auto limited = errc::platform_rate_limited;
    constexpr auto broken = errc::platform_failed;
    constexpr auto changed = errc::platform_changed;
    constexpr test_case cases[] = {
        {"guarded", "ok", none, false, 1, 0},
        {"streamed", "ok", none, false, 1, 0},
        {"execution_error_once", "ok", none, false, 2, 0},
        {"execution_error", "ok", none, false, 2, 1},
        {"null", "ok", none, false, 1, 1},
        {"html", "ok", none, false, 1, 1},
        {"wait", "ok", none, false, 1, 1},
        {"outdated", "ok", none, false, 1, 1},
        {"field_exception", "ok", none, false, 1, 1},
        {"photo", "ok", errc::no_video, false, 1, 0},
        // The queries alone never prove that there is no such post.
        {"null", "null", gone, true, 1, 1},
        {"missing", "null", gone, true, 1, 1},
        {"not_found", "html", gone, true, 1, 1},
        {"html", "null", gone, true, 1, 1},
        {"field_exception", "null", gone, true, 1, 1},
        // An interrupted query is inconclusive about the post and the other query.
        {"cut", "ok", none, false, 1, 1},
        {"cut", "null", gone, true, 1, 1},
        {"null", "cut", gone, true, 1, 1},
        // A page error is definite.
        {"field_exception", "age", errc::video_restricted, false, 1, 1},
        {"field_exception", "geo", errc::video_restricted, false, 1, 1},
        {"null", "private", errc::login_required, false, 1, 1},
        {"null", "photo", errc::no_video, false, 1, 1},
        // A rate limit holds for both.
        {"rate_limited", "ok", limited, false, 1, 0},
        {"too_many", "ok", limited, false, 1, 0},
        {"html", "too_many", limited, false, 1, 1},
        {"wait", "wait", limited, false, 1, 1},
        {"wait", "html", limited, false, 1, 1},
        {"field_exception", "html", broken, false, 1, 1},
        {"forbidden", "html", broken, false, 1, 1},
        {"execution_error", "execution_error", broken, false, 2, 1},
        {"server_error", "server_error", broken, false, 1, 1},
        {"outdated", "html", changed, false, 1, 1},
        {"no_json", "no_json", changed, false, 1, 1},
        {"other_post", "other_post", changed, false, 1, 1},
        {"no_url", "no_url", changed, false, 1, 1},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(std::string{expected.root} + ", " + expected.logged_out);
        stand_in::shared().has_post(
            code, {{"root", expected.root}, {"logged_out", expected.logged_out}});
        const auto outcome = resolver_.resolve(post_link(code), patience(), {});
        EXPECT_EQ(outcome.has_value(), !expected.failure);
        if (!outcome && expected.failure) {
            EXPECT_EQ(outcome.error().why.code(), *expected.failure)
                << outcome.error().why.to_string();
            EXPECT_EQ(outcome.error().needs_confirmation, expected.needs_confirmation);
            const bool is_corroborated =
                std::string_view{expected.logged_out} == "null" && expected.is_root_negative();
            EXPECT_EQ(outcome.error().worth == confidence::corroborated, is_corroborated);
        }
        EXPECT_EQ(stand_in::shared().count("root"), expected.roots);
        EXPECT_EQ(stand_in::shared().count("logged_out"), expected.logged_outs);
    }
}

// The text for clients takes the proxy from the beginning of the detail.
TEST_F(GraphqlResolver, NamesAFailingProxyFirst) {
    const net::http_client client{
        {.policy = {.trusted_origins = {origin_.origin()}},
         .by_proxy = net::proxy::parse("http://nowhere.invalid:3128").value()}};
    const graphql_resolver by_proxy{client, {.platform = origin_}};
    const auto outcome = by_proxy.resolve(post_link(code), patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::proxy_failed);
    EXPECT_TRUE(outcome.error().why.detail().starts_with("nowhere.invalid:3128: "))
        << outcome.error().why.detail();
}

TEST_F(GraphqlResolver, DoesNotReportAPostThatIsSeenAsMissing) {
    for (const char* logged_out : {"null", "outdated", "html"}) {
        stand_in::shared().has_post(
            code, {{"slides", {"video_in_tracks"}}, {"logged_out", logged_out}});
        const auto outcome = resolver_.resolve(post_link(code), patience(), {});
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().why.code(), errc::separate_tracks) << logged_out;
        EXPECT_TRUE(outcome.error().needs_confirmation) << logged_out;
        EXPECT_EQ(outcome.error().worth, confidence::refuted) << logged_out;
    }
}

TEST_F(GraphqlResolver, UsesTheRequestProfile) {
    struct test_case {
        const char* name;
        request_profile profile;
        errc expected;
    };
    const test_case cases[] = {
        {"a Chrome without its TLS",
         {.query_user_agent = request_profile{}.browser_user_agent},
         errc::platform_failed},
        {"another application", {.app_id = "1"}, errc::platform_changed},
        {"retired document ids",
         {.root_doc_id = "8845758582119845", .logged_out_doc_id = "8845758582119845"},
         errc::video_unavailable},
        {"document ids at the wrong address",
         {.root_doc_id = request_profile{}.logged_out_doc_id,
          .logged_out_doc_id = request_profile{}.root_doc_id},
         errc::platform_failed},
        {"other names",
         {.root_query_name = "x", .logged_out_query_name = "y"},
         errc::platform_changed},
    };
    stand_in::shared().has_post(code, json::object());
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const graphql_resolver odd{client_, {.platform = origin_, .profile = expected.profile}};
        const auto outcome = odd.resolve(post_link(code), patience(), {});
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().why.code(), expected.expected) << outcome.error().why.to_string();
        EXPECT_EQ(outcome.error().needs_confirmation, expected.expected == errc::video_unavailable);
    }
}

TEST_F(GraphqlResolver, SendsOnlyOneQueryForACodeThatIsNotANumber) {
    const std::string long_code(28, 'z');  // More bits than a media id can have.
    ASSERT_FALSE(media_id_of(long_code));
    stand_in::shared().has_post(long_code, {{"root", "null"}});
    const auto outcome = resolver_.resolve(post_link(long_code), patience(), {});
    ASSERT_FALSE(outcome);
    EXPECT_TRUE(outcome.error().needs_confirmation);
    EXPECT_EQ(stand_in::shared().count("logged_out"), 0);
}

TEST_F(GraphqlResolver, EndsAtTheDeadlineAndOnAStopRequest) {
    stand_in::shared().has_post(code, {{"root", "stall"}});
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

}  // namespace
}  // namespace reelsd::platform
