// Goal: the answers of queries are read as the facts show them, and no input does harm. Method:
// golden files (tests/golden/platform/queries) and tables.
#include "platform/query_parser.hpp"

#include "golden.hpp"

#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

const link wanted = post_link("DYexample01");

TEST(ParseAnswer, ReadsRecordedAnswers) {
    const auto files =
        test::check_golden(test::golden_folder() / "queries", ".txt", [](const std::string& body) {
            return answer_findings(answer_kind::query, body, wanted);
        });
    EXPECT_GE(files, 30);
}

TEST(ParseAnswer, TakesTheSlideThatTheLinkNames) {
    const auto body = test::text_of(test::golden_folder() / "queries/root_carousel.txt");
    auto third = wanted;
    third.img_index = 3;
    const auto answer = parse_answer(body, third);
    ASSERT_TRUE(answer.subject);
    EXPECT_EQ(answer.subject->carousel->index, 3);
    EXPECT_TRUE(std::get<remote_media>(answer.subject->media).url.ends_with("&slide=3"));
    auto first = wanted;
    first.img_index = 1;
    EXPECT_EQ(parse_answer(body, first).media, answer_media::photo);
}

TEST(ParseAnswer, SurvivesAnything) {
    struct test_case {
        std::string body;
        answer_media media;
        answer_complaint complaint;
    };
    using media = answer_media;
    using complaint = answer_complaint;
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const std::string video =
        R"({"code":"DYexample01","media_type":2,"video_versions":[{"url":"https://a/1"}]})";
    const std::string answer = R"({"data":{"xig_polaris_media":)" + video + "}}";
    const test_case cases[] = {
        {"", media::absent, complaint::no_json},
        {"  \n", media::absent, complaint::no_json},
        {" <html>", media::absent, complaint::html},
        {"{\"data\":", media::absent, complaint::no_json},
        {"null", media::absent, complaint::none},
        {"7", media::absent, complaint::none},
        {deep, media::absent, complaint::none},
        {"{\"data\":null}", media::absent, complaint::none},
        {"{\"data\":null,\"errors\":7}", media::absent, complaint::none},
        {"{\"data\":null,\"errors\":[7,null,{}]}", media::absent, complaint::none},
        {"for (;;);" + answer, media::video, complaint::none},
        {"\r\n for (;;); " + answer + "\r\n", media::video, complaint::none},
        {answer + "\nrubbish", media::video, complaint::none},
        {answer + "\n" + R"({"path":["xig_polaris_media"],"data":{"code":"DYother0001"}})",
         media::other_post,
         complaint::none},
        {answer + "\n" + R"({"path":["xig_polaris_media","video_versions",9,"x"],"data":{}})",
         media::video,
         complaint::none},
        {answer + "\n" + R"({"path":[-1,null],"data":{}})", media::video, complaint::none},
        {"{\n \"data\": {\n  \"xig_polaris_media\": " + video + "\n }\n}",
         media::video,
         complaint::none},
        {R"({"data":{"xdt_shortcode_media":7}})", media::unreadable, complaint::none},
        {R"({"data":{"xdt_shortcode_media":{"shortcode":"DYexample01","is_video":true,)"
         R"("video_url":"file:///etc/passwd"}}})",
         media::video_without_url,
         complaint::none},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.body.substr(0, 120));
        const auto found = parse_answer(expected.body, wanted);
        EXPECT_EQ(found.media, expected.media);
        EXPECT_EQ(name_of(found.complaint), name_of(expected.complaint));
    }
}

TEST(ComplaintOf, ReadsErrorBodies) {
    struct test_case {
        const char* body;
        answer_complaint expected;
    };
    using complaint = answer_complaint;
    constexpr test_case cases[] = {
        {R"({"message":"Please wait a few minutes before you try again.","status":"fail"})",
         complaint::wait},
        {R"({"error_type":"rate_limit_error"})", complaint::slow_down},
        {R"({"error_type":"sentry_block"})", complaint::slow_down},
        {R"({"errors":[{"message":"x","code":1675004}]})", complaint::slow_down},
        {R"({"message":"useragent mismatch"})", complaint::outdated},
        {R"({"message":"Unauthorized logged out query"})", complaint::outdated},
        {R"({"message":"challenge_required"})", complaint::challenge},
        {R"({"message":"feedback_required"})", complaint::challenge},
        {R"({"message":"Not authorized to view user"})", complaint::private_account},
        {R"({"message":"Sorry, this media has been deleted"})", complaint::not_found},
        {R"({"message":"Invalid media_id"})", complaint::not_found},
        {R"({"title":"Restricted Video: x"})", complaint::restricted},
        {R"({"description":"This content may be inappropriate: It's unavailable."})",
         complaint::restricted},
        {R"({"errors":[{"message":"execution error"},{"message":"x","code":4630001}]})",
         complaint::not_found},
        {R"({"status":"ok"})", complaint::none},
        {R"({"caption":"has been deleted"})", complaint::none},
        {"<html>Please wait a few minutes</html>", complaint::html},
        {"", complaint::no_json},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(name_of(complaint_of(expected.body)), name_of(expected.expected))
            << expected.body;
}

}  // namespace
}  // namespace reelsd::platform
