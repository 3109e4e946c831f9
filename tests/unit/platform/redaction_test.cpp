// Goal: a redacted answer has no personal data, and the parsers find the same in it as in the
// original. Method: the recorded answers with personal data inserted; tables.
#include "golden.hpp"
#include <reelsd/platform/answer_record.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

const link recorded = post_link(std::string{recorded_code});

std::string with(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

/// The findings without the parts that redaction changes: names, texts and files.
json impersonal(json findings) {
    findings.erase("media_url");
    findings.erase("sound_url");
    if (!findings.contains("platform_meta")) return findings;
    auto& meta = findings["platform_meta"];
    for (const char* name :
         {"author",
          "author_name",
          "caption",
          "hashtags",
          "mentions",
          "thumbnail_url",
          "location",
          "music_artist",
          "music_title"}) {
        meta[name] = meta[name].is_null();
    }
    return findings;
}

TEST(RedactAnswer, KeepsTheFindingsOfTheParsers) {
    struct test_case {
        const char* folder;
        const char* extension;
        answer_kind kind;
    };
    constexpr test_case cases[] = {
        {".", ".html", answer_kind::page},
        {"queries", ".txt", answer_kind::query},
        {"embeds", ".html", answer_kind::embed},
    };
    const auto private_post = post_link("DYsecretPst");
    int files = 0;
    for (const auto& expected : cases) {
        for (const auto& entry :
             std::filesystem::directory_iterator{test::golden_folder() / expected.folder}) {
            if (entry.path().extension() != expected.extension) continue;
            SCOPED_TRACE(entry.path().filename().string());
            ++files;
            const auto text = test::text_of(entry.path());
            const auto theirs = with(
                with(text, recorded_code, private_post.code),
                *media_id_of(recorded_code),
                *media_id_of(private_post.code));
            const auto kept = redact_answer(theirs, private_post);
            EXPECT_EQ(
                impersonal(answer_findings(expected.kind, kept, recorded)),
                impersonal(answer_findings(expected.kind, text, recorded)));
            for (const char* secret : {"some.one", "Some One", "friend", "DYsecretPst", "00_x"})
                EXPECT_THAT(kept, ::testing::Not(::testing::HasSubstr(secret)));
            EXPECT_EQ(redact_answer(kept, recorded), kept) << "redaction is idempotent";
        }
    }
    EXPECT_GE(files, 55);
}

TEST(RedactAnswer, MasksPersonalData) {
    struct test_case {
        const char* name;
        const char* text;
        const char* kept;
    };
    constexpr test_case cases[] = {
        {"a name", R"({"username":"ann.b_7"})", R"({"username":"xxx.x_0"})"},
        {"space before it", R"({"username": "ann"})", R"({"username": "xxx"})"},
        {"signs stay", R"({"text":"Hi #tag @me!\nBye"})", R"({"text":"xx #xxx @xx!\nxxx"})"},
        {"an escaped quote",
         R"({"text":"a\"b","like_count":5})",
         R"({"text":"x\"x","like_count":5})"},
        {"an escaped letter", R"({"text":"\u00e9\\u"})", R"({"text":"\u0078\\u"})"},
        {"other letters", "{\"text\":\"\xc3\xa9\"}", R"({"text":"xx"})"},
        {"JSON inside of JSON",
         R"({"contextJSON":"{\"username\":\"ann\",\"n\":1}"})",
         R"({"contextJSON":"{\"username\":\"xxx\",\"n\":1}"})"},
        {"not closed", R"({"username":"ann)", R"({"username":"xxx)"},
        {"no text", R"({"username":null,"text":{"a":7}})", R"({"username":null,"text":{"a":7}})"},
        {"the platform's own text",
         R"({"message":"Please wait","code":1675004})",
         R"({"message":"Please wait","code":1675004})"},
        {"an id",
         R"({"pk":"17841400000000001","taken_at":1790000000})",
         R"({"pk":"11111111111111111","taken_at":1790000000})"},
        {"a short id and its position",
         R"({"pk":"12345","lat":52.5,"n":7,"id":"REELSD_12"})",
         R"({"pk":"11111","lat":11.1,"n":7,"id":"REELSD_11"})"},
        {"an unknown member",
         R"({"address":"Long St 5","new_thing":"Ann"})",
         R"({"address":"xxxx xx 0","new_thing":"xxx"})"},
        {"another post", R"({"code":"DYother0001"})", R"({"code":"xxxxxxx0000"})"},
        {"a profile page",
         R"({"external_url":"https://ann.example.org/shop/ann"})",
         R"({"external_url":"https://xxx.xxxxxxx.xxx/xxxx/ann"})"},
        {"a profile",
         R"({"url":"https://www.instagram.com/ann.b_7c/reel/DYexample01/"})",
         R"({"url":"https://www.instagram.com/ann.x_0x/reel/DYexample01/"})"},
        {"a token without a known name",
         "sid=Ab3kZ9dQ0xY7mN2pL5wR8t",
         "sid=xxxxxxxxxxxxxxxxxxxxxx"},
        {"a long name of the platform",
         "adp_PolarisLoggedOutDesktopWWWPostRootContentQuery",
         "adp_PolarisLoggedOutDesktopWWWPostRootContentQuery"},
        {"an address",
         R"({"url":"https://scontent.fbcdn.net/o1/v/AQNz81aZ2.mp4?efg=a&oh=00_Af&oe=6A"})",
         R"({"url":"https://scontent.fbcdn.net/o1/v/xxxx00xx0.mp4?efg=e30%3D&oh=x&oe=6B000000"})"},
        {"an address, escaped",
         R"("https:\/\/a.fbcdn.net\/v\/x.mp4?oh=00_Af\u0026oe=6A")",
         R"("https:\/\/a.fbcdn.net\/v\/x.mp4?oh=x\u0026oe=6B000000")"},
        {"an address in HTML",
         R"(src="https://a.fbcdn.net/x.mp4?oh=1&amp;oe=2")",
         R"(src="https://a.fbcdn.net/x.mp4?oh=x&amp;oe=6B000000")"},
        {"a page's text",
         "<html><p>Ann 1</p><script>f(\"Ann\")</script><meta content=\"Ann\"/></html>",
         "<html><p>xxx 0</p><script>f(\"Ann\")</script><meta content=\"xxx\"/></html>"},
        {"attributes with personal data",
         R"(<html><a href="/ann/" class="Ann"><img alt="By Ann" src="b.jpg"></html>)",
         R"(<html><a href="/xxx/" class="Ann"><img alt="xx xxx" src="b.jpg"></html>)"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(redact_answer(expected.text, recorded), expected.kept);
    }
}

TEST(RedactAnswer, HidesAFollowersKey) {
    const auto about = post_link("DYsecretPst" + std::string(28, 'k'));
    const auto kept = redact_answer("/p/" + about.code + "/ and /p/DYsecretPst/", about);
    EXPECT_EQ(kept, "/p/DYexample01/ and /p/DYexample01/");
}

TEST(RedactAnswer, AcceptsAnyBytes) {
    for (const std::string& text :
         {std::string{},
          std::string{"\\"},
          std::string{"\":\""},
          std::string{"{\"text\":\"\\"},
          std::string{"{\"text\":\"\\u12"},
          std::string{"<html><"},
          std::string{"<html><script"},
          std::string{"<html><meta content=\""},
          std::string{"http://"},
          std::string{"https://?"},
          std::string(3, '\0'),
          std::string(100'000, '\\'),
          std::string(100'000, '<')}) {
        EXPECT_EQ(redact_answer(text, recorded).size() > 0, !text.empty());
    }
}

TEST(DescribeSignals, NamesSignalsThatDifferFromDefaults) {
    EXPECT_EQ(
        describe({.route = page_route::post, .media = answer_media::gated}),
        "route post, media gated");
    EXPECT_EQ(
        describe(
            {.kind = answer_kind::query,
             .platform_error = answer_error::wait,
             .is_follower_link = true}),
        "media absent, platform error wait, a follower's link");
    EXPECT_EQ(
        describe({.kind = answer_kind::embed, .redirect = answer_redirect::login}),
        "redirect login, media absent");
}

}  // namespace
}  // namespace reelsd::platform
