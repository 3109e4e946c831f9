// Goal: a stored model fills the settings that the operator has not set, and a form cannot send a
// stored key elsewhere.
#include "app/stored_model.hpp"

#include <reelsd/base/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr time_point now{};

stored_model gemini_model() {
    stored_model stored;
    stored.provider = "gemini";
    stored.values = {{"gemini-api-key", "k"}, {"gemini-model", "m"}, {"gemini-url", "https://x"}};
    stored.key_set_at = "2026-01-01T00:00:00Z";
    return stored;
}

settings by_default() {
    settings config;
    config.analyzers = {"auto"};
    return config;
}

TEST(StoredModel, FillsWhatTheOperatorHasNotSet) {
    auto config = by_default();
    config.gemini.model = "operators";
    config.given = {"gemini-model"};
    config.model_prices = "operators=9/9";
    auto stored = gemini_model();
    stored.input_price = "1";
    stored.output_price = "2";
    const auto merged = with_stored_model(config, stored);
    ASSERT_TRUE(merged);
    EXPECT_THAT(merged->analyzers, ElementsAre("gemini"));
    EXPECT_EQ(merged->gemini.key, "k");
    EXPECT_EQ(merged->gemini.url, "https://x");
    EXPECT_EQ(merged->gemini.model, "operators");
    EXPECT_EQ(merged->model_prices, "operators=9/9,operators=1/2") << "the first one applies";
    stored.values["gemini-model"] = "a b";
    config.given.clear();
    EXPECT_THAT(with_stored_model(config, stored).error().detail(), HasSubstr("gemini-model"));
}

TEST(StoredModel, HasNoEffectIfTheOperatorChooses) {
    auto config = by_default();
    EXPECT_FALSE(choose_analyzer(config));
    config.openai.model = "m";
    EXPECT_FALSE(choose_analyzer(config)) << "a model's name chooses nothing";
    config.openai.key = "k";
    EXPECT_TRUE(choose_analyzer(config));
    config = by_default();
    config.analyzers = {"local"};
    EXPECT_TRUE(choose_analyzer(config));
}

TEST(StoredModel, SurvivesItsText) {
    const auto stored = gemini_model();
    const auto read = stored_model_from(text_of(stored));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->values, stored.values);
    EXPECT_EQ(read->key_set_at, stored.key_set_at);
    for (const auto* const text : {"", "[]", "{}", R"({"provider": "x", "values": []})"})
        EXPECT_FALSE(stored_model_from(text)) << text;
}

TEST(ModelForm, KeepsAKeyForItsAddressOnly) {
    const auto before = gemini_model();
    const json same{{"provider", "gemini"}, {"url", "https://x"}, {"model", "n"}};
    const auto kept = model_from_form(same, &before, now);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->value("api-key"), "k");
    EXPECT_EQ(kept->value("model"), "n");
    EXPECT_EQ(kept->key_set_at, before.key_set_at);
    for (const auto& moved :
         {json{{"provider", "gemini"}, {"url", "https://y"}},
          json{{"provider", "gemini"}},
          json{{"provider", "openai"}, {"url", "https://x"}, {"model", "n"}}}) {
        EXPECT_THAT(
            model_from_form(moved, &before, now).error().detail(), HasSubstr("enter the key"));
    }
    EXPECT_FALSE(model_from_form(same, nullptr, now)) << "Gemini needs a key";
    const json replaced{{"provider", "gemini"}, {"url", "https://y"}, {"api_key", "new"}};
    EXPECT_EQ(model_from_form(replaced, &before, now)->key_set_at, to_rfc3339(now));
}

TEST(ModelForm, AServerNeedsNoKey) {
    const json form{{"provider", "openai"}, {"model", "m"}, {"mode", "frames"}, {"api_key", ""}};
    const auto before = gemini_model();
    const auto stored = model_from_form(form, &before, now);
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->value("api-key").empty());
    EXPECT_EQ(with_stored_model(by_default(), *stored)->openai.mode, model::openai_mode::frames);
}

}  // namespace
}  // namespace reelsd::app
