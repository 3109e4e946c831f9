// Goal: the output of yt-dlp is parsed correctly, its error messages are mapped to errors, and any
// input is safe. Method: golden files (tests/golden/platform/yt_dlp), tables, truncated documents.

#include "golden.hpp"
#include "platform/answer_parser.hpp"
#include <reelsd/platform/yt_dlp_resolver.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

const link reel = post_link("DYexample01");

std::string recorded(const char* name) {
    return test::text_of(test::golden_folder() / "yt_dlp" / name);
}

std::string url_in(const parsed_answer& answer) {
    return answer.subject ? std::get<remote_media>(answer.subject->media).url : "";
}

TEST(ParseYtDlp, ReadsRecordedDocuments) {
    const auto files =
        test::check_golden(test::golden_folder() / "yt_dlp", ".txt", [](const std::string& text) {
            return yt_dlp_findings(text, reel);
        });
    EXPECT_GE(files, 21);
}

TEST(ParseYtDlp, ReadsTheSlideThatTheLinkNames) {
    const auto text = recorded("carousel.txt");
    struct test_case {
        std::optional<int> named;
        answer_media media;
        int index;
        const char* url;
    };
    const test_case cases[] = {
        {std::nullopt, answer_media::video, 2, "DYslide0002.mp4"},
        {1, answer_media::absent, 0, ""},
        {3, answer_media::video, 3, "DYslide0003.mp4"},
        {4, answer_media::video, 2, "DYslide0002.mp4"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.named.value_or(0));
        auto slide = reel;
        slide.img_index = expected.named;
        const auto answer = parse_yt_dlp(text, slide);
        EXPECT_EQ(answer.media, expected.media);
        EXPECT_THAT(url_in(answer), ::testing::HasSubstr(expected.url));
        if (!answer.subject) continue;
        EXPECT_EQ(answer.subject->carousel->index, expected.index);
        EXPECT_EQ(answer.subject->carousel->count, 3);
        EXPECT_EQ(answer.subject->code, "DYexample01");
    }
}

TEST(ParseYtDlp, RecognizesAFollowersLinkByItsPublicCode) {
    const auto follower = post_link("DYexample01" + std::string(28, 'k'));
    const auto answer = parse_yt_dlp(recorded("reel.txt"), follower);
    ASSERT_TRUE(answer.subject);
    EXPECT_EQ(answer.subject->code, "DYexample01");
}

TEST(ParseYtDlp, SurvivesCutAndDamagedDocuments) {
    for (const char* name : {"reel.txt", "carousel.txt", "unknown_fields.txt"}) {
        const auto text = recorded(name);
        ASSERT_FALSE(text.empty());
        const auto end = text.find_last_of('}');
        for (std::size_t length = 0; length <= end; length += 17)
            ASSERT_FALSE(parse_yt_dlp(std::string_view{text}.substr(0, length), reel).subject);
        // One member of another type.
        for (auto at = text.find(": "); at != std::string::npos; at = text.find(": ", at + 1)) {
            for (const char* value : {"[1]", "-1", "\"\\u0000\"", "null"}) {
                auto damaged = text.substr(0, at + 2) + value + ", \"x\": " + text.substr(at + 2);
                const auto answer = parse_yt_dlp(damaged, reel);
                ASSERT_EQ(answer.media == answer_media::video, answer.subject.has_value());
            }
        }
    }
    EXPECT_EQ(parse_yt_dlp(std::string(100'000, '['), reel).media, answer_media::absent);
    EXPECT_EQ(
        parse_yt_dlp(R"({"id":"DYexample01","entries":7})", reel).media, answer_media::unreadable);
    EXPECT_EQ(
        parse_yt_dlp(R"({"id":"DYexample01","entries":[7,{}]})", reel).media, answer_media::absent);
    EXPECT_EQ(
        parse_yt_dlp(R"({"id":"DYexample01","formats":[7,null,{"url":7}]})", reel).media,
        answer_media::video_without_url);
}

TEST(ClassifyYtDlp, MapsEveryMessage) {
    struct test_case {
        const char* platform_error;
        errc code;
        bool needs_confirmation;
    };
    constexpr test_case cases[] = {
        {"The webpage request was redirected to the login page. You have exceeded the rate-limit "
         "for accessing posts anonymously",
         errc::platform_rate_limited,
         false},
        {"Requested content is not available, rate-limit reached or login required",
         errc::platform_rate_limited,
         false},
        {"Unable to download webpage: HTTP Error 429: Too Many Requests",
         errc::platform_rate_limited,
         false},
        {"This content is only available for registered users who follow this account",
         errc::login_required,
         false},
        {"This content may be inappropriate: It's unavailable for certain audiences.",
         errc::video_restricted,
         false},
        {"Restricted Video: You must be 18 years old or over", errc::video_restricted, false},
        {"Instagram sent an empty media response. Check if this post is accessible",
         errc::video_unavailable,
         true},
        {"There is no video in this post", errc::no_video, false},
        {"No video formats found!; please report this issue", errc::no_video, false},
        {"Video info extraction failed: HTTP Error 404: Not Found", errc::platform_changed, false},
        {"The provided Instagram account cookies are no longer valid",
         errc::platform_changed,
         false},
        {"login required", errc::platform_changed, false},
        {"Unable to extract LSD token; please report this issue", errc::platform_changed, false},
        {"The extractor is attempting impersonation, but no impersonate target is available",
         errc::platform_changed,
         false},
        {"Unsupported URL: https://www.instagram.com/reel/DYexample01/",
         errc::platform_changed,
         false},
        {"Unable to download webpage: HTTP Error 503: Service Unavailable",
         errc::platform_failed,
         false},
        {"Unable to download webpage: HTTP Error 403: Forbidden", errc::platform_failed, false},
        {"Unable to download webpage: The read operation timed out", errc::timed_out, false},
        {"[Errno 104] Connection reset by peer", errc::connection_failed, false},
        {"Unable to download webpage: [Errno -2] Name or service not known",
         errc::connection_failed,
         false},
        {"Unable to download webpage: ('Unable to connect to proxy', NewConnectionError())",
         errc::proxy_failed,
         false},
        {"Unable to download webpage: Tunnel connection failed: 407 Proxy Authentication Required",
         errc::proxy_failed,
         false},
        {"an unknown message", errc::platform_changed, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.platform_error);
        const auto line =
            std::string{"ERROR: [Instagram] DYexample01: "} + expected.platform_error + "\n";
        // A warning does not count if there is an error.
        for (const char* warning :
             {"",
              "WARNING: [Instagram] DYexample01: No CSRF token set by Instagram API\n",
              "WARNING: [Instagram] DYexample01: Instagram API is not granting access\n",
              "WARNING: General metadata extraction failed (some fields might be missing).\n",
              "WARNING: Main webpage is locked behind the login page. Retrying\n",
              "WARNING: attempting impersonation, but no impersonate target is available\n",
              "WARNING: the video info: HTTP Error 429, login required\n"}) {
            const auto none = classify_yt_dlp(1, warning + line);
            EXPECT_EQ(none.why.code(), expected.code) << none.why.to_string();
            EXPECT_EQ(none.needs_confirmation, expected.needs_confirmation);
        }
    }
}

TEST(ClassifyYtDlp, MapsOtherOutput) {
    struct test_case {
        int status;
        std::string error_output;
        errc code;
        const char* detail;
    };
    const test_case cases[] = {
        {0, "", errc::platform_changed, "for an unknown reason; status 0"},
        {1, "", errc::platform_changed, "status 1"},
        {1,
         "WARNING: [Instagram] x: No CSRF token set by Instagram API\n",
         errc::platform_changed,
         "status 1"},
        {1,
         "WARNING: attempting impersonation, but no impersonate target is available\n",
         errc::platform_changed,
         "impersonation extra"},
        {2,
         "Usage: yt-dlp [OPTIONS] URL\n\nyt-dlp: error: no such option: --extractor-retries\n",
         errc::platform_changed,
         "lacks an option"},
        {127, "env: 'python3': No such file or directory\n", errc::platform_changed, "env: "},
        {1,
         "ERROR: [Instagram] x: No video formats found!\nERROR: [Instagram] x: HTTP Error 429\n",
         errc::platform_rate_limited,
         "429"},
        {1, "ERROR: \x1b[31m\xff strange\r\n", errc::platform_changed, "ERROR: ?[31m? strange"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.error_output);
        const auto none = classify_yt_dlp(expected.status, expected.error_output);
        EXPECT_EQ(none.why.code(), expected.code);
        EXPECT_FALSE(none.needs_confirmation);
        EXPECT_THAT(none.why.detail(), ::testing::HasSubstr(expected.detail));
    }
}

TEST(ClassifyYtDlp, RepeatsNoSignedUrlAndNoLongText) {
    const auto none = classify_yt_dlp(
        1,
        "ERROR: Unable to download https://a.test/v.mp4?oh=SECRET&oe=1: " + std::string(5000, 'a'));
    EXPECT_THAT(none.why.detail(), ::testing::Not(::testing::HasSubstr("SECRET")));
    const auto long_text = classify_yt_dlp(1, "ERROR: " + std::string(100'000, 'a'));
    EXPECT_LT(long_text.why.detail().size(), 400U);
}

TEST(YtDlpVersion, IsParsedAndCompared) {
    struct test_case {
        const char* output;
        const char* version;
        bool is_outdated;
    };
    constexpr test_case cases[] = {
        {"2026.08.19\n", "2026.08.19", false},
        {"2026.06.28\n", "2026.06.28", false},
        {"2026.06.27", "2026.06.27", true},
        {"2023.03.04\n", "2023.03.04", true},
        {"2026.06.28.232706\n", "2026.06.28.232706", false},
        {"2027.01.01\n", "2027.01.01", false},
        {"", "", true},
        {"yt-dlp 2026.08.19\n", "", true},
        {"2026.8.19\n", "", true},
        {"2026-08-19\n", "", true},
        {"...........", "", true},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.output);
        const auto version = yt_dlp_version_in(expected.output);
        EXPECT_EQ(version, expected.version);
        EXPECT_EQ(is_outdated_yt_dlp(version), expected.is_outdated);
    }
}

}  // namespace
}  // namespace reelsd::platform
