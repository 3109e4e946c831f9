// Goal: a caller's schema is accepted or refused exactly as documented, and its form for
// providers is one that all of them accept. Method: tables at each bound, and 200 schemas of a
// seeded generator, half of them broken in one known way.
#include "extraction/extract.hpp"
#include <reelsd/base/json_schema.hpp>
#include <reelsd/model/analysis_options.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string objection_to(const json& schema) {
    const auto checked = check_extract_schema(schema);
    if (checked) return {};
    EXPECT_EQ(checked.error().code(), errc::invalid_argument);
    return checked.error().detail();
}

json object_with(const json& property) {
    return {{"type", "object"}, {"properties", {{"x", property}}}};
}

/// `levels` objects within each other, the innermost with a text.
json nested_objects(int levels) {
    json schema{{"type", "string"}};
    for (int level = 0; level < levels; ++level) schema = object_with(schema);
    return schema;
}

json object_of(int properties) {
    json schema{{"type", "object"}, {"properties", json::object()}};
    for (int number = 0; number < properties; ++number)
        schema["properties"][fmt::format("p{}", number)] = {{"type", "string"}};
    return schema;
}

json enum_of(int values) {
    json choices = json::array();
    for (int value = 0; value < values; ++value) choices.push_back(value);
    return object_with({{"enum", choices}});
}

TEST(CheckExtractSchema, AcceptsTheSubset) {
    for (const char* property :
         {R"({})",
          R"({"type": "string", "description": "d", "format": "date", "minLength": 0})",
          R"({"maxLength": 5})",
          R"({"type": ["string", "null"], "enum": ["a", null]})",
          R"({"type": ["null", "integer"], "minimum": -1, "maximum": 1e300})",
          R"({"type": "number", "minimum": 0.5})",
          R"({"type": "null"})",
          R"({"type": "boolean", "enum": [true]})",
          R"({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2.0})",
          R"({"type": "array"})",
          R"({"type": "object", "properties": {}, "required": [], "additionalProperties": false})",
          R"({"type": "object", "required": ["not described"]})",
          R"({"enum": [1, 2.5, "x"]})",
          R"({"type": "string", "format": "whatever"})"})
        EXPECT_EQ(objection_to(object_with(json::parse(property))), "") << property;
    for (const auto& preset : extract_presets())
        EXPECT_EQ(objection_to(json::parse(preset.schema)), "") << preset.name;
}

TEST(CheckExtractSchema, NamesWhatItRefuses) {
    struct test_case {
        const char* schema;
        const char* objection;
    };
    constexpr test_case cases[] = {
        {R"({})", R"(the root needs "type": "object", at /)"},
        {R"({"type": "array"})", R"(the type of the root must be "object", at /type)"},
        {R"({"type": ["object", "null"]})", R"(the type of the root must be "object", at /type)"},
        {R"({"type": "object", "$ref": "#"})", R"("$ref" is not supported, at /$ref)"},
        {R"({"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}}})",
         R"("$ref" is not supported, at /properties/x/$ref)"},
        {R"({"type": "object", "properties": {"a/b~c": {"pattern": "x"}}})",
         R"("pattern" is not supported, at /properties/a~1b~0c/pattern)"},
        {R"({"type": "object", "properties": {"x": {"items": {"oneOf": []}}}})",
         R"("oneOf" is not supported, at /properties/x/items/oneOf)"},
        {R"({"type": "object", "title": "t"})", R"("title" is not supported, at /title)"},
        {R"({"type": "object", "": 1})", R"("" is not supported, at /)"},
        {R"({"type": "object", "properties": []})",
         R"("properties" must be an object, at /properties)"},
        {R"({"type": "object", "properties": {"x": true}})",
         "a schema must be an object, at /properties/x"},
        {R"({"type": "object", "properties": {"x": {"items": []}}})",
         R"("items" must be a schema, at /properties/x/items)"},
        {R"({"type": "object", "required": "x"})",
         R"("required" must be a list of different names, at /required)"},
        {R"({"type": "object", "required": ["x", "x"]})",
         R"("required" must be a list of different names, at /required)"},
        {R"({"type": "object", "additionalProperties": true})",
         R"("additionalProperties" must be false, at /additionalProperties)"},
        {R"({"type": "object", "additionalProperties": {}})",
         R"("additionalProperties" must be false, at /additionalProperties)"},
        {R"({"type": "object", "description": 1})",
         R"("description" must be a string, at /description)"},
        {R"({"type": "object", "description": "a\u0000"})",
         R"("description" must not contain a NUL character, at /description)"},
        {R"({"type": "object", "required": ["x", "a\u0000b"]})",
         R"("required" must not contain a NUL character, at /required)"},
        {R"({"type": "object", "properties": {"a\u0000": {}}})",
         R"("properties" must not contain a NUL character, at /properties)"},
        {R"({"type": "object", "properties": {"x": {"enum": [1, "\u0000"]}}})",
         R"("enum" must not contain a NUL character, at /properties/x/enum)"},
        {R"({"type": "object", "properties": {"x": {"items": {"format": "\u0000a"}}}})",
         R"("format" must not contain a NUL character, at /properties/x/items/format)"},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(
            objection_to(json::parse(expected.schema)),
            fmt::format("extract: {}", expected.objection));
    EXPECT_THAT(
        objection_to(json::array()), StartsWith("extract: a schema must be an object, at /"));
}

TEST(CheckExtractSchema, RefusesValuesOfKeywords) {
    for (const char* property :
         {R"({"type": "text"})",
          R"({"type": 1})",
          R"({"type": []})",
          R"({"type": ["string"]})",
          R"({"type": ["string", "number"]})",
          R"({"type": ["null", "null"]})",
          R"({"type": ["string", "number", "null"]})",
          R"({"type": ["string", 1]})",
          R"({"enum": []})",
          R"({"enum": "a"})",
          R"({"enum": [[]]})",
          R"({"enum": [{}]})",
          R"({"minimum": "1"})",
          R"({"maximum": null})",
          R"({"minItems": -1})",
          R"({"maxItems": 1.5})",
          R"({"minLength": "2"})",
          R"({"maxLength": true})",
          R"({"format": 1})",
          R"({"required": [1]})",
          R"({"items": "string"})"})
        EXPECT_THAT(
            objection_to(object_with(json::parse(property))),
            HasSubstr(fmt::format("at /properties/x/{}", json::parse(property).begin().key())));
}

TEST(CheckExtractSchema, RefusesContradictions) {
    struct test_case {
        const char* property;
        const char* objection;
    };
    constexpr test_case cases[] = {
        {R"({"properties": {"a": {}}, "required": ["a", "b"], "additionalProperties": false})",
         R"("required" names "b", which is not in "properties", at /properties/x/required)"},
        {R"({"type": "object", "required": ["a"], "additionalProperties": false})",
         R"("required" names "a", which is not in "properties", at /properties/x/required)"},
        {R"({"minimum": 2, "maximum": 1.5})",
         R"("minimum" is larger than "maximum", at /properties/x/minimum)"},
        {R"({"minimum": 18446744073709551615, "maximum": -1})",
         R"("minimum" is larger than "maximum", at /properties/x/minimum)"},
        {R"({"type": "array", "minItems": 3, "maxItems": 2})",
         R"("minItems" is larger than "maxItems", at /properties/x/minItems)"},
        {R"({"type": "string", "minLength": 1, "maxLength": 0})",
         R"("minLength" is larger than "maxLength", at /properties/x/minLength)"},
        {R"({"type": ["integer", "null"], "enum": ["1", 1.5, true]})",
         R"("enum" has no value of the schema's type, at /properties/x/enum)"},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(
            objection_to(object_with(json::parse(expected.property))),
            fmt::format("extract: {}", expected.objection));
    for (const char* property :
         {R"({"properties": {"a": {}}, "required": ["a", "b"]})",
          R"({"properties": {"a": {}}, "required": ["a"], "additionalProperties": false})",
          R"({"minimum": -1, "maximum": 18446744073709551615})",
          R"({"minimum": 1, "maximum": 1})",
          R"({"minItems": 2, "maxItems": 2, "minLength": 0, "maxLength": 0})",
          R"({"type": "integer", "enum": ["one", 1.0]})",
          R"({"type": ["string", "null"], "enum": [1, null]})"})
        EXPECT_EQ(objection_to(object_with(json::parse(property))), "") << property;
}

TEST(CheckExtractSchema, HoldsItsBounds) {
    EXPECT_EQ(objection_to(nested_objects(5)), "");
    EXPECT_EQ(
        objection_to(nested_objects(6)),
        "extract: the schema is deeper than 5 levels, at "
        "/properties/x/properties/x/properties/x/properties/x/properties/x");
    EXPECT_NE(objection_to(nested_objects(40)), "");
    EXPECT_EQ(objection_to(object_of(100)), "");
    EXPECT_EQ(
        objection_to(object_of(101)),
        "extract: the schema has more than 100 properties, at /properties");
    auto split = object_of(60);
    split["properties"]["p0"] = object_of(40);
    EXPECT_EQ(objection_to(split), "");
    split["properties"]["p0"] = object_of(41);
    EXPECT_THAT(objection_to(split), HasSubstr("at /properties/p0/properties"));
    EXPECT_EQ(objection_to(enum_of(100)), "");
    EXPECT_EQ(
        objection_to(enum_of(101)),
        "extract: \"enum\" has more than 100 values, at /properties/x/enum");

    json large{{"type", "object"}, {"description", ""}};
    large["description"] = std::string(extract_schema_bytes_max - large.dump().size(), 'd');
    EXPECT_EQ(large.dump().size(), extract_schema_bytes_max);
    EXPECT_EQ(objection_to(large), "");
    large["description"] = large["description"].get<std::string>() + 'd';
    EXPECT_EQ(objection_to(large), "extract: the schema is larger than 16 KiB, at /");
}

/// Makes valid schemas; the same seed makes the same ones.
class schema_maker {
public:
    explicit schema_maker(unsigned seed) : random_{seed} {}

    int below(int bound) { return std::uniform_int_distribution<int>{0, bound - 1}(random_); }

    json object(int depth) {
        json schema{{"type", "object"}, {"properties", json::object()}};
        auto required = json::array();
        for (int number = 0, count = 1 + below(3); number < count; ++number) {
            const auto name = fmt::format("{}{}", depth, number);
            schema["properties"][name] = any(depth + 1);
            if (below(2) == 0) required.push_back(name);
        }
        if (below(2) == 0) schema["required"] = required;
        if (below(2) == 0) schema["additionalProperties"] = false;
        return schema;
    }

private:
    json any(int depth) {
        const int kind = below(depth > 4 ? 4 : 6);
        auto schema = kind == 5 ? object(depth) : kind == 4 ? list(depth) : scalar(kind);
        if (below(3) == 0) schema["description"] = "what it is";
        if (below(4) == 0 && schema.contains("type") && schema["type"].is_string())
            schema["type"] = {schema["type"], "null"};
        return schema;
    }
    json list(int depth) {
        json schema{{"type", "array"}, {"items", any(depth + 1)}};
        if (below(2) == 0) schema["minItems"] = below(3);
        if (below(2) == 0) schema["maxItems"] = 3 + below(3);
        return schema;
    }
    json scalar(int kind) {
        if (kind == 0) return {{"type", "string"}, {"minLength", below(3)}, {"format", "date"}};
        if (kind == 1) return {{"type", "integer"}, {"minimum", below(9)}, {"maximum", 9}};
        if (kind == 2) return {{"type", "boolean"}};
        return {{"type", "string"}, {"enum", {"a", "b"}}};
    }

    std::mt19937 random_;
};

/// One schema of the tree, at random.
json& some_node(json& schema, schema_maker& dice) {
    if (schema.contains("properties") && dice.below(3) > 0) {
        auto member = schema["properties"].begin();
        std::advance(member, dice.below(static_cast<int>(schema["properties"].size())));
        return some_node(*member, dice);
    }
    if (schema.contains("items") && dice.below(3) > 0) return some_node(schema["items"], dice);
    return schema;
}

TEST(CheckExtractSchema, DecidesOnRandomSchemas) {
    const std::vector<std::function<void(json&)>> faults{
        [](json& node) { node["$ref"] = "#/x"; },
        [](json& node) { node["anyOf"] = json::array(); },
        [](json& node) { node["pattern"] = "x"; },
        [](json& node) { node["type"] = "text"; },
        [](json& node) { node["type"] = json::parse(R"(["string", "integer"])"); },
        [](json& node) { node["minLength"] = -1; },
        [](json& node) { node["enum"] = json::array(); },
        [](json& node) { node["additionalProperties"] = true; },
        [](json& node) { node["properties"] = json::array({1}); },
        [](json& node) { node["uniqueItems"] = true; }};
    for (unsigned seed = 0; seed < 100; ++seed) {
        schema_maker maker{seed};
        auto schema = maker.object(1);
        EXPECT_EQ(objection_to(schema), "") << seed << ": " << schema;
        faults[seed % faults.size()](some_node(schema, maker));
        EXPECT_NE(objection_to(schema), "") << seed << ": " << schema;
    }
}

/// What OpenAI's strict mode requires, and Gemini accepts.
void expect_strict(const json& schema) {
    for (const auto& [name, value] : schema.items())
        EXPECT_TRUE(
            name == "type" || name == "description" || name == "enum" || name == "format" ||
            name == "properties" || name == "required" || name == "additionalProperties" ||
            name == "items")
            << name;
    EXPECT_TRUE(schema.contains("type")) << schema;
    if (schema.contains("items")) expect_strict(schema["items"]);
    if (!schema.contains("properties")) return;
    EXPECT_EQ(schema["additionalProperties"], false);
    EXPECT_EQ(schema["required"].size(), schema["properties"].size());
    for (const auto& [name, property] : schema["properties"].items()) expect_strict(property);
}

TEST(StrictSchema, IsAcceptedByProviders) {
    for (const auto& preset : extract_presets()) {
        const auto schema = json::parse(preset.schema);
        EXPECT_TRUE(has_strict_form(schema)) << preset.name;
        expect_strict(strict_schema(schema));
    }
    for (unsigned seed = 0; seed < 100; ++seed) {
        const auto schema = schema_maker{seed}.object(1);
        ASSERT_TRUE(has_strict_form(schema)) << schema;
        expect_strict(strict_schema(schema));
    }
}

TEST(StrictSchema, MakesOptionalMembersNullable) {
    const auto strict = strict_schema(json::parse(R"({
        "type": "object", "required": ["a"],
        "properties": {
            "a": {"type": "string", "minLength": 2, "format": "uri", "description": "d"},
            "b": {"type": "integer", "minimum": 1},
            "c": {"enum": ["x", "y"]},
            "d": {"type": ["array", "null"], "maxItems": 2,
                  "items": {"type": "string", "format": "date"}},
            "e": {"properties": {"f": {"type": "boolean"}}}}})"));
    EXPECT_EQ(strict, json::parse(R"({
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "d"},
            "b": {"type": ["integer", "null"]},
            "c": {"type": ["string", "null"], "enum": ["x", "y", null]},
            "d": {"type": ["array", "null"], "items": {"type": "string", "format": "date"}},
            "e": {"type": ["object", "null"], "properties": {"f": {"type": ["boolean", "null"]}},
                  "required": ["f"], "additionalProperties": false}},
        "required": ["a", "b", "c", "d", "e"], "additionalProperties": false})"));
}

TEST(StrictSchema, DoesNotExistForValuesOfAnyKind) {
    for (const char* property :
         {R"({})",
          R"({"type": "object"})",
          R"({"type": "array"})",
          R"({"enum": ["a", 1]})",
          R"({"type": "array", "items": {}})",
          R"({"type": "object", "properties": {"x": {"type": "string"}}, "required": ["y"]})"})
        EXPECT_FALSE(has_strict_form(object_with(json::parse(property)))) << property;
}

}  // namespace
}  // namespace reelsd::model
