// Goal: requests to servers with chat completions are valid JSON in each mode and with each kind of
// part. Method: the streamed body is parsed.
#include "builders.hpp"
#include "model/answer.hpp"
#include "openai_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using sorted_json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::scratch_file;

/// The parts of a message.
sorted_json parts_of(const sent_media& media, const openai_settings& settings = {}) {
    net::request_body body;
    add_message_parts(body, media, settings, "video/mp4", "Task: ж \"\\");
    const auto text = testing::sent_text(body);
    auto parts = sorted_json::parse(text, nullptr, false);
    EXPECT_TRUE(parts.is_array()) << text;
    return parts;
}

TEST(OpenaiBody, AVideoInEachKindOfPart) {
    const scratch_file video{"ABC"};
    struct test_case {
        const char* type;
        const char* expected;
    };
    constexpr test_case cases[] = {
        {"video_url", R"({"type":"video_url","video_url":{"url":"data:video/mp4;base64,QUJD"}})"},
        {"input_video",
         R"({"type":"input_video","input_video":{"url":"data:video/mp4;base64,QUJD"}})"},
        {"file",
         R"({"type":"file","file":{
            "file_data":"data:video/mp4;base64,QUJD","format":"video/mp4"}})"},
    };
    for (const auto& expected : cases) {
        const auto parts = parts_of(
            {.video = video.whole(), .frames = {}, .sound = {}},
            {.key = {}, .model = {}, .video_part = expected.type});
        ASSERT_EQ(parts.size(), 2U);
        EXPECT_EQ(parts.at(0), sorted_json::parse(expected.expected)) << expected.type;
        EXPECT_EQ(parts.at(1), (sorted_json{{"type", "text"}, {"text", "Task: ж \"\\"}}));
    }
}

TEST(OpenaiBody, AVideoAndItsSound) {
    const scratch_file video{"ABC"};
    const scratch_file sound{"RIFF"};
    const auto parts = parts_of({.video = video.whole(), .frames = {}, .sound = sound.whole()});
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts.at(0).at("type"), "video_url");
    EXPECT_EQ(
        parts.at(1),
        sorted_json::parse(
            R"({"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}})"));
    EXPECT_EQ(parts.at(2).at("type"), "text");
}

TEST(OpenaiBody, FramesFollowTheirTimes) {
    // Two frames in one file, and the sound.
    const scratch_file frames{"ABCDEF"};
    const scratch_file sound{"RIFF"};
    const sent_media media{
        .video = {},
        .frames =
            {{.seconds = 0, .jpeg = {.file = frames.path(), .offset = 0, .bytes = 3}},
             {.seconds = 65.9, .jpeg = {.file = frames.path(), .offset = 3, .bytes = 3}}},
        .sound = sound.whole()};
    const auto parts = parts_of(media);
    ASSERT_EQ(parts.size(), 6U);
    EXPECT_EQ(parts.at(0).at("text"), "t=00:00");
    EXPECT_EQ(
        parts.at(1),
        sorted_json::parse(
            R"({"type":"image_url","image_url":{"url":"data:image/jpeg;base64,QUJD"}})"));
    EXPECT_EQ(parts.at(2).at("text"), "t=01:05");
    EXPECT_EQ(parts.at(3).at("/image_url/url"_json_pointer), "data:image/jpeg;base64,REVG");
    EXPECT_EQ(parts.at(4).at("type"), "input_audio");
    EXPECT_EQ(parts.at(5).at("type"), "text");
}

TEST(OpenaiBody, AMessageWithoutMedia) {
    EXPECT_EQ(parts_of({}).size(), 1U);
}

/// Static data of other files may not exist yet, therefore a function.
prompt quoted_prompt() {
    return {
        .instructions = "Rules \"here\"",
        .task = "Task",
        .boundary = "b",
        .schema = answer_schema(),
        .schema_name = "reel_analysis"};
}

sorted_json options_of(const openai_settings& settings, const request_options& options = {}) {
    const auto text = openai_options(settings, options, quoted_prompt());
    EXPECT_TRUE(text.starts_with(',')) << text;
    auto members = sorted_json::parse("{\"messages\":[]" + text + "}", nullptr, false);
    EXPECT_TRUE(members.is_object()) << text;
    members.erase("messages");
    return members;
}

TEST(OpenaiOptions, TheLimitOfAnAnswer) {
    EXPECT_EQ(options_of({}).at("max_tokens"), 16'384);
    EXPECT_EQ(options_of({}, {.larger_cap = true}).at("max_tokens"), 32'768);
    const auto own = options_of(
        {.key = {},
         .model = {},
         .token_limit_name = "max_completion_tokens",
         .output_tokens_max = 5});
    EXPECT_EQ(own.at("max_completion_tokens"), 5);
    EXPECT_FALSE(own.contains("max_tokens"));
}

TEST(OpenaiOptions, FormatsThatTheServerSupportsAndHasNotRefused) {
    struct test_case {
        const char* set;
        answer_format asked;
        const char* type;  ///< Empty: absent.
    };
    constexpr test_case cases[] = {
        {"json_schema", answer_format::schema, "json_schema"},
        {"json_schema", answer_format::json, "json_object"},
        {"json_schema", answer_format::text, ""},
        {"json_object", answer_format::schema, "json_object"},
        {"json_object", answer_format::json, "json_object"},
        {"json_object", answer_format::text, ""},
        {"none", answer_format::schema, ""},
        {"none", answer_format::json, ""},
        {"none", answer_format::text, ""},
    };
    for (const auto& expected : cases) {
        const auto options = options_of(
            {.key = {}, .model = {}, .response_format = expected.set}, {.format = expected.asked});
        EXPECT_EQ(options.value("/response_format/type"_json_pointer, std::string{}), expected.type)
            << expected.set;
    }
}

/// A strict schema requires every property and allows no others.
void expect_strict(const sorted_json& schema) {
    if (schema.contains("items")) expect_strict(schema.at("items"));
    if (!schema.contains("properties")) return;
    EXPECT_EQ(schema.at("additionalProperties"), false);
    std::vector<std::string> required = schema.at("required");
    for (const auto& [name, value] : schema.at("properties").items()) {
        EXPECT_THAT(required, ::testing::Contains(name));
        expect_strict(value);
    }
    EXPECT_EQ(required.size(), schema.at("properties").size());
}

TEST(OpenaiOptions, TheSchemaIsStrict) {
    const auto format = options_of({}).at("response_format").at("json_schema");
    EXPECT_EQ(format.at("strict"), true);
    EXPECT_EQ(format.at("name"), "reel_analysis");
    EXPECT_EQ(format.at("schema"), sorted_json::parse(answer_schema().dump()));
    expect_strict(format.at("schema"));
}

media::media_client no_helper() {
    return media::media_client{{.helper = "/nonexistent"}};
}

TEST(OpenaiApi, AWholeRequest) {
    const scratch_file file{"ABC"};
    auto video = testing::make_video();
    video.file = file.path();
    const auto media = no_helper();
    const auto api = make_openai_api(
        {.url = "http://127.0.0.1:1",
         .key = "secret",
         .model = "a/b \"c\"",
         .mode = openai_mode::video,
         .response_format = "none"},
        media);
    const auto prompt = quoted_prompt();
    const auto session = api->open(&video, prompt);
    const auto request =
        session->request_for({.note = "Note."}, deadline::after(std::chrono::minutes{1}), {});
    ASSERT_TRUE(request) << request.error().detail;
    EXPECT_EQ(request->url, "http://127.0.0.1:1/v1/chat/completions");
    EXPECT_TRUE(request->fresh_connection) << "a request must not be billed twice";
    ASSERT_TRUE(request->streamed_body);
    const auto body = sorted_json::parse(testing::sent_text(*request->streamed_body));
    EXPECT_EQ(body.at("model"), "a/b \"c\"");
    EXPECT_EQ(body.at("max_tokens"), 16'384);
    EXPECT_EQ(
        body.at("messages").at(0),
        (sorted_json{{"role", "system"}, {"content", prompt.instructions}}));
    EXPECT_EQ(body.at("/messages/1/role"_json_pointer), "user");
    // This server does not enforce the schema, so the task contains it.
    EXPECT_EQ(
        body.at("/messages/1/content/1/text"_json_pointer),
        "Task\n\n" + schema_note(answer_schema()) + "\n\nNote.");
    EXPECT_THAT(body.dump(), Not(HasSubstr("secret")));
    ASSERT_EQ(request->headers.size(), 2U);
    EXPECT_EQ(request->headers[1].value, "Bearer secret");
}

TEST(OpenaiApi, OnlyOpenaiItselfShowsTheSchemaToTheModel) {
    const auto media = no_helper();
    const auto prompt = quoted_prompt();
    const auto task_at = [&](const char* url) {
        const auto api = make_openai_api({.url = url, .key = {}, .model = "m"}, media);
        const auto session = api->open(nullptr, prompt);
        const auto request = session->request_for({}, deadline::after(std::chrono::minutes{1}), {});
        const auto body = sorted_json::parse(testing::sent_text(*request->streamed_body));
        EXPECT_EQ(body.at("/response_format/type"_json_pointer), "json_schema") << url;
        return body.at("/messages/1/content/0/text"_json_pointer).get<std::string>();
    };
    EXPECT_EQ(task_at("https://api.openai.com"), "Task");
    EXPECT_EQ(task_at("http://127.0.0.1:8080"), "Task\n\n" + schema_note(answer_schema()));
}

TEST(OpenaiApi, AServerMayNeedNoKey) {
    const scratch_file file{"ABC"};
    auto video = testing::make_video();
    video.file = file.path();
    const auto media = no_helper();
    const auto api = make_openai_api({.key = {}, .model = {}, .mode = openai_mode::video}, media);
    const auto prompt = quoted_prompt();
    const auto session = api->open(&video, prompt);
    const auto request = session->request_for({}, deadline::after(std::chrono::minutes{1}), {});
    ASSERT_TRUE(request);
    EXPECT_EQ(request->headers.size(), 1U);
}

TEST(OpenaiApi, ARequestWithoutAVideoIsTextAlone) {
    const auto media = no_helper();
    const auto api =
        make_openai_api({.key = {}, .model = "m", .mode = openai_mode::frames_audio}, media);
    prompt question{
        .instructions = "Rules",
        .task = "Task",
        .boundary = {},
        .schema = {{"type", "object"}},
        .schema_name = "answer"};
    const auto session = api->open(nullptr, question);
    const auto request = session->request_for({}, deadline::after(std::chrono::minutes{1}), {});
    ASSERT_TRUE(request);
    const auto body = sorted_json::parse(testing::sent_text(*request->streamed_body));
    EXPECT_EQ(
        body.at("/messages/1/content"_json_pointer),
        (sorted_json::array({{{"type", "text"}, {"text", "Task"}}})));
    const auto& format = body.at("/response_format/json_schema"_json_pointer);
    EXPECT_EQ(format.at("name"), "answer");
    EXPECT_EQ(format.at("schema"), (sorted_json{{"type", "object"}}));
}

TEST(OpenaiApi, TheTaskDescribesTheMedia) {
    const auto media = no_helper();
    const auto note = [&](openai_mode mode, bool has_sound) {
        auto video = testing::make_video();
        if (!has_sound) video.probe.audio_codec.reset();
        return make_openai_api({.key = {}, .model = {}, .mode = mode}, media)->media_note(video);
    };
    EXPECT_EQ(note(openai_mode::video, true), "");
    EXPECT_THAT(note(openai_mode::video_audio, true), HasSubstr("audio track"));
    EXPECT_EQ(note(openai_mode::video_audio, false), "");
    EXPECT_THAT(note(openai_mode::frames_audio, true), HasSubstr("its complete audio track"));
    EXPECT_THAT(note(openai_mode::frames_audio, false), HasSubstr("has no sound"));
    EXPECT_THAT(note(openai_mode::frames, true), HasSubstr("without its sound"));

    auto video = testing::make_video();
    video.probe.audio_is_decodable = false;
    const auto api =
        make_openai_api({.key = {}, .model = {}, .mode = openai_mode::frames_audio}, media);
    EXPECT_THAT(api->media_note(video), HasSubstr("without its sound"));
}

TEST(OpenaiApi, FindsTheModelInAList) {
    struct test_case {
        int status;
        const char* body;
        bool is_fault;
    };
    constexpr test_case cases[] = {
        {200, R"({"data":[{"id":"other"},{"id":"m"}]})", false},
        {200, R"({"data":[{"id":"other"},{"id":7},null]})", true},
        {200, R"({"data":[{"id":"m:latest"}]})", false},
        {200, R"({"data":[{"id":"m:7b"}]})", true},
        {200, R"({"object":"list","data":null})", true},
        // A list in another format proves nothing.
        {200, R"({"models":[]})", false},
        {200, R"({"data":{}})", false},
        {200, "<html>", false},
        {401, "", true},
        {404, "", true},
    };
    const auto media = no_helper();
    const auto api =
        make_openai_api({.url = "http://127.0.0.1:1", .key = "secret", .model = "m"}, media);
    EXPECT_EQ(api->model_request().url, "http://127.0.0.1:1/v1/models");
    for (const auto& expected : cases) {
        net::http_response answer;
        answer.head.status = expected.status;
        answer.body = expected.body;
        EXPECT_EQ(api->model_fault(answer).has_value(), expected.is_fault) << expected.body;
    }
}

}  // namespace
}  // namespace reelsd::model
