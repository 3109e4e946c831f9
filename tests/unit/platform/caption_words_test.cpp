// Goal: hashtags and mentions of a caption are recognised as the platform does. Method: table.
#include <reelsd/platform/post.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

using words = std::vector<std::string>;

TEST(CaptionWords, FindsHashtags) {
    struct test_case {
        const char* caption;
        words tags;
    };
    const test_case cases[] = {
        {"", {}},
        {"no tags", {}},
        {"#one #two_2, #Three!", {"one", "two_2", "Three"}},
        {"#again #again #Again", {"again", "Again"}},
        {"#a#b", {"a"}},
        {"x#no &#8217; ##yes", {"yes"}},
        {"# #", {}},
        {"#caf\xc3\xa9 #\xd1\x80\xd0\xb8\xd0\xbc", {"caf\xc3\xa9", "\xd1\x80\xd0\xb8\xd0\xbc"}},
        {"#cafe\xcc\x81", {"caf\xc3\xa9"}},  // Decomposed e-acute becomes one letter.
        {"#\xe6\x97\xa5\xe6\x9c\xac\xe3\x80\x82", {"\xe6\x97\xa5\xe6\x9c\xac"}},
        {"#\xe0\xa4\xb9\xe0\xa4\xbf\xe0\xa4\xa8\xe0\xa5\x8d\xe0\xa4\xa6\xe0\xa5\x80",
         {"\xe0\xa4\xb9\xe0\xa4\xbf\xe0\xa4\xa8\xe0\xa5\x8d\xe0\xa4\xa6\xe0\xa5\x80"}},
        {"#fun\xf0\x9f\x98\x80", {"fun"}},
        {"#star\xe2\xad\x90\xef\xb8\x8f", {"star"}},
        {"\xf0\x9f\x98\x80#fun", {"fun"}},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(hashtags_of(expected.caption), expected.tags) << expected.caption;
}

TEST(CaptionWords, FindsMentions) {
    struct test_case {
        const char* caption;
        words names;
    };
    const test_case cases[] = {
        {"with @some.one and @some_two.", {"some.one", "some_two"}},
        {"@a...", {"a"}},
        {"@... @", {}},
        {"mail me@home.org or x.@y", {}},
        {"(@in.parens) @in.parens", {"in.parens"}},
        {"@caf\xc3\xa9", {"caf"}},
        {"@abcdefghijklmnopqrstuvwxyz0123456789", {"abcdefghijklmnopqrstuvwxyz0123"}},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(mentions_of(expected.caption), expected.names) << expected.caption;
}

TEST(CaptionWords, CutsLongTags) {
    EXPECT_EQ(hashtags_of("#" + std::string(200, 'a')), words{std::string(150, 'a')});
}

TEST(CaptionWords, SurvivesBrokenUtf8) {
    EXPECT_EQ(hashtags_of("#ok \xff\xc3 #\xc3"), words{"ok"});
}

}  // namespace
}  // namespace reelsd::platform
