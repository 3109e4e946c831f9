// Goal: each keyword is enforced, and violations have pointers. Method: one table of values and
// schemas.
#include <reelsd/base/json_schema.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace reelsd {
namespace {

/// Each violation as "pointer what", line by line.
std::string listed(const json& value, const json& schema) {
    std::string text;
    for (const auto& violation : schema_violations(value, schema)) {
        if (!text.empty()) text += "\n";
        text += violation.at + " " + violation.what;
    }
    return text;
}

TEST(JsonSchema, EnforcesEachKeyword) {
    struct test_case {
        const char* schema;
        const char* value;
        const char* violations;
    };
    const test_case cases[] = {
        {R"({})", R"([1, "x", null])", ""},
        {R"({"type": "string"})", R"("x")", ""},
        {R"({"type": "string"})", "1", " must be a string"},
        {R"({"type": "boolean"})", "0", " must be true or false"},
        {R"({"type": "object"})", "[]", " must be an object"},
        {R"({"type": "array"})", "{}", " must be a list"},
        {R"({"type": "null"})", "0", " must be null"},
        {R"({"type": "number"})", "1.5", ""},
        {R"({"type": "number"})", R"("1.5")", " must be a number"},
        {R"({"type": "integer"})", "3", ""},
        {R"({"type": "integer"})", "3.0", ""},
        {R"({"type": "integer"})", "3.5", " must be a whole number"},
        {R"({"type": "integer"})", "1e300", " must be a whole number"},
        {R"({"type": ["string", "null"]})", "null", ""},
        {R"({"type": ["string", "null"]})", "false", " must be a string or null"},
        {R"({"enum": ["a", 1]})", R"("a")", ""},
        {R"({"enum": ["a", 1]})", R"("b")", " must be one of a, 1"},
        {R"({"type": "integer", "minimum": 1, "maximum": 9})", "9", ""},
        {R"({"type": "integer", "minimum": 1, "maximum": 9})",
         "10",
         " must be a whole number from 1 to 9"},
        {R"({"type": "number", "minimum": 0.5})", "0.25", " must be a number, at least 0.5"},
        {R"({"maximum": 0})", "1", " must be a number, at most 0"},
        {R"({"maximum": 0})", R"("no number")", ""},
        {R"({"minLength": 2, "maxLength": 2})", R"("\u00fc\ud83d\ude00")", ""},
        {R"({"minLength": 1})", R"("")", " must have at least 1 character"},
        {R"({"maxLength": 1})", R"("\u00fcx")", " must have at most 1 character"},
        {R"({"minItems": 1, "maxItems": 2})", "[1, 2]", ""},
        {R"({"minItems": 1})", "[]", " must have at least 1 item"},
        {R"({"maxItems": 1})", "[1, 2]", " must have at most 1 item"},
        {R"({"uniqueItems": true})", "[1, 2, 1]", " must not have an item twice"},
        {R"({"items": {"type": "string"}})", R"(["a", 1])", "/1 must be a string"},
        {R"({"required": ["a", "b"]})", R"({"b": null})", "/a is required"},
        {R"({"properties": {"a": {"type": "string"}}})",
         R"({"b": 1, "a": 2})",
         "/a must be a string"},
        {R"({"properties": {"a": {}}, "additionalProperties": false})",
         R"({"a": 1, "b/~": 1})",
         "/b~1~0 is not allowed; allowed are a"},
        {R"({"type": "string", "pattern": "^a", "format": "date", "title": "T"})", R"("x")", ""},
        {R"({"properties": {"list": {"items": {"required": ["x"]}}}, "required": ["id"]})",
         R"({"list": [{"x": 1}, {}]})",
         "/id is required\n/list/1/x is required"},
    };
    for (const auto& example : cases) {
        SCOPED_TRACE(std::string{example.schema} + " " + example.value);
        EXPECT_EQ(
            listed(json::parse(example.value), json::parse(example.schema)), example.violations);
    }
}

TEST(JsonSchema, ComparesAllIntegersExactly) {
    constexpr auto max = std::numeric_limits<std::int64_t>::max();
    const json schema{{"type", "integer"}, {"minimum", 1}, {"maximum", max}};
    EXPECT_EQ(listed(max, schema), "");
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{max} + 1, std::numeric_limits<std::uint64_t>::max()}) {
        EXPECT_NE(listed(value, schema), "") << value;
    }
}

TEST(JsonSchema, BoundsTheReport) {
    const json list = std::vector<int>(1000, 1);
    const json schema{{"items", {{"type", "string"}}}};
    EXPECT_EQ(schema_violations(list, schema).size(), schema_violations_max);
}

// Goal: references and nullable members of the document are converted to JSON Schema.
TEST(ApiSchemas, AreThoseOfTheDocument) {
    const auto& job = api_schemas().at("Job");
    EXPECT_EQ(job.at("properties").at("id").at("minimum"), 1);
    const auto& audio = job.at(json::json_pointer{"/properties/result/properties/audio"});
    EXPECT_EQ(audio.at("properties").at("language").at("type"), json::array({"string", "null"}));
    EXPECT_EQ(api_schemas().dump().find("$ref"), std::string::npos);
    EXPECT_EQ(
        listed({{"id", 0}}, job),
        "/url is required\n/status is required\n/created_at is required\n"
        "/id must be a whole number, at least 1");
}

}  // namespace
}  // namespace reelsd
