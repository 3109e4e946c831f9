// Goal: recorded pages are parsed correctly; any input is safe. Method: golden files
// (tests/golden/platform: pages and findings; REELSD_UPDATE_GOLDEN=1 rewrites them) and tables.
#include "golden.hpp"
#include "platform/answer_parser.hpp"

#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

const link reel = post_link("DYexample01");

const std::filesystem::path golden = test::golden_folder();

TEST(ParsePage, ReadsRecordedPages) {
    const int pages = test::check_golden(golden, ".html", [](const std::string& html) {
        return answer_findings(answer_kind::page, html, reel);
    });
    EXPECT_GE(pages, 15);
}

TEST(ParsePage, ReadsTheSlideThatTheLinkNames) {
    struct test_case {
        std::optional<int> img_index;
        answer_media media;
        int index;
    };
    constexpr test_case cases[] = {
        {std::nullopt, answer_media::video, 2},
        {1, answer_media::photo, 0},
        {2, answer_media::video, 2},
        {3, answer_media::video, 3},
        {4, answer_media::video, 2},  // No such slide: ignored.
    };
    const auto html = test::text_of(golden / "carousel_first_video.html");
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.img_index.value_or(0));
        auto slide_link = reel;
        slide_link.img_index = expected.img_index;
        const auto page = parse_page(html, slide_link);
        EXPECT_EQ(page.media, expected.media);
        ASSERT_EQ(page.subject.has_value(), expected.index > 0);
        if (!page.subject) continue;
        ASSERT_TRUE(page.subject->carousel);
        EXPECT_EQ(page.subject->carousel->index, expected.index);
        EXPECT_EQ(page.subject->carousel->count, 3);
    }
}

TEST(ParsePage, RecognizesThePostByItsPublicCode) {
    const auto page = parse_page(
        test::text_of(golden / "reel.html"), post_link("DYexample01" + std::string(28, 'k')));
    ASSERT_TRUE(page.subject);
    EXPECT_EQ(page.subject->code, "DYexample01");
    EXPECT_EQ(page.subject->url, "https://www.instagram.com/reel/DYexample01/");
}

std::string in_block(const std::string& json_text) {
    return "<script type=\"application/json\" data-sjs>" + json_text + "</script>";
}

std::string video(const std::string& versions) {
    return R"({"xig_polaris_media":{"code":"DYexample01","media_type":2,"video_versions":)" +
           versions + "}}";
}

TEST(ParsePage, ChoosesTheBestFile) {
    struct test_case {
        const char* versions;
        const char* url;
    };
    constexpr test_case cases[] = {
        {R"([{"type":102,"url":"https://a/2"},{"type":101,"url":"https://a/1"}])", "https://a/1"},
        {R"([{"type":101,"url":"https://a/1","width":10,"height":10},
             {"type":103,"url":"https://a/3","width":10,"height":20}])",
         "https://a/3"},
        {R"([{"type":103,"url":"https://a/3","width":10,"height":20},
             {"type":101,"url":"https://a/1","width":20,"height":10}])",
         "https://a/1"},
        {R"([{"type":101,"url":"https://a/1"},)"
         R"({"type":102,"url":"https://a/2","width":1,"height":1}])",
         "https://a/2"},
        {R"([{"type":101,"url":null},{"type":101,"url":"file:///x"},{"url":"http://a/4"}])",
         "http://a/4"},
        {R"([{"type":101,"url":"https:\/\/a\/x?a=1\u0026b=%2F"}])", "https://a/x?a=1&b=%2F"},
        {R"([{"url":"https://a/1","width":99999999999999999999,"height":-5}])", "https://a/1"},
    };
    for (const auto& expected : cases) {
        const auto page = parse_page(in_block(video(expected.versions)), reel);
        ASSERT_TRUE(page.subject) << expected.versions;
        EXPECT_EQ(std::get<remote_media>(page.subject->media).url, expected.url);
    }
}

TEST(ParsePage, SurvivesAnything) {
    struct test_case {
        std::string html;
        answer_media media;
    };
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const test_case cases[] = {
        {"", answer_media::absent},
        {"<script", answer_media::absent},
        {"<script type=\"application/json", answer_media::absent},
        {"<script type='application/json' data-sjs>{\"xig_polaris_media\":", answer_media::absent},
        {"<script = type=application/json data-sjs >" + video("[{\"url\":\"https://a/1\"}]") +
             "</script>",
         answer_media::video},
        {in_block("{\"xig_polaris_media\":{\"code\":\"DYexample01\","), answer_media::unreadable},
        {in_block("{\"xig_polaris_media\":{\"code\":\"DYother0001\","), answer_media::absent},
        {in_block("{\"xig_polaris_media\":null}"), answer_media::null_root},
        {in_block("{\"xig_polaris_media\":7}"), answer_media::unreadable},
        {in_block("{\"xig_polaris_media\":[]}"), answer_media::unreadable},
        {in_block("{\"xig_polaris_media\":{}}"), answer_media::unreadable},
        {in_block("{\"xig_polaris_media\":{\"code\":\"DYother0001\"}}"), answer_media::other_post},
        {in_block("{\"xdt_api__v1__media__shortcode__web_info\":{\"items\":[]}}"),
         answer_media::null_root},
        {in_block("{\"xdt_api__v1__media__shortcode__web_info\":null}"), answer_media::null_root},
        {in_block(video("[]")), answer_media::video_without_url},
        {in_block(video("7")), answer_media::video_without_url},
        {in_block(video("[7,null,{}]")), answer_media::video_without_url},
        {in_block("{\"xig_polaris_media\":null,\"deep\":" + deep + "}"), answer_media::null_root},
        {in_block("{\"deep\":" + deep + "," + video("[{\"url\":\"https://a/1\"}]").substr(1)),
         answer_media::video},
        {"<p>" + video("[{\"url\":\"https://a/1\"}]") + "</p>", answer_media::absent},
        {"<script>" + video("[{\"url\":\"https://a/1\"}]") + "</script>", answer_media::absent},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(name_of(parse_page(expected.html, reel).media), name_of(expected.media))
            << expected.html.substr(0, 100);
}

TEST(ParsePage, ReplacesHalvedSurrogatePairs) {
    struct test_case {
        const char* text;
        const char* caption;
    };
    constexpr test_case cases[] = {
        {R"(cut \ud83d)", "cut \xef\xbf\xbd"},
        {R"(\ude00 cut)", "\xef\xbf\xbd cut"},
        {R"(\ud83d\ud83d\ude00)", "\xef\xbf\xbd\xf0\x9f\x98\x80"},
        {R"(\\ud83d \ud83d)", "\\ud83d \xef\xbf\xbd"},
        {R"(nul \u0000 \ud83d)", "nul  \xef\xbf\xbd"},
    };
    for (const auto& expected : cases) {
        const auto page = parse_page(
            in_block(
                R"({"xig_polaris_media":{"code":"DYexample01","caption":{"text":")" +
                std::string{expected.text} + R"("},"video_versions":[{"url":"https://a/1"}]}})"),
            reel);
        ASSERT_TRUE(page.subject) << expected.text;
        EXPECT_EQ(page.subject->caption, expected.caption);
    }
}

TEST(ParsePage, AcceptsARouteInTextOnlyIfItIsUnique) {
    const std::string error_route = R"("canonicalRouteName":"comet.igweb.PolarisErrorRoute")";
    const std::string post_route =
        R"("canonicalRouteName":"comet.igweb.PolarisLoggedOutDesktopWWWPostRoute")";
    EXPECT_EQ(parse_page(error_route + error_route, reel).route, page_route::not_found);
    EXPECT_EQ(parse_page(error_route + post_route, reel).route, page_route::unknown);
    EXPECT_EQ(
        parse_page(error_route + in_block("{" + post_route + "}"), reel).route, page_route::post);
}

}  // namespace
}  // namespace reelsd::platform
