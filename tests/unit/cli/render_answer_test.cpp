// Goal: extracts, answers and presets as a user reads them. Method: whole pages.
#include "cli/render.hpp"
#include <reelsd/base/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace reelsd::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

json answer() {
    return json::parse(R"json({
        "answered": true, "answer": "Two cups of flour, sifted.",
        "citations": [
            {"id": 42, "code": "DYa0IXPgnP5", "field": "audio.transcript",
             "text": "two cups of sifted flour", "seconds": 72.5},
            {"id": 7, "code": "upload-0123456789ab", "field": "content.summary", "text": "flour",
             "seconds": null}],
        "model": {"provider": "gemini", "name": "gemini-1"}, "cost_usd": 0.00041})json");
}

TEST(RenderAnswer, ListsTheCitations) {
    EXPECT_EQ(render_answer(answer(), {.columns = 60}), R"(Two cups of flour, sifted.

  Reel 42 at 01:12: “two cups of sifted flour”
    https://www.instagram.com/reel/DYa0IXPgnP5/
  Reel 7: “flour”

Cost $0.00041, by gemini-1 (gemini)
)");
}

TEST(RenderAnswer, SaysThatThereIsNone) {
    const auto unanswered = json::parse(R"({"answered": false, "answer": "The reels do not say.",
        "citations": [], "model": {"provider": "p", "name": "m"}, "cost_usd": 0})");
    EXPECT_EQ(render_answer(unanswered, {}), "The reels do not say.\n\nCost $0.00, by m (p)\n");
    EXPECT_THAT(
        render_answer(unanswered, {.allowed = colours::on}), HasSubstr("\x1B[33mThe reels"));
}

TEST(IsAnswered, NeedsACitation) {
    EXPECT_TRUE(is_answered(answer()));
    auto bare = answer();
    bare["citations"] = json::array();
    EXPECT_FALSE(is_answered(bare));
    bare.erase("citations");
    EXPECT_FALSE(is_answered(bare));
    auto denied = answer();
    denied["answered"] = false;
    EXPECT_FALSE(is_answered(denied));
    EXPECT_FALSE(is_answered(json("x")));
}

TEST(RenderExtract, ShowsNestedValuesAsAList) {
    const auto job = json::parse(R"json({
        "id": 42, "status": "done", "result": {},
        "extract": {"name": "Pancakes", "servings": 4, "vegan": false, "note": null, "tags": [],
            "recipeIngredient": ["2 cups flour", "an egg that is long enough for a second line"],
            "steps": [{"text": "Mix", "minutes": 3, "tools": ["whisk"]}, {"text": "Fry"}],
            "nutrition": {"calories": 120.5, "per": {"unit": "piece"}},
            "grid": [[1, 2], []], "e\u001b[2Jvil": "a\u001b[2Jb"}})json");
    EXPECT_THAT(render_job(job, {.columns = 40}), HasSubstr(R"(
EXTRACT
  name: Pancakes
  servings: 4
  vegan: false
  note: none
  tags: none
  recipeIngredient:
    - 2 cups flour
    - an egg that is long enough for a
      second line
  steps:
    - text: Mix
      minutes: 3
      tools:
        - whisk
    - text: Fry
  nutrition:
    calories: 120.5
    per:
      unit: piece
  grid:
    -
      - 1
      - 2
    - none
  evil: ab

VISUAL
)"));
}

TEST(RenderExtract, ShowsWhyThereIsNone) {
    auto job = json::parse(R"({"id": 42, "status": "done", "result": {},
        "extract_error": "the model gave no valid answer"})");
    EXPECT_THAT(
        render_job(job, {}),
        HasSubstr("\nEXTRACT\n  The fields were not extracted: the model gave no valid answer\n"));
    job.erase("extract_error");
    EXPECT_THAT(render_job(job, {}), Not(HasSubstr("EXTRACT")));
}

TEST(RenderExtract, KeepsHalfOfTheWidthForDeepValues) {
    json value = "text";
    for (int depth = 0; depth < 60; ++depth) value = json{{"a", value}};
    const auto page =
        render_job({{"id", 1}, {"result", json::object()}, {"extract", value}}, {.columns = 40});
    EXPECT_THAT(page, HasSubstr("\n" + std::string(20, ' ') + "a: text\n"));
}

TEST(RenderPresets, IsATable) {
    const auto presets = json::parse(R"([
        {"name": "recipe", "description": "A recipe", "schema": {"type": "object"}},
        {"name": "claims", "description": "Claims that are made", "schema": {}}, 7])");
    EXPECT_EQ(
        render_presets(presets, {}),
        "PRESET  DESCRIPTION\nrecipe  A recipe\nclaims  Claims that are made\n?       ?\n");
}

}  // namespace
}  // namespace reelsd::cli
