// Goal: settings for models are decoded, or refused at the start; an error never contains a key.
#include "app/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace reelsd::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const setting_definition& model_setting(std::string_view name) {
    const auto* const definition = find_setting(name);
    if (definition == nullptr) throw std::invalid_argument{std::string{name}};
    return *definition;
}

TEST(ModelSettings, DefaultsAreThoseOfTheStructs) {
    settings target;
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            if (definition.value.default_value.empty()) continue;
            ASSERT_TRUE(apply(definition, definition.value.default_value, target))
                << definition.name;
        }
    }
    const settings usual;
    EXPECT_THAT(target.analyzers, ElementsAre("auto"));
    EXPECT_EQ(target.gemini.url, usual.gemini.url);
    EXPECT_EQ(target.gemini.model, usual.gemini.model);
    EXPECT_EQ(target.gemini.thinking, usual.gemini.thinking);
    EXPECT_EQ(target.gemini.media_resolution, usual.gemini.media_resolution);
    EXPECT_EQ(target.gemini.frame_rate, usual.gemini.frame_rate);
    EXPECT_EQ(target.gemini.inline_bytes_max, usual.gemini.inline_bytes_max);
    EXPECT_EQ(target.gemini.safety_threshold, usual.gemini.safety_threshold);
    EXPECT_EQ(target.gemini.output_tokens_max, usual.gemini.output_tokens_max);
    EXPECT_EQ(target.openai.url, usual.openai.url);
    EXPECT_EQ(target.openai.mode, usual.openai.mode);
    EXPECT_EQ(target.openai.video_part, usual.openai.video_part);
    EXPECT_EQ(target.openai.token_limit_name, usual.openai.token_limit_name);
    EXPECT_EQ(target.openai.response_format, usual.openai.response_format);
    EXPECT_EQ(target.openai.output_tokens_max, usual.openai.output_tokens_max);
    EXPECT_EQ(target.remote.answer_time_max, usual.remote.answer_time_max);
    EXPECT_EQ(target.remote.output_language, usual.remote.output_language);
}

TEST(ModelSettings, Bounds) {
    struct test_case {
        const char* name;
        const char* text;
        bool allowed;
    };
    constexpr test_case cases[] = {
        {"analyzer", "auto", true},
        {"analyzer", "local", true},
        {"analyzer", "gemini, openai,local", true},
        {"analyzer", "gemini,gemini", false},
        // Not a name of an analyzer.
        {"analyzer", "auto,local", false},
        {"analyzer", "gemini,", false},
        {"analyzer", "", false},
        {"analyzer", "Gemini", false},
        {"gemini-api-key", "AIza-1_x", true},
        // Blanks and line ends would end the header field.
        {"gemini-api-key", "AIza 1", false},
        {"gemini-api-key", "AIza\r\nX: y", false},
        {"gemini-api-key", "AIza\"", false},
        {"gemini-api-key", "", false},
        {"openai-api-key", "sk-\xC3\xA9", false},
        {"gemini-model", "gemini-3.5-flash-lite", true},
        // It becomes part of a path.
        {"gemini-model", "models/gemini-3.8-flash", false},
        {"gemini-model", "a:b", false},
        {"gemini-model", "a?b", false},
        {"gemini-model", "", false},
        {"openai-model", "Qwen/Qwen3-Omni-30B-A3B", true},
        {"openai-model", "qwen3:8b", true},
        {"openai-model", "a b", false},
        {"gemini-thinking", "none", true},
        {"gemini-thinking", "minimal", true},
        {"gemini-thinking", "-1", true},
        {"gemini-thinking", "0", true},
        {"gemini-thinking", "32768", true},
        {"gemini-thinking", "32769", false},
        {"gemini-thinking", "-2", false},
        {"gemini-thinking", "HIGH", false},
        {"gemini-thinking", "", false},
        {"gemini-media-resolution", "none", true},
        {"gemini-media-resolution", "ultra_high", false},
        {"gemini-frame-rate", "24", true},
        {"gemini-frame-rate", "0.5", true},
        {"gemini-frame-rate", "24.1", false},
        {"gemini-frame-rate", "-1", false},
        {"gemini-inline-bytes-max", "0", true},
        {"gemini-inline-bytes-max", "73400321", false},
        {"gemini-safety-threshold", "BLOCK_NONE", true},
        {"gemini-safety-threshold", "off", false},
        {"gemini-output-tokens-max", "1023", false},
        {"gemini-output-tokens-max", "32768", true},
        {"openai-mode", "video", true},
        {"openai-mode", "frames+audio", true},
        {"openai-mode", "audio", false},
        {"openai-video-part", "input_video", true},
        {"openai-video-part", "image_url", false},
        {"openai-token-limit-name", "max_completion_tokens", true},
        {"openai-token-limit-name", "max", false},
        {"openai-response-format", "json_object", true},
        {"openai-response-format", "text", false},
        {"openai-output-tokens-max", "131073", false},
        {"model-answer-seconds-max", "600", true},
        {"model-answer-seconds-max", "0", false},
        {"model-answer-seconds-max", "1.5", true},
        {"transcriber-seconds-max", "2.5", true},
        {"transcriber-seconds-max", "0.9", false},
        {"output-language", "Brazilian Portuguese", true},
        {"output-language", "English\nand obey", false},
        {"output-language", "", false},
        {"model-prices", "m=0.75/3.75,n=1/2/0.5", true},
        {"model-prices", "m=1", false},
        {"model-prices", "m=1/2,", false},
        {"model-prices", "m=0.0000001/1", false},
        {"model-prices", "", false},
        {"model-prices-file", "", false},
    };
    for (const auto& expected : cases) {
        settings target;
        EXPECT_EQ(
            apply(model_setting(expected.name), expected.text, target).has_value(),
            expected.allowed)
            << expected.name << " " << expected.text;
    }
}

TEST(ModelSettings, AnalyzersKeepTheirOrder) {
    settings target;
    ASSERT_TRUE(apply(model_setting("analyzer"), "openai, local ,gemini", target));
    EXPECT_THAT(target.analyzers, ElementsAre("openai", "local", "gemini"));
}

TEST(ModelSettings, BaseAddresses) {
    struct test_case {
        const char* text;
        const char* expected;  ///< Null: refused.
    };
    // Manuals write them in different ways; reelsd adds the version.
    constexpr test_case cases[] = {
        {"http://127.0.0.1:8000", "http://127.0.0.1:8000"},
        {"http://127.0.0.1:8000/", "http://127.0.0.1:8000"},
        {"http://127.0.0.1:8000/v1", "http://127.0.0.1:8000"},
        {"http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000"},
        {"https://gateway.example/api/v1", "https://gateway.example/api"},
        {"https://gateway.example/v1beta", "https://gateway.example"},
        {"https://gateway.example/v1beta/", "https://gateway.example"},
        {"https://gateway.example/gemini", "https://gateway.example/gemini"},
        {"https://gateway.example/v12", "https://gateway.example/v12"},
        {"https://gateway.example/?key=1", nullptr},
        {"https://gateway.example/#x", nullptr},
        {"https://user:word@gateway.example", nullptr},
        {"ftp://gateway.example", nullptr},
        {"gateway.example/v1", nullptr},
        {"https://", nullptr},
        {"https://gateway.example/a b", nullptr},
        {"", nullptr},
    };
    for (const auto& expected : cases) {
        settings target;
        const auto applied = apply(model_setting("openai-url"), expected.text, target);
        EXPECT_EQ(applied.has_value(), expected.expected != nullptr) << expected.text;
        if (expected.expected != nullptr) {
            EXPECT_EQ(target.openai.url, expected.expected) << expected.text;
        }
        EXPECT_EQ(
            apply(model_setting("gemini-url"), expected.text, target).has_value(),
            expected.expected != nullptr)
            << expected.text;
    }
}

TEST(ModelSettings, ModesHaveNames) {
    struct test_case {
        const char* text;
        model::openai_mode expected;
    };
    constexpr test_case cases[] = {
        {"video", model::openai_mode::video},
        {"video+audio", model::openai_mode::video_audio},
        {"frames+audio", model::openai_mode::frames_audio},
        {"frames", model::openai_mode::frames}};
    for (const auto& expected : cases) {
        settings target;
        ASSERT_TRUE(apply(model_setting("openai-mode"), expected.text, target));
        EXPECT_EQ(target.openai.mode, expected.expected) << expected.text;
    }
}

TEST(ModelSettings, KeysAreSecretAndNotRepeated) {
    for (const char* name : {"gemini-api-key", "openai-api-key"}) {
        settings target;
        const auto refused = apply(model_setting(name), "AIza secret", target);
        ASSERT_FALSE(refused);
        EXPECT_THAT(refused.error().detail(), Not(HasSubstr("AIza")));
        EXPECT_THAT(refused.error().detail(), HasSubstr("this value is not allowed"));
        EXPECT_EQ(model_setting(name).value.default_value, "");
    }
}

TEST(ModelSettings, KeysAlsoHaveTheirUsualNames) {
    EXPECT_EQ(model_setting("gemini-api-key").other_variable, "GEMINI_API_KEY");
    EXPECT_EQ(model_setting("openai-api-key").other_variable, "OPENAI_API_KEY");
    EXPECT_EQ(model_setting("gemini-model").other_variable, "");
}

}  // namespace
}  // namespace reelsd::app
