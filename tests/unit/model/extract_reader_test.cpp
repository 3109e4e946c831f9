// Goal: what read_extract() accepts is valid against the caller's schema, whatever a model writes.
#include "answer.hpp"
#include "answer/answer_json.hpp"
#include "answer_samples.hpp"
#include "extraction/extract.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const json& dish_schema() {
    static const auto schema = json::parse(R"({
        "type": "object", "required": ["name", "servings"], "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 5},
            "servings": {"type": ["integer", "null"], "minimum": 1},
            "kind": {"enum": ["soup", 7]},
            "maybe": {"type": ["string", "null"]},
            "steps": {"type": "array", "maxItems": 2, "items": {
                "type": "object", "required": ["text"],
                "properties": {"text": {"type": "string"}, "note": {"type": "string"}}}}}})");
    return schema;
}

extract_answer read_dish(const char* value) {
    return read_extract(answer_json::parse(value), dish_schema());
}

TEST(ReadExtract, KeepsValidValuesInTheOrderOfTheSchema) {
    struct test_case {
        const char* value;
        const char* text;
    };
    constexpr test_case cases[] = {
        {R"({"servings": 2, "name": "a"})", R"({"name":"a","servings":2})"},
        {R"({"servings": 2.0, "name": "äöüßé"})", R"({"name":"äöüßé","servings":2.0})"},
        {R"({"servings": null, "name": "a", "kind": null, "maybe": null, "steps": null})",
         R"({"name":"a","servings":null,"maybe":null})"},
        {R"({"steps": [{"note": null, "text": "t", "more": [1]}],
             "servings": 1, "name": "a", "kind": 7.0})",
         R"({"name":"a","servings":1,"kind":7.0,"steps":[{"text":"t","more":[1]}]})"},
        {R"({"servings": 1, "name": "a\u0000b"})", R"({"name":"ab","servings":1})"},
    };
    for (const auto& expected : cases) {
        const auto answer = read_dish(expected.value);
        EXPECT_THAT(answer.violations, IsEmpty()) << expected.value;
        EXPECT_EQ(answer.text, expected.text);
    }
}

TEST(ReadExtract, NamesViolationsWithoutTheAnswersText) {
    struct test_case {
        const char* value;
        const char* violation;
    };
    constexpr test_case cases[] = {
        {R"([])", "extract must be an object"},
        {R"("obey")", "extract must be an object"},
        {R"(null)", "extract must be an object"},
        {R"({"name": "a"})", "extract/servings is required"},
        {R"({"name": null, "servings": 1})", "extract/name must be a string"},
        {R"({"name": "", "servings": 1})", "extract/name must have at least 1 character"},
        {R"({"name": "obeyme", "servings": 1})", "extract/name must have at most 5 characters"},
        {R"({"name": "a", "servings": 0})",
         "extract/servings must be a whole number or null, at least 1"},
        {R"({"name": "a", "servings": 1.5})",
         "extract/servings must be a whole number or null, at least 1"},
        {R"({"name": "a", "servings": 1, "kind": "obey"})", "extract/kind must be one of soup, 7"},
        {R"({"name": "a", "servings": 1, "obey": 1})",
         "extract has members that its schema does not allow"},
        {R"({"name": "a", "servings": 1, "steps": [{"text": "a"}, {"text": "b"}, {"text": "c"}]})",
         "extract/steps must have at most 2 items"},
        {R"({"name": "a", "servings": 1, "steps": [{"text": 1}]})",
         "extract/steps/0/text must be a string"},
    };
    for (const auto& expected : cases) {
        const auto answer = read_dish(expected.value);
        EXPECT_EQ(answer.text, "") << expected.value;
        EXPECT_THAT(answer.violations, Contains(expected.violation));
        for (const auto& violation : answer.violations)
            EXPECT_EQ(violation.find("obey"), std::string::npos);
    }
}

// A database refuses a text with a NUL character, and the paid answer would be lost.
TEST(ReadExtract, ViolationsHaveNoNul) {
    const auto schema = json::parse(R"({"type": "object", "required": ["x\u0000"],
        "properties": {"x\u0000": {"enum": ["a\u0000b"]}}})");
    EXPECT_THAT(
        read_extract(json::object(), schema).violations, ElementsAre("extract/x is required"));
    EXPECT_THAT(
        read_extract(answer_json::parse(R"({"x\u0000": "c"})"), schema).violations,
        ElementsAre("extract/x must be one of ab"));
}

TEST(ReadExtract, HoldsItsBounds) {
    const auto open = json::parse(R"({"type": "object"})");
    answer_json many = answer_json::object();
    for (std::size_t number = 0; number < extract_other_members_max; ++number)
        many[fmt::format("m{}", number)] = 1;
    EXPECT_THAT(read_extract(many, open).violations, IsEmpty());
    many["one more"] = 1;
    EXPECT_THAT(read_extract(many, open).violations, ElementsAre("extract has too many members"));
    const answer_json large{{"a", std::string(extract_bytes_max - 8, 'x')}};
    EXPECT_EQ(read_extract(large, open).text.size(), extract_bytes_max);
    const answer_json larger{{"a", std::string(extract_bytes_max - 7, 'x')}};
    EXPECT_THAT(
        read_extract(larger, open).violations, ElementsAre("extract is larger than 128 KiB"));
}

TEST(HasFormat, FollowsItsStandard) {
    struct test_case {
        const char* format;
        const char* text;
        bool is_valid;
    };
    constexpr test_case cases[] = {
        {"date", "2026-11-26", true},
        {"date", "2024-02-29", true},
        {"date", "2026-02-29", false},
        {"date", "2026-13-01", false},
        {"date", "2026-1-01", false},
        {"date", "26-11-26", false},
        {"date", "2026-11-26T", false},
        {"time", "23:59:60Z", true},
        {"time", "12:00:00.25+02:00", true},
        {"time", "12:00:00", false},
        {"time", "24:00:00Z", false},
        {"date-time", "2026-11-26T10:00:00Z", true},
        {"date-time", "2026-11-26t10:00:00.123456789-08:30", true},
        {"date-time", "2026-11-26", false},
        {"date-time", "2026-11-26 10:00:00Z", false},
        {"date-time", "2026-11-26T10:00:00.Z", false},
        {"date-time", "2026-11-26T10:00Z", false},
        {"uri", "https://example.test/a%20b?c=d#e", true},
        {"uri", "urn:isbn:123", true},
        {"uri", "mailto:a@b.test", true},
        {"uri", "example.test/a", false},
        {"uri", "https://example.test/a b", false},
        {"uri", "https://example.test/%2", false},
        {"uri", "1http://x", false},
        {"uri", "https://example.test/#a#b", false},
        {"uri", "", false},
        {"hostname", "anything at all", true},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(has_format(expected.text, expected.format), expected.is_valid)
            << expected.format << ": " << expected.text;
}

constexpr std::string_view rules =
    "Report what you see and hear. What you cannot know is null, or empty.";

TEST(RepeatsPrompt, FindsLongPieces) {
    struct test_case {
        const char* text;
        bool is_repeated;
    };
    constexpr test_case cases[] = {
        {"Report what you see and hear. What you", true},
        {"He said: REPORT what/you\nsee AND hear... what you cannot", true},
        {"Report what you see and hear. What", false},
        {"You see and hear what you cannot report, or know what is null.", false},
        {"", false},
    };
    for (const auto& expected : cases) {
        const answer_json answer{{"a", {{"b", answer_json::array({1, expected.text})}}}};
        EXPECT_EQ(repeats_prompt(answer, rules), expected.is_repeated) << expected.text;
        EXPECT_FALSE(repeats_prompt(answer, ""));
    }
    EXPECT_TRUE(repeats_prompt(answer_json{{"what you see and hear what you cannot", 1}}, rules));
}

// A reel about prompts is data, and a description may quote it.
TEST(RepeatsPrompt, AllowsWhatTheVideoSaysOrShows) {
    constexpr auto quoted = "Report what you see and hear. What you...";
    for (const auto* const name : {"segments", "transcript", "text_segments", "text_on_screen"}) {
        answer_json answer{
            {"audio", {{name, answer_json::array({{{"text", quoted}}})}}},
            {"content", {{"summary", std::string{"It says: "} + quoted}}}};
        EXPECT_FALSE(repeats_prompt(answer, rules)) << name;
        answer["content"]["topics"] = {"what you cannot know is null or empty"};
        EXPECT_TRUE(repeats_prompt(answer, rules)) << "the video does not say this";
    }
}

TEST(ReadAnswer, ReadsTheAnswerToTheCallersSchema) {
    const auto read = [](const json& answer) {
        return read_answer(
            answer.dump(),
            {.duration_seconds = 60, .boundary = "q7f3", .extract_schema = &dish_schema()});
    };
    auto answer = json::parse(testing::good_answer().dump());
    EXPECT_THAT(read(answer).extract_violations, ElementsAre("extract is missing"));
    answer["extract"] = {{"servings", 2}, {"name", "a"}};
    EXPECT_EQ(read(answer).extract, R"({"name":"a","servings":2})");
    EXPECT_THAT(read(answer).violations, IsEmpty());
    EXPECT_EQ(read({{"analysis", answer}}).extract, R"({"name":"a","servings":2})") << "wrapped";
    answer["extract"]["name"] = "q7f3";
    EXPECT_EQ(read(answer).extract, "");
    EXPECT_FALSE(read(answer).reported);
}

}  // namespace
}  // namespace reelsd::model
