// Goal: links are accepted and refused exactly as documented, and reduced to what
// identifies a post. Method: tables over the pure parser.
#include <reelsd/platform/link.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

constexpr const char* no_link = "URL must be an instagram.com link";
constexpr const char* no_post =
    "URL must be a reel link: instagram.com/reel/<code> or instagram.com/p/<code>";

TEST(ParseLink, AcceptsPosts) {
    struct test_case {
        const char* url;
        const char* code;
    };
    constexpr test_case cases[] = {
        {"https://www.instagram.com/reel/DYa0IXPgnP5/", "DYa0IXPgnP5"},
        {"https://www.instagram.com/reel/DYa0IXPgnP5", "DYa0IXPgnP5"},
        {"http://instagram.com/p/B-fKL9qpeab/", "B-fKL9qpeab"},
        {"HTTPS://WWW.Instagram.COM/p/aye83DjauH", "aye83DjauH"},
        {"https://m.instagram.com/reels/DYa0IXPgnP5/", "DYa0IXPgnP5"},
        {"https://instagram.com/tv/B1LbfVPlwIA/", "B1LbfVPlwIA"},
        {"https://www.instagram.com:443/reel/DYa0IXPgnP5/", "DYa0IXPgnP5"},
        {"http://www.instagram.com:80/reel/DYa0IXPgnP5/", "DYa0IXPgnP5"},
        {"https://www.instagram.com:/reel/DYa0IXPgnP5/", "DYa0IXPgnP5"},
        {"https://www.instagram.com/some.one/reel/DYa0IXPgnP5/", "DYa0IXPgnP5"},
        {"https://www.instagram.com/some_one/p/DYa0IXPgnP5", "DYa0IXPgnP5"},
        {"https://www.instagram.com/some-one/tv/DYa0IXPgnP5", "DYa0IXPgnP5"},
        {"https://www.instagram.com/_._/reel/DYa0IXPgnP5/", "DYa0IXPgnP5"},
        {"https://www.instagram.com/p/DYa0IXPgnP5/embed", "DYa0IXPgnP5"},
        {"https://www.instagram.com/p/DYa0IXPgnP5/embed/captioned/", "DYa0IXPgnP5"},
        {"https://www.instagram.com/p/DYa0IXPgnP5/c/178000/", "DYa0IXPgnP5"},
        {"https://www.instagram.com/p/DYa0IXPgnP5/c/178000/r/179000/", "DYa0IXPgnP5"},
        {"https://www.instagram.com/reel/DYa0IXPgnP5/?igsh=MTc4MmM1YmI2Ng==&x=|%zz", "DYa0IXPgnP5"},
        {"https://www.instagram.com/reel/DYa0IXPgnP5?utm_source=ig_web//#frag/ment", "DYa0IXPgnP5"},
        {"https://www.instagram.com/reel/DYa0IXPgnP5#x?y", "DYa0IXPgnP5"},
        {"  https://www.instagram.com/reel/DYa0IXPgnP5/ ", "DYa0IXPgnP5"},
        {"https://www.instagram.com/reel/abcde/", "abcde"},
        {"https://www.instagram.com/p/reelsd-storage-error/", "reelsd-storage-error"},
        {"https://www.instagram.com/p/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv/",
         "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.url);

        const auto parsed = parse_link(expected.url);

        ASSERT_TRUE(parsed) << parsed.error().to_string();
        EXPECT_EQ(*parsed, post_link(expected.code));
        EXPECT_EQ(
            parsed->canonical_url(),
            "https://www.instagram.com/reel/" + std::string{expected.code} + "/");
    }
}

TEST(ParseLink, AcceptsShareLinks) {
    struct test_case {
        const char* url;
        const char* canonical;
    };
    constexpr test_case cases[] = {
        {"https://www.instagram.com/share/reel/BAKl0x_-3?x=1",
         "https://www.instagram.com/share/reel/BAKl0x_-3/"},
        {"http://instagram.com/share/p/BAKl0x", "https://www.instagram.com/share/p/BAKl0x/"},
        {"https://www.instagram.com/share/BAKl0x/", "https://www.instagram.com/share/BAKl0x/"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.url);
        const auto parsed = parse_link(expected.url);
        ASSERT_TRUE(parsed) << parsed.error().to_string();
        EXPECT_EQ(parsed->kind, link_kind::share);
        EXPECT_EQ(parsed->canonical_url(), expected.canonical);
        EXPECT_FALSE(parsed->is_test());
    }
}

TEST(ParseLink, RefusesOtherTexts) {
    constexpr const char* cases[] = {
        "",
        "x",
        "www.instagram.com/reel/DYa0IXPgnP5/",
        "/reel/DYa0IXPgnP5/",
        "//www.instagram.com/reel/DYa0IXPgnP5/",
        "ftp://www.instagram.com/reel/DYa0IXPgnP5/",
        "javascript://www.instagram.com/reel/DYa0IXPgnP5/",
        "instagram://media?id=3900000000000000001",
        "https:/www.instagram.com/reel/DYa0IXPgnP5/",
        "https:///reel/DYa0IXPgnP5/",
        "https://user@www.instagram.com/reel/DYa0IXPgnP5/",
        "https://user:pw@www.instagram.com/reel/DYa0IXPgnP5/",
        "https://evil.test\\@www.instagram.com/reel/DYa0IXPgnP5/",
        "https://www.instagram.com\\.evil.test/reel/DYa0IXPgnP5/",
        "https://www.instagram.com:8443/reel/DYa0IXPgnP5/",
        "https://www.instagram.com:80/reel/DYa0IXPgnP5/",
        "http://www.instagram.com:443/reel/DYa0IXPgnP5/",
        "https://www.instagram.com:0443/reel/DYa0IXPgnP5/",
        "https://www.instagram.com:x/reel/DYa0IXPgnP5/",
        "https://www.%69nstagram.com/reel/DYa0IXPgnP5/",
        "https://www.instagram.com\\@evil.test/reel/DYa0IXPgnP5/",
        "https://[::1/reel/DYa0IXPgnP5/",
        "https://[]/reel/DYa0IXPgnP5/",
        "https://[::1]x/reel/DYa0IXPgnP5/",
        "https://[instagram.com]/reel/DYa0IXPgnP5/",
        "https://www.instagram.com/reel/DYa0IXPgnP5/\n",
        "https://www.instagram.com/reel/DYa0IXPgnP5/\t",
        "https://www.insta\ngram.com/reel/DYa0IXPgnP5/",
        "https://www.instagram.com/reel/DYa0IXPgnP5/?a=b c",
        "https://www.instagram.com/reel/DYa0IXPgnP5/ is nice",
        "https://www.instagram.com/reel/DYa0IXPgnP5/?x=\x7f",
        "https://www.instagram.com/reel/DYa0IXPgnP5/?x=\xc2\x85",
    };
    for (const char* url : cases) {
        SCOPED_TRACE(url);
        const auto parsed = parse_link(url);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().code(), errc::invalid_argument);
        EXPECT_EQ(parsed.error().detail(), no_link);
    }
}

TEST(ParseLink, RefusesEmbeddedNul) {
    EXPECT_FALSE(parse_link(std::string_view{"https://www.instagram.com/reel/DYa0IXPgnP5/\0", 44}));
}

TEST(ParseLink, NamesOtherHosts) {
    struct test_case {
        const char* url;
        const char* host;
    };
    constexpr test_case cases[] = {
        {"https://www.TikTok.com/@a/video/1", "www.tiktok.com"},
        {"https://tiktok.com", "tiktok.com"},
        {"https://tiktok.com:8443/reel/DYa0IXPgnP5/", "tiktok.com"},
        {"https://instagram.com.evil.test/reel/DYa0IXPgnP5/", "instagram.com.evil.test"},
        {"https://evilinstagram.com/reel/DYa0IXPgnP5/", "evilinstagram.com"},
        {"https://www.instagram.com./reel/DYa0IXPgnP5/", "www.instagram.com."},
        {"https://api.instagram.com/reel/DYa0IXPgnP5/", "api.instagram.com"},
        {"https://www.www.instagram.com/reel/DYa0IXPgnP5/", "www.www.instagram.com"},
        {"https://instagr.am/p/DYa0IXPgnP5/", "instagr.am"},
        {"https://xn--nstagram-11a.com/reel/DYa0IXPgnP5/", "xn--nstagram-11a.com"},
        {"http://127.0.0.1/reel/DYa0IXPgnP5/", "127.0.0.1"},
        {"https://evil.test?https://www.instagram.com/reel/DYa0IXPgnP5/", "evil.test"},
        {"https://user@TikTok.com/", "tiktok.com"},
        {"https://user:pw@tiktok.com:443/", "tiktok.com"},
        {"https://www.instagram.com@evil.test/reel/DYa0IXPgnP5/", "evil.test"},
        {"https://[::1]/reel/DYa0IXPgnP5/", "[::1]"},
        {"https://[2001:DB8::1]:8443/reel/DYa0IXPgnP5/", "[2001:db8::1]"},
        {"https://m\u00fcnchen.de/x", "m\u00fcnchen.de"},
        {"https://www.instagr\u0430m.com/reel/DYa0IXPgnP5/", "www.instagr\u0430m.com"},
        {"https://www.instagram\u3002com/reel/DYa0IXPgnP5/", "www.instagram\u3002com"},
        {"https://evil.test#@www.instagram.com/reel/DYa0IXPgnP5/", "evil.test"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.url);
        const auto parsed = parse_link(expected.url);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().code(), errc::invalid_argument);
        EXPECT_EQ(
            parsed.error().detail(), std::string{no_link} + ", got \"" + expected.host + "\"");
    }
}

TEST(ParseLink, RefusesOtherPages) {
    constexpr const char* cases[] = {
        "https://www.instagram.com",
        "https://www.instagram.com/",
        "https://www.instagram.com?/reel/DYa0IXPgnP5/",
        "https://www.instagram.com/some.one/",
        "https://www.instagram.com/some.one/reels/",
        "https://www.instagram.com/reel/",
        "https://www.instagram.com/reel",
        "https://www.instagram.com/reel/abcd/",
        "https://www.instagram.com/p/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw/",
        "https://www.instagram.com/reel/DYa0IXP%67nP5/",
        "https://www.instagram.com/reel/DYa0IXPgnP5%2F",
        "https://www.instagram.com/reel/DYa0IXPgnP\xc3\xa9/",
        "https://www.instagram.com/reel/DYa0.XPgnP5/",
        "https://www.instagram.com/Reel/DYa0IXPgnP5/",
        "https://www.instagram.com//reel/DYa0IXPgnP5/",
        "https://www.instagram.com/reel//DYa0IXPgnP5/",
        "https://www.instagram.com/reel/DYa0IXPgnP5//",
        "https://www.instagram.com/reel/../DYa0IXPgnP5/",
        "https://www.instagram.com/reel\\DYa0IXPgnP5/",
        "https://www.instagram.com/reels/audio/3900000000000000001/",
        "https://www.instagram.com/reels/audio/",
        "https://www.instagram.com/stories/some.one/3900000000000000001/",
        "https://www.instagram.com/stories/reel/DYa0IXPgnP5/",
        "https://www.instagram.com/explore/p/DYa0IXPgnP5/",
        "https://www.instagram.com/Accounts/reel/DYa0IXPgnP5/",
        "https://www.instagram.com/a/b/reel/DYa0IXPgnP5/",
        "https://www.instagram.com/abcdefghijklmnopqrstuvwxyz01234/reel/DYa0IXPgnP5/",
        "https://www.instagram.com/reel/DYa0IXPgnP5/liked_by/",
        "https://www.instagram.com/reel/DYa0IXPgnP5/embed/other/",
        "https://www.instagram.com/reel/DYa0IXPgnP5/c/x/",
        "https://www.instagram.com/p/embed/captioned/",
        "https://www.instagram.com/share/reel/",
        "https://www.instagram.com/share/",
        "https://www.instagram.com/share/tv/BAKl0xabc/",
        "https://www.instagram.com/share/reel/BAKl0x/embed/",
    };
    for (const char* url : cases) {
        SCOPED_TRACE(url);
        const auto parsed = parse_link(url);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().code(), errc::invalid_argument);
        EXPECT_EQ(parsed.error().detail(), no_post);
    }
}

TEST(ParseLink, ReadsTheSlideOfACarousel) {
    struct test_case {
        const char* query;
        std::optional<int> index;
    };
    constexpr test_case cases[] = {
        {"?img_index=1", 1},
        {"?igsh=x&img_index=20&hl=en", 20},
        {"?img_index=3#img_index=4", 3},
        {"?img_index=0", std::nullopt},
        {"?img_index=-1", std::nullopt},
        {"?img_index=101", std::nullopt},
        {"?img_index=99999999999999", std::nullopt},
        {"?img_index=2x", std::nullopt},
        {"?img_index=", std::nullopt},
        {"?ximg_index=2", std::nullopt},
        {"#img_index=2", std::nullopt},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.query);
        const auto parsed =
            parse_link(std::string{"https://www.instagram.com/p/DYa0IXPgnP5/"} + expected.query);
        ASSERT_TRUE(parsed);
        EXPECT_EQ(parsed->img_index, expected.index);
    }
}

TEST(ParseLink, EndsAt2048Characters) {
    const std::string head = "https://www.instagram.com/reel/DYa0IXPgnP5/?x=";
    for (const std::string character : {"a", "\u00fc", "\U0001f600"}) {
        std::string longest = head;
        for (auto length = head.size(); length < 2048; ++length) longest += character;
        EXPECT_TRUE(parse_link(longest));
        for (const auto& longer : {longest + character, longest + " "}) {
            const auto refused = parse_link(longer);
            ASSERT_FALSE(refused);
            EXPECT_EQ(refused.error().detail(), no_link);
        }
    }
}

TEST(Link, RecognizesTestLinks) {
    for (const char* code :
         {"reelsd-sample",
          "reelsd-unavailable",
          "reelsd-rate-limited",
          "reelsd-unsupported",
          "reelsd-too-long",
          "reelsd-model-failed",
          "reelsd-storage-error"})
        EXPECT_TRUE(post_link(code).is_test()) << code;
    for (const char* code : {"reelsd-other", "Reelsd-sample", "DYa0IXPgnP5"})
        EXPECT_FALSE(post_link(code).is_test()) << code;
    EXPECT_FALSE(parse_link("https://www.instagram.com/share/reelsd-sample")->is_test());
}

TEST(MediaId, IsTheNumberOfTheCode) {
    struct test_case {
        const char* code;
        const char* id;
    };
    constexpr test_case cases[] = {
        {"B-fKL9qpeab", "2278584739065882267"},
        {"aye83DjauH", "482584233761418119"},
        {"B1LbfVPlwIA", "2110901750722920960"},
        {"Chunk8-jurw", "2913440072144448240"},
        {"DdG4RIxIPyf", "3983118388705688735"},
        {"___________", "73786976294838206463"},                                // 66 bits.
        {"D_____________________", "340282366920938463463374607431768211455"},  // 128 bits.
        {"B", "1"},
    };
    for (const auto& expected : cases) EXPECT_EQ(media_id_of(expected.code), expected.id);
}

TEST(MediaId, RefusesOtherTexts) {
    for (const char* code : {"", "B.fKL9qpeab", "E_____________________"})
        EXPECT_EQ(media_id_of(code), std::nullopt) << code;
}

TEST(MediaId, RemovesTheFollowersKey) {
    const std::string key(28, 'x');
    EXPECT_EQ(public_code("B-fKL9qpeab" + key), "B-fKL9qpeab");
    EXPECT_EQ(media_id_of("B-fKL9qpeab" + key), "2278584739065882267");
    EXPECT_EQ(public_code(key), key);
    EXPECT_EQ(public_code("B-fKL9qpeab"), "B-fKL9qpeab");
}

}  // namespace
}  // namespace reelsd::platform
