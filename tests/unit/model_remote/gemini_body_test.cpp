// Goal: requests to Gemini are valid JSON of members that each family of models accepts, with the
// video before the task.
#include "builders.hpp"
#include "gemini_api.hpp"
#include "model/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ordered = nlohmann::ordered_json;

/// A function, because the schema's text may be initialised later than this file.
const prompt& asked_for() {
    static const prompt asked{
        .instructions = "Rules with \"quotes\"\nand lines.",
        .task = "Task: ж \\ \"",
        .boundary = "b",
        .schema = answer_schema(),
        .schema_name = "reel_analysis"};
    return asked;
}

/// The whole body, with a video or the URI of a file.
ordered body_for(
    const gemini_settings& settings, const request_options& options = {}, double seconds = 64.2) {
    const auto parts = gemini_body_for(
        settings,
        options,
        asked_for(),
        gemini_video{.duration_seconds = seconds, .mime_type = "video/mp4"});
    const auto text = parts.before +
                      (options.as_file ? R"("https://example.com/files/1")" : "QUJD") + parts.after;
    auto document = ordered::parse(text, nullptr, false);
    EXPECT_TRUE(document.is_object()) << text;
    return document;
}

TEST(GeminiBody, AnInlineVideo) {
    const auto body = body_for({});
    EXPECT_EQ(body.at("/systemInstruction/parts/0/text"_json_pointer), asked_for().instructions);
    ASSERT_EQ(body.at("contents").size(), 1U);
    EXPECT_EQ(body.at("/contents/0/role"_json_pointer), "user");
    const auto& parts = body.at("/contents/0/parts"_json_pointer);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts.at(0).at("inlineData"), (ordered{{"mimeType", "video/mp4"}, {"data", "QUJD"}}));
    EXPECT_EQ(parts.at(0).at("videoMetadata"), (ordered{{"fps", 1.0}}));
    EXPECT_EQ(parts.at(1), (ordered{{"text", asked_for().task}}));
    EXPECT_EQ(body.at("store"), false) << "nothing is stored";
}

TEST(GeminiBody, AnUploadedVideo) {
    const auto body = body_for({}, {.as_file = true});
    const auto& video = body.at("/contents/0/parts/0"_json_pointer);
    EXPECT_EQ(
        video.at("fileData"),
        (ordered{{"mimeType", "video/mp4"}, {"fileUri", "https://example.com/files/1"}}));
    EXPECT_FALSE(video.contains("inlineData"));
    EXPECT_TRUE(video.contains("videoMetadata"));
}

TEST(GeminiBody, GenerationConfig) {
    const auto config = body_for({}).at("generationConfig");
    EXPECT_EQ(config.at("responseMimeType"), "application/json");
    EXPECT_EQ(config.at("responseJsonSchema"), gemini_schema(answer_schema()));
    EXPECT_EQ(config.at("mediaResolution"), "MEDIA_RESOLUTION_HIGH");
    EXPECT_EQ(config.at("maxOutputTokens"), 16'384);
    // Lower values make models of the third family repeat themselves.
    for (const char* name : {"temperature", "topP", "topK", "responseSchema", "tools"})
        EXPECT_FALSE(config.contains(name)) << name;
    EXPECT_EQ(
        body_for({}, {.larger_cap = true}).at("/generationConfig/maxOutputTokens"_json_pointer),
        32'768);
    EXPECT_FALSE(body_for({.key = {}, .media_resolution = "none"})
                     .at("generationConfig")
                     .contains("mediaResolution"));
    EXPECT_EQ(
        body_for({.key = {}, .media_resolution = "low"})
            .at("/generationConfig/mediaResolution"_json_pointer),
        "MEDIA_RESOLUTION_LOW");
}

TEST(GeminiSchema, HasOnlyValuesThatGeminiKnows) {
    EXPECT_EQ(
        gemini_schema(json::parse(
            R"({"type": "object", "additionalProperties": false, "required": ["enum"],
                "properties": {
                "enum": {"type": ["string", "null"], "enum": ["a", null]},
                "flag": {"type": "boolean", "enum": [true]}}})")),
        json::parse(
            R"({"type": "object", "required": ["enum"], "properties": {
                "enum": {"type": ["string", "null"], "enum": ["a"]},
                "flag": {"type": "boolean"}},
                "propertyOrdering": ["enum", "flag"]})"));
}

TEST(GeminiBody, ThinkingByFamily) {
    struct test_case {
        const char* model;
        const char* thinking;
        request_options options;
        ordered expected;
    };
    const request_options least{.least_thinking = true};
    const test_case cases[] = {
        {"gemini-3.8-flash", "auto", {}, {{"thinkingLevel", "LOW"}}},
        // It has no lower level.
        {"gemini-3.8-flash", "auto", least, {{"thinkingLevel", "LOW"}}},
        {"gemini-3.7-flash", "auto", least, {{"thinkingLevel", "LOW"}}},
        {"gemini-3.6-flash", "auto", least, {{"thinkingLevel", "MINIMAL"}}},
        {"gemini-3.5-flash", "auto", least, {{"thinkingLevel", "MINIMAL"}}},
        {"gemini-3.5-flash-lite", "auto", {}, {{"thinkingLevel", "LOW"}}},
        {"gemini-3.5-flash-lite", "auto", least, {{"thinkingLevel", "MINIMAL"}}},
        {"gemini-3.1-pro-preview", "auto", least, {{"thinkingLevel", "LOW"}}},
        {"gemini-4-argon", "auto", {}, {{"thinkingLevel", "LOW"}}},
        {"gemini-2.5-flash", "auto", {}, {{"thinkingBudget", 1024}}},
        {"gemini-2.5-pro", "auto", least, {{"thinkingBudget", 128}}},
        {"gemini-3.8-flash", "high", {}, {{"thinkingLevel", "HIGH"}}},
        {"gemini-3.8-flash", "high", least, {{"thinkingLevel", "LOW"}}},
        {"gemini-2.5-flash", "0", {}, {{"thinkingBudget", 0}}},
        {"gemini-2.5-flash", "-1", {}, {{"thinkingBudget", -1}}},
        {"gemini-3.8-flash", "none", {}, nullptr},
        {"gemini-3.8-flash", "none", least, nullptr},
        {"gemini-3.8-flash", "high", {.without_thinking = true}, nullptr},
    };
    for (const auto& expected : cases) {
        const auto config = body_for(
                                {.key = {}, .model = expected.model, .thinking = expected.thinking},
                                expected.options)
                                .at("generationConfig");
        EXPECT_EQ(config.value("thinkingConfig", ordered(nullptr)), expected.expected)
            << expected.model << " " << expected.thinking;
    }
}

// Other settings remain, in particular "store".
TEST(GeminiBody, OnlyRefusedSettingsAreOmitted) {
    const auto stored = body_for({}, {.without_store = true});
    EXPECT_FALSE(stored.contains("store"));
    EXPECT_TRUE(stored.at("generationConfig").contains("thinkingConfig"));
    const auto body = body_for({}, {.without_thinking = true});
    EXPECT_EQ(body.at("store"), false);
    EXPECT_FALSE(body.at("generationConfig").contains("thinkingConfig"));
    EXPECT_TRUE(body.at("generationConfig").contains("responseJsonSchema"));
}

TEST(GeminiBody, FormatsOfTheAnswer) {
    const auto task = "/contents/0/parts/1/text"_json_pointer;
    const auto held = body_for({});
    EXPECT_THAT(held.at(task).get<std::string>(), Not(HasSubstr("JSON Schema")));

    const auto json_only = body_for({}, {.format = answer_format::json});
    EXPECT_TRUE(json_only.at("generationConfig").contains("responseMimeType"));
    EXPECT_FALSE(json_only.at("generationConfig").contains("responseJsonSchema"));
    EXPECT_THAT(json_only.at(task).get<std::string>(), HasSubstr(schema_note(answer_schema())));

    const auto text_only = body_for({}, {.format = answer_format::text});
    EXPECT_FALSE(text_only.at("generationConfig").contains("responseMimeType"));
    EXPECT_FALSE(text_only.at("generationConfig").contains("responseJsonSchema"));
    EXPECT_THAT(text_only.at(task).get<std::string>(), HasSubstr(schema_note(answer_schema())));

    EXPECT_THAT(
        body_for({}, {.note = "Say it \"again\"."}).at(task).get<std::string>(),
        HasSubstr("\n\nSay it \"again\"."));
}

TEST(GeminiBody, FrameRate) {
    struct test_case {
        double set;
        double seconds;
        double expected;
    };
    constexpr test_case cases[] = {
        {0, 44.9, 2}, {0, 45, 2}, {0, 45.1, 1}, {0, 0, 2}, {5, 10, 5}, {0.5, 10, 0.5}};
    for (const auto& expected : cases) {
        EXPECT_EQ(
            body_for({.key = {}, .frame_rate = expected.set}, {}, expected.seconds)
                .at("/contents/0/parts/0/videoMetadata/fps"_json_pointer),
            expected.expected)
            << expected.set << " " << expected.seconds;
    }
}

TEST(GeminiBody, SafetySettings) {
    const auto set = body_for({}).at("safetySettings");
    std::set<std::string> categories;
    for (const auto& setting : set) {
        EXPECT_EQ(setting.at("threshold"), "OFF");
        categories.insert(setting.at("category").get<std::string>());
    }
    EXPECT_EQ(
        categories,
        (std::set<std::string>{
            "HARM_CATEGORY_HARASSMENT",
            "HARM_CATEGORY_HATE_SPEECH",
            "HARM_CATEGORY_SEXUALLY_EXPLICIT",
            "HARM_CATEGORY_DANGEROUS_CONTENT"}));
    EXPECT_FALSE(body_for({.key = {}, .safety_threshold = "none"}).contains("safetySettings"));
    EXPECT_EQ(
        body_for({.key = {}, .safety_threshold = "BLOCK_NONE"})
            .at("/safetySettings/0/threshold"_json_pointer),
        "BLOCK_NONE");
}

/// Every keyword of a schema at any depth. Each object has its order.
void collect_keywords(const ordered& schema, std::set<std::string>& keywords) {
    for (const auto& [name, value] : schema.items()) {
        keywords.insert(name);
        if (name == "items") collect_keywords(value, keywords);
        if (name != "properties") continue;
        std::vector<std::string> order;
        for (const auto& [property, its_schema] : value.items()) {
            order.push_back(property);
            collect_keywords(its_schema, keywords);
        }
        EXPECT_EQ(schema.at("propertyOrdering").get<std::vector<std::string>>(), order);
        EXPECT_EQ(schema.at("required").get<std::vector<std::string>>(), order);
    }
}

TEST(GeminiSchema, HasOnlyAcceptedKeywords) {
    const std::set<std::string> taken{
        "$id",
        "$defs",
        "$ref",
        "$anchor",
        "type",
        "format",
        "title",
        "description",
        "enum",
        "items",
        "prefixItems",
        "anyOf",
        "oneOf",
        "properties",
        "additionalProperties",
        "required",
        "propertyOrdering"};
    std::set<std::string> keywords;
    collect_keywords(gemini_schema(answer_schema()), keywords);
    for (const auto& keyword : keywords) EXPECT_TRUE(taken.contains(keyword)) << keyword;
    EXPECT_FALSE(keywords.contains("additionalProperties"));
    EXPECT_TRUE(keywords.contains("propertyOrdering"));
}

TEST(GeminiSchema, KeepsPropertiesNamedLikeKeywords) {
    const auto schema = gemini_schema(ordered::parse(
        R"({"type":"object","additionalProperties":false,"properties":{
             "additionalProperties":{"type":"string"},"properties":{"type":["string","null"]}}})"));
    EXPECT_EQ(
        schema.dump(),
        R"({"type":"object","properties":{"additionalProperties":{"type":"string"},)"
        R"("properties":{"type":["string","null"]}},)"
        R"("propertyOrdering":["additionalProperties","properties"]})");
}

TEST(GeminiApi, HasProviderAndModel) {
    const auto log = log::logger::silent();
    const net::http_client http{{}};
    const auto api = make_gemini_api({.key = "secret", .model = "m"}, http, log);
    EXPECT_EQ(api->endpoint().provider, "gemini");
    EXPECT_EQ(api->endpoint().model, "m");
    EXPECT_EQ(api->endpoint().secret, "secret");
    EXPECT_EQ(api->media_note(testing::make_video()), "") << "it gets the video itself";
}

TEST(GeminiApi, ASmallVideoIsInlineAndTheKeyOnlyInAHeader) {
    const testing::scratch_file file{std::string{"\x1A\x45\xDF\xA3", 4} + "webm"};
    auto video = testing::make_video();
    video.file = file.path();
    const auto log = log::logger::silent();
    const net::http_client http{{}};
    const auto api =
        make_gemini_api({.url = "http://127.0.0.1:1", .key = "secret", .model = "m"}, http, log);
    const auto session = api->open(&video, asked_for());
    const auto request = session->request_for({}, deadline::after(std::chrono::minutes{1}), {});
    ASSERT_TRUE(request) << request.error().detail;
    EXPECT_EQ(request->url, "http://127.0.0.1:1/v1beta/models/m:generateContent");
    EXPECT_TRUE(request->fresh_connection) << "a request must not be billed twice";
    EXPECT_EQ(request->redirects_max, 0);
    ASSERT_TRUE(request->streamed_body);
    const auto body = ordered::parse(testing::sent_text(*request->streamed_body));
    EXPECT_EQ(
        body.at("/contents/0/parts/0/inlineData"_json_pointer),
        (ordered{{"mimeType", "video/webm"}, {"data", "GkXfo3dlYm0="}}));
    EXPECT_THAT(body.dump(), Not(HasSubstr("secret")));
    const auto& headers = request->headers;
    EXPECT_TRUE(std::any_of(headers.begin(), headers.end(), [](const auto& field) {
        return field.name == "x-goog-api-key" && field.value == "secret";
    }));
}

TEST(GeminiApi, ARequestWithoutAVideoIsTextAlone) {
    const auto log = log::logger::silent();
    const net::http_client http{{}};
    const auto api = make_gemini_api({.key = {}, .model = "m"}, http, log);
    const auto session = api->open(nullptr, asked_for());
    const auto request = session->request_for({}, deadline::after(std::chrono::minutes{1}), {});
    ASSERT_TRUE(request);
    const auto body = ordered::parse(testing::sent_text(*request->streamed_body));
    EXPECT_EQ(
        body.at("/contents/0/parts"_json_pointer), ordered::array({{{"text", asked_for().task}}}));
    EXPECT_FALSE(body.at("generationConfig").contains("mediaResolution"));
    EXPECT_TRUE(body.at("generationConfig").contains("responseJsonSchema"));
}

TEST(GeminiApi, AMissingFileIsAStorageFailure) {
    auto video = testing::make_video();
    video.file = "/nonexistent/video";
    const auto log = log::logger::silent();
    const net::http_client http{{}};
    const auto api = make_gemini_api({}, http, log);
    const auto session = api->open(&video, asked_for());
    const auto request = session->request_for({}, deadline::after(std::chrono::minutes{1}), {});
    ASSERT_FALSE(request);
    EXPECT_EQ(name_of(request.error().kind), "storage");
}

}  // namespace
}  // namespace reelsd::model
