// Goal: embed pages of all shapes are parsed; any input is safe. Method: golden files
// (tests/golden/platform/embeds) and tables.
#include "golden.hpp"
#include "platform/answer_parser.hpp"

#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

const link embedded_reel = post_link("DYexample01");

TEST(ParseEmbed, ReadsRecordedPages) {
    const auto files =
        test::check_golden(test::golden_folder() / "embeds", ".html", [](const std::string& html) {
            return answer_findings(answer_kind::embed, html, embedded_reel);
        });
    EXPECT_GE(files, 13);
}

TEST(ParseEmbed, ReadsTheSlideThatTheLinkNames) {
    const auto html = test::text_of(test::golden_folder() / "embeds/carousel.html");
    auto third = embedded_reel;
    third.img_index = 3;
    const auto embed = parse_embed(html, third);
    ASSERT_TRUE(embed.subject);
    EXPECT_EQ(embed.subject->carousel->index, 3);
    auto first = embedded_reel;
    first.img_index = 1;
    EXPECT_EQ(parse_embed(html, first).media, answer_media::photo);
}

TEST(ParseEmbed, SurvivesAnything) {
    struct test_case {
        std::string html;
        answer_media media;
    };
    using media = answer_media;
    const std::string deep = std::string(100'000, '[');
    const test_case cases[] = {
        {"", media::absent},
        {"\"contextJSON\"", media::absent},
        {"\"contextJSON\":", media::absent},
        {"\"contextJSON\":null", media::absent},
        {"\"contextJSON\":\"", media::absent},
        {"\"contextJSON\":\"\\\"", media::absent},
        {"\"contextJSON\":\"{}\"", media::absent},
        {R"("contextJSON" : "{\"shortcode_media\":null}")", media::null_root},
        {R"("contextJSON":"{\"shortcode_media\":{\"shortcode\":\"DYother0001\"}}")",
         media::other_post},
        {R"("contextJSON":"{\"shortcode_media\":{\"shortcode\":\"DYexample01\"}}")",
         media::unreadable},
        {R"("contextJSON":"{\"shortcode_media\":{\"shortcode\":\"DYexample01\",)"
         R"(\"__typename\":\"GraphSidecar\"}}")",
         media::unreadable},
        {"\"contextJSON\":\"" + deep + "\"", media::absent},
        {"\"contextJSON\":" + deep, media::absent},
        {"__additionalDataLoaded(", media::absent},
        {"__additionalDataLoaded('extra',{", media::absent},
        {"__additionalDataLoaded('extra',null);{\"shortcode_media\":null}", media::absent},
        {"<video class=\"EmbeddedMediaVideo\"", media::absent},
        {"<video class=\"EmbeddedMediaVideo\">", media::absent},
        {"<video class=\"EmbeddedMediaVideo\" src=\"file:///etc/passwd\">", media::absent},
        {"x \"EmbeddedMediaVideo\" src=\"https://a/1\" <p>", media::absent},
        {"<video src=\"https://a/1\" class=\"EmbeddedMediaVideo\">", media::video},
        {"<div data-media-type=\"GraphVideo\">", media::video_without_url},
        {R"(\"video_url\":\"https://a/1\")", media::absent},
        {R"(\"shortcode\":\"DYother0001\",\"video_url\":\"https://a/1\")", media::absent},
        {R"(\"shortcode\":\"DYexample01\",\"video_url\":\"https:\\\/\\\/a\\\/1\")", media::video},
        {R"(\"shortcode\":\"DYexample01\",\"video_url\":\"https)", media::absent},
        {R"(\"shortcode\":\"DYexample01\",\"video_url\":\"javascript:x\")", media::absent},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.html.substr(0, 120));
        EXPECT_EQ(parse_embed(expected.html, embedded_reel).media, expected.media);
    }
}

}  // namespace
}  // namespace reelsd::platform
