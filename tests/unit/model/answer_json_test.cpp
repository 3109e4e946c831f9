#include "answer/answer_json.hpp"

#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

std::string listing(std::size_t values) {
    std::string text = R"({"a":[1)";
    for (std::size_t value = 1; value < values; ++value) text += ",1";
    return text + "]}";
}

std::string nested(std::size_t depth) {
    return R"({"a":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

// Goal: the object is found whatever text surrounds it.
TEST(ParseAnswer, FindsTheObject) {
    constexpr std::string_view texts[] = {
        R"({"a": 1})",
        "\xef\xbb\xbf{\"a\": 1}",
        "```json\n{\"a\": 1}\n```",
        "Here it is:\n\n{\"a\": 1}\n\nI hope it helps {really}.",
        "<think>A {draft}: {\"a\": 2, \"b\": 3}</think>\n{\"a\": 1}",
        "They want {\"a\"}.</think>```json\n{\"a\": 1}```",
        R"({"thought": 1} {"a": 1, "padding": "xxxxxxxxxxx"})",
        R"({"a": 2, "a": 1})",
        R"([{"a": 1}])",
        R"({"a": 1, "word": "</think>"})",
        R"({"a": 1, "braces": "}{\"}\\"})",
        R"({"a": 1, "cut": "\ud83d"})",
    };
    for (const auto text : texts) {
        SCOPED_TRACE(text);
        const auto parsed = parse_answer(text);
        EXPECT_EQ(parsed.violation, "");
        ASSERT_TRUE(parsed.object.is_object());
        EXPECT_EQ(parsed.object["a"], 1);
    }
}

TEST(ParseAnswer, NamesTheFault) {
    struct test_case {
        std::string text;
        const char* violation;
    };
    const test_case cases[] = {
        {"", "the answer contains no JSON object"},
        {"I cannot do that.", "the answer contains no JSON object"},
        {R"(["a"])", "the answer contains no JSON object"},
        {R"({"a": {"b": 1}, "c": [)", "the answer is cut off before its end"},
        {R"({"a": "b)", "the answer is cut off before its end"},
        {R"({"thought": 1} {"visual": {"description": "A ki)",
         "the answer is cut off before its end"},
        {R"(<think>Perhaps {"a": 1})", "the answer is cut off before its end"},
        {R"({"a": 1,})", "the answer is not valid JSON"},
        {R"({a: 1})", "the answer is not valid JSON"},
        {R"({"a": 1e999})", "the answer is not valid JSON"},
        {R"({"a": "\ud83"})", "the answer is not valid JSON"},
        {"{\"a\": \"\xff\"}", "the answer is not valid JSON"},
        {R"({"a": [1}})", "the answer is not valid JSON"},
        {nested(answer_depth_max), "the answer is nested too deeply"},
        {listing(answer_values_max + 1), "the answer has too many values"},
        {std::string(answer_bytes_max + 1, ' '), "the answer is longer than 1 MiB"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text.substr(0, 80));
        EXPECT_EQ(parse_answer(expected.text).violation, expected.violation);
    }
}

TEST(ParseAnswer, AcceptsTheBounds) {
    EXPECT_EQ(parse_answer(nested(answer_depth_max - 1)).violation, "");
    EXPECT_EQ(parse_answer(listing(answer_values_max)).violation, "");
    std::string text = R"({"a": 1})";
    text.resize(answer_bytes_max, ' ');
    EXPECT_EQ(parse_answer(text).violation, "");
}

TEST(HoldsTag, SearchesNamesAndStrings) {
    const auto holds = [](const char* text) {
        return holds_tag(answer_json::parse(text), "q7f3-cap");
    };
    EXPECT_TRUE(holds(R"(["q7f3-cap"])"));
    EXPECT_TRUE(holds(R"({"a": [{"b": "it says <q7f3-cap> here"}]})"));
    EXPECT_TRUE(holds(R"({"q7f3-cap": 1})"));
    EXPECT_TRUE(holds(R"(["Q7F3-CAP"])"));
    EXPECT_TRUE(holds(R"(["q7f3\u200b-\u2060cap"])"));
    EXPECT_TRUE(holds(R"(["\u0071\u0037f3-cap"])"));
    EXPECT_FALSE(holds(R"({"a": ["q7f3", "cap"], "b": 7})"));
    EXPECT_FALSE(holds_tag(answer_json::parse(R"(["a"])"), ""));
}

}  // namespace
}  // namespace reelsd::model
