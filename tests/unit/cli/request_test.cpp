#include "cli/api_request.hpp"

#include <gtest/gtest.h>

namespace reelsd::cli {
namespace {

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
