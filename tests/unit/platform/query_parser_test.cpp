// Goal: answers of queries are parsed correctly; any input is safe. Method: golden files
// (tests/golden/platform/queries) and tables.
#include "golden.hpp"
#include "platform/answer_parser.hpp"

#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

const link queried_reel = post_link("DYexample01");

TEST(ParseQuery, ReadsRecordedAnswers) {
    const auto files =
        test::check_golden(test::golden_folder() / "queries", ".txt", [](const std::string& body) {
            return answer_findings(answer_kind::query, body, queried_reel);
        });
    EXPECT_GE(files, 30);
}

TEST(ParseQuery, ReadsTheSlideThatTheLinkNames) {
    const auto body = test::text_of(test::golden_folder() / "queries/root_carousel.txt");
    auto third = queried_reel;
    third.img_index = 3;
    const auto answer = parse_query(body, third);
    ASSERT_TRUE(answer.subject);
    EXPECT_EQ(answer.subject->carousel->index, 3);
    EXPECT_TRUE(std::get<remote_media>(answer.subject->media).url.ends_with("&slide=3"));
    auto first = queried_reel;
    first.img_index = 1;
    EXPECT_EQ(parse_query(body, first).media, answer_media::photo);
}

TEST(ParseQuery, SurvivesAnything) {
    struct test_case {
        std::string body;
        answer_media media;
        answer_error platform_error;
    };
    using media = answer_media;
    using platform_error = answer_error;
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const std::string video =
        R"({"code":"DYexample01","media_type":2,"video_versions":[{"url":"https://a/1"}]})";
    const std::string answer = R"({"data":{"xig_polaris_media":)" + video + "}}";
    const test_case cases[] = {
        {"", media::absent, platform_error::no_json},
        {"  \n", media::absent, platform_error::no_json},
        {" <html>", media::absent, platform_error::html},
        {"{\"data\":", media::absent, platform_error::no_json},
        {"null", media::absent, platform_error::none},
        {"7", media::absent, platform_error::none},
        {deep, media::absent, platform_error::none},
        {"{\"data\":null}", media::absent, platform_error::none},
        {"{\"data\":null,\"errors\":7}", media::absent, platform_error::none},
        {"{\"data\":null,\"errors\":[7,null,{}]}", media::absent, platform_error::none},
        {"for (;;);" + answer, media::video, platform_error::none},
        {"\r\n for (;;); " + answer + "\r\n", media::video, platform_error::none},
        {answer + "\nrubbish", media::video, platform_error::none},
        {answer + "\n" + R"({"path":["xig_polaris_media"],"data":{"code":"DYother0001"}})",
         media::other_post,
         platform_error::none},
        {answer + "\n" + R"({"path":["xig_polaris_media","video_versions",9,"x"],"data":{}})",
         media::video,
         platform_error::none},
        {answer + "\n" + R"({"path":[-1,null],"data":{}})", media::video, platform_error::none},
        {"{\n \"data\": {\n  \"xig_polaris_media\": " + video + "\n }\n}",
         media::video,
         platform_error::none},
        {R"({"data":{"xdt_shortcode_media":7}})", media::unreadable, platform_error::none},
        {R"({"data":{"xdt_shortcode_media":{"shortcode":"DYexample01","is_video":true,)"
         R"("video_url":"file:///etc/passwd"}}})",
         media::video_without_url,
         platform_error::none},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.body.substr(0, 120));
        const auto parsed = parse_query(expected.body, queried_reel);
        EXPECT_EQ(parsed.media, expected.media);
        EXPECT_EQ(name_of(parsed.platform_error), name_of(expected.platform_error));
    }
}

TEST(PlatformErrorOf, ReadsErrorBodies) {
    struct test_case {
        const char* body;
        answer_error expected;
    };
    using platform_error = answer_error;
    constexpr test_case cases[] = {
        {R"({"message":"Please wait a few minutes before you try again.","status":"fail"})",
         platform_error::wait},
        {R"({"error_type":"rate_limit_error"})", platform_error::slow_down},
        {R"({"error_type":"sentry_block"})", platform_error::slow_down},
        {R"({"errors":[{"message":"x","code":1675004}]})", platform_error::slow_down},
        {R"({"message":"useragent mismatch"})", platform_error::outdated},
        {R"({"message":"Unauthorized logged out query"})", platform_error::outdated},
        {R"({"message":"challenge_required"})", platform_error::challenge},
        {R"({"message":"feedback_required"})", platform_error::challenge},
        {R"({"message":"Not authorized to view user"})", platform_error::private_account},
        {R"({"message":"Sorry, this media has been deleted"})", platform_error::not_found},
        {R"({"message":"Invalid media_id"})", platform_error::not_found},
        {R"({"title":"Restricted Video: x"})", platform_error::restricted},
        {R"({"description":"This content may be inappropriate: It's unavailable."})",
         platform_error::restricted},
        {R"({"errors":[{"message":"execution error"},{"message":"x","code":4630001}]})",
         platform_error::not_found},
        {R"({"status":"ok"})", platform_error::none},
        {R"({"caption":"has been deleted"})", platform_error::none},
        {"<html>Please wait a few minutes</html>", platform_error::html},
        {"", platform_error::no_json},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(name_of(platform_error_of(expected.body)), name_of(expected.expected))
            << expected.body;
}

}  // namespace
}  // namespace reelsd::platform
