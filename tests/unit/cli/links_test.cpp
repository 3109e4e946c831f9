#include "cli/api_client.hpp"
#include "cli/progress.hpp"
#include "cli/protocol.hpp"
#include "cli/submission.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Goal: links and lists are sent as the server requires, and progress is shown. Method: pure
// functions.
namespace reelsd::cli {
namespace {

using sizes = std::vector<std::size_t>;

TEST(PartsOf, FitInOneRequestEach) {
    const auto links = [](std::size_t count, std::size_t length) {
        return std::vector<std::string>(count, std::string(length, 'x'));
    };
    EXPECT_EQ(parts_of(links(1, 100), 0), (sizes{1}));
    EXPECT_EQ(parts_of(links(50, 100), 0), (sizes{50}));
    EXPECT_EQ(parts_of(links(51, 100), 0), (sizes{50, 1}));
    EXPECT_EQ(parts_of(links(120, 100), 0), (sizes{50, 50, 20}));
    // With quotation marks and comma, 61,440 bytes hold 29 of 2,048 characters.
    EXPECT_EQ(parts_of(links(40, 2048), 0), (sizes{29, 11}));
    EXPECT_EQ(parts_of(links(2, 100'000), 0), (sizes{1, 1})) << "the server rejects such links";
    EXPECT_EQ(parts_of(std::vector<std::string>(20, std::string(1000, '\x01')), 0), (sizes{10, 10}))
        << "the escaped size counts";
}

TEST(IsTooLong, CountsCharacters) {
    EXPECT_FALSE(is_too_long(std::string(2048, 'x')));
    EXPECT_TRUE(is_too_long(std::string(2049, 'x')));
    std::string two_bytes_each;
    for (int count = 0; count < 2048; ++count) two_bytes_each += "ü";
    EXPECT_FALSE(is_too_long(two_bytes_each));
}

TEST(ProgressBar, ShowsTheShareOfEndedLinks) {
    EXPECT_EQ(progress_bar(0, 3), "[--------------------] 0 of 3 ended");
    EXPECT_EQ(progress_bar(250, 500), "[##########----------] 250 of 500 ended");
    EXPECT_EQ(progress_bar(3, 3), "[####################] 3 of 3 ended");
    EXPECT_EQ(progress_bar(0, 0), "[####################] 0 of 0 ended");
}

TEST(CompleteLink, AddsAMissingScheme) {
    EXPECT_EQ(complete_link("www.instagram.com/reel/X"), "https://www.instagram.com/reel/X");
    EXPECT_EQ(complete_link("Instagram.com/p/X"), "https://Instagram.com/p/X");
    EXPECT_EQ(complete_link("m.instagram.com/p/X"), "https://m.instagram.com/p/X");
    for (const char* link :
         {"https://www.instagram.com/reel/X",
          "http://instagram.com/p/X",
          "instagram.com.evil.test/p/X",
          "instagram.com",
          "x",
          ""})
        EXPECT_EQ(complete_link(link), link);
}

TEST(LinksIn, SplitsAtBlanksAndRemovesDuplicates) {
    using links = std::vector<std::string>;
    EXPECT_EQ(links_in(""), links{});
    EXPECT_EQ(links_in(" \n\r\n"), links{});
    EXPECT_EQ(
        links_in("\xEF\xBB\xBF"
                 "a b"),
        (links{"a", "b"}));
    EXPECT_EQ(links_in("# a comment\na b\r\n\tc # d\nb"), (links{"a", "b", "c"}));
    EXPECT_EQ(links_in("a#b\nc"), (links{"a#b", "c"}));
    EXPECT_EQ(
        links_in("instagram.com/p/a/ https://instagram.com/p/a/"),
        (links{"https://instagram.com/p/a/"}));
}

TEST(KeyOfLinks, DependsOnTheLinksAndTheirOrder) {
    const auto key = key_of_links({"a", "b"}, "");
    EXPECT_EQ(key.size(), 32U);
    EXPECT_EQ(key, key_of_links({"a", "b"}, ""));
    EXPECT_NE(key, key_of_links({"b", "a"}, ""));
    EXPECT_NE(key, key_of_links({"a", "b"}, R"({"language":"de"})"));
    EXPECT_NE(key, key_of_links({"ab"}, ""));
    EXPECT_NE(key, key_of_links({"a", "b", ""}, ""));
}

TEST(ProgressText, ShowsStepAndAttempt) {
    EXPECT_EQ(progress_text({.id = 42, .status = "pending"}), "reel 42: pending");
    EXPECT_EQ(
        progress_text({.id = 42, .status = "processing", .attempt = 1}), "reel 42: processing");
    EXPECT_EQ(
        progress_text({.id = 42, .status = "processing", .attempt = 1, .step = "download"}),
        "reel 42: processing (download)");
    EXPECT_EQ(
        progress_text({.id = 42, .status = "processing", .attempt = 2, .step = "download"}),
        "reel 42: processing (download, attempt 2)");
    EXPECT_EQ(
        progress_text({.id = 42, .status = "pending", .attempt = 2}),
        "reel 42: pending (attempt 2)");
    EXPECT_EQ(
        progress_text({.id = 1, .status = "a\x1b[2J\n", .step = "b\r"}).find_first_of("\x1b\n\r"),
        std::string::npos);
}

TEST(PathWithQuery, EncodesPresentParameters) {
    EXPECT_EQ(path_with_query("/reels", {}), "/reels");
    EXPECT_EQ(path_with_query("/reels", {{"from", std::nullopt}}), "/reels");
    EXPECT_EQ(
        path_with_query("/reels", {{"a", std::nullopt}, {"limit", "20"}, {"cursor", "x/y+z="}}),
        "/reels?limit=20&cursor=x%2Fy%2Bz%3D");
    EXPECT_EQ(path_with_query("/s", {{"q", "a b&c=ü?#%"}}), "/s?q=a%20b%26c%3D%C3%BC%3F%23%25");
    EXPECT_EQ(path_with_query("/s", {{"q", ""}}), "/s?q=");
}

// Goal: a round trip preserves each byte.
TEST(ParameterOf, ReversesPathWithQuery) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
    const auto path = path_with_query("http://a.test/r", {{"x", "1"}, {"cursor", all}});
    EXPECT_EQ(parameter_of(path, "cursor"), all);
}

TEST(ParameterOf, FindsTheNamedParameter) {
    struct test_case {
        const char* name;
        const char* link;
        std::optional<std::string> value;
    };
    const test_case cases[] = {
        {"no query", "/reels", std::nullopt},
        {"another name", "/reels?xcursor=1&cursorx=2", std::nullopt},
        {"a name without a value", "/reels?cursor", std::nullopt},
        {"an empty value", "/reels?cursor=", ""},
        {"among others", "/reels?limit=2&cursor=abc&status=done", "abc"},
        {"the first of two", "/reels?cursor=1&cursor=2", "1"},
        {"before a fragment", "/reels?cursor=1#cursor=2", "1"},
        {"within a fragment", "/reels#?cursor=2", std::nullopt},
        {"encoded", "/reels?cursor=a%2Bb+c%3d", "a+b c="},
        {"broken encoding is unchanged", "/reels?cursor=%zz%4", "%zz%4"},
        {"empty parts", "/reels?&&cursor=1", "1"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(parameter_of(expected.link, "cursor"), expected.value);
    }
}

// Goal: the link to the next page in every form that RFC 8288 allows. Method: table.
TEST(NextLinkOf, ReadsTheHeader) {
    struct test_case {
        const char* name;
        const char* header;
        std::optional<std::string> link;
    };
    const test_case cases[] = {
        {"as our server writes it", R"(</reels?cursor=1>; rel="next")", "/reels?cursor=1"},
        {"without quotation marks", "</a>;rel=next", "/a"},
        {"in upper case", "</a> ; REL = \"NEXT\"", "/a"},
        {"one of several relations", R"(</a>; rel="last next")", "/a"},
        {"behind another parameter", R"(</a>; title="x; rel=prev, y"; rel=next)", "/a"},
        {"an escaped quotation mark", R"(</a>; title="x\"; rel=prev"; rel=next)", "/a"},
        {"the second link", R"(</a>; rel="prev", </b,c>; rel="next")", "/b,c"},
        {"no such relation", R"(</a>; rel="prev")", std::nullopt},
        {"a longer word", R"(</a>; rel="nextest")", std::nullopt},
        {"no relation at all", "</a>", std::nullopt},
        {"empty", "", std::nullopt},
        {"no angle bracket", "/a; rel=next", std::nullopt},
        {"an unclosed angle bracket", "</a; rel=next", std::nullopt},
        {"an unclosed quotation", R"(</a>; title="x; rel=next)", std::nullopt},
        {"a backslash at the very end", "</a>; title=\"x\\", std::nullopt},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(next_link_of(expected.header), expected.link);
    }
}

}  // namespace
}  // namespace reelsd::cli
