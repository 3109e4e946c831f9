// Goal: a text that was cut inside an emoji does not spoil the document around it.
#include <reelsd/base/foreign_json.hpp>

#include <gtest/gtest.h>

namespace reelsd {
namespace {

TEST(WithWholeSurrogates, ReplacesOnlyHalves) {
    struct test_case {
        std::string_view text;
        std::string_view repaired;
    };
    constexpr test_case cases[] = {
        {"", ""},
        {R"(\ud83d\ude00)", R"(\ud83d\ude00)"},
        {R"(\uD83D)", R"(\ufffd)"},
        {R"(\ude00\ud83d)", R"(\ufffd\ufffd)"},
        {R"(\ud83d\ud83d\ude00)", R"(\ufffd\ud83d\ude00)"},
        {R"(\ud83d\n\u00e9)", R"(\ufffd\n\u00e9)"},
        {R"(\\ud83d)", R"(\\ud83d)"},
        {R"(\ud83)", R"(\ud83)"},
        {R"(a\)", R"(a\)"},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(with_whole_surrogates(expected.text), expected.repaired) << expected.text;
}

TEST(ParseForeignJson, ReadsHalvesOfSurrogatePairs) {
    EXPECT_EQ(parse_foreign_json(R"({"a": "cut \ud83d"})"), json({{"a", "cut \uFFFD"}}));
    EXPECT_EQ(parse_foreign_json(R"({"a": "\ud83d\ude00"})"), json({{"a", "\U0001F600"}}));
    EXPECT_TRUE(parse_foreign_json(R"({"a": "\ud83d",})").is_discarded());
}

}  // namespace
}  // namespace reelsd
