#include "api/resources.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/model/passage_finder.hpp>
#include <reelsd/model/search_document.hpp>

#include <gmock/gmock.h>

#include <string>

namespace reelsd::api {
namespace {

using ::testing::HasSubstr;

TEST(RequestedQuery, AcceptsOneTo500Characters) {
    EXPECT_EQ(requested_query("bread").value(), "bread");
    EXPECT_EQ(requested_query(" bread ").value(), "bread");
    std::string long_one;
    for (int i = 0; i < 500; ++i) long_one += "ä";
    EXPECT_TRUE(requested_query(long_one));

    const auto too_long = requested_query(long_one + "ä");
    ASSERT_FALSE(too_long);
    EXPECT_EQ(too_long.error().code(), errc::invalid_argument);
    EXPECT_EQ(too_long.error().detail(), "q is too long");
    for (const auto text :
         {std::optional<std::string_view>{},
          std::optional<std::string_view>{""},
          std::optional<std::string_view>{" \t\n"},
          std::optional<std::string_view>{std::string_view{"\0", 1}}}) {
        const auto missing = requested_query(text);
        ASSERT_FALSE(missing);
        EXPECT_EQ(missing.error().code(), errc::invalid_argument);
        EXPECT_EQ(missing.error().detail(), "q is required");
    }
}

TEST(RequestedQuery, AcceptsEveryPunctuationMark) {
    for (const auto* text : {"& | !", "\"", "'", "🍞", "хлеб", "\xff\xfe", "%", "(((", "\\"}) {
        SCOPED_TRACE(text);
        EXPECT_TRUE(requested_query(text));
    }
}

jobs::search_hit some_hit() {
    return {
        .id = job_id{42},
        .url = "https://www.instagram.com/reel/x/?a=\"b\"",
        .created_at = time_point{std::chrono::seconds{1'779'444'000}},
        .brief = {.code = "x", .author = "ann", .summary = "How to bake."},
        .details = {},
        .score = 0.123456,
        .passages = model::passages_text(
            {{"content.summary", "How to bake.", {}, {}},
             {"audio.transcript", "then the water", 12.5, {}}})};
}

TEST(HitView, HasTheDocumentedFormat) {
    const auto view = json::parse(hit_view(some_hit(), model::passage_finder{"water", {}}).value());
    EXPECT_EQ(view.at("id"), 42);
    EXPECT_EQ(view.at("url"), "https://www.instagram.com/reel/x/?a=\"b\"");
    EXPECT_EQ(view.at("code"), "x");
    EXPECT_EQ(view.at("author"), "ann");
    EXPECT_EQ(view.at("created_at"), "2026-05-22T10:00:00Z");
    EXPECT_EQ(view.at("summary"), "How to bake.");
    EXPECT_EQ(view.at("score"), 0.1235);
    EXPECT_EQ(
        view.at("match"),
        json({{"field", "audio.transcript"}, {"text", "then the water"}, {"seconds", 12.5}}));
    EXPECT_EQ(view.size(), 8U);
}

TEST(HitView, AMatchWithATimeHasTheFrameOfItsMoment) {
    const auto frame_at = [](double seconds, int frames) {
        auto hit = some_hit();
        hit.frames = frames;
        hit.passages = model::passages_text(
            {{"content.key_moments", "Flour.", 2, {}},
             {"content.key_moments", "A sieve.", 2, {}},
             {"content.key_moments", "Dough.", 12.5, {}},
             {"audio.transcript", "then the water", seconds, {}}});
        const auto view = json::parse(hit_view(hit, model::passage_finder{"water", {}}).value());
        return view.at("match").value("frame", "none");
    };
    EXPECT_EQ(frame_at(12.4, 2), "/api/v1/reels/42/frames/0");
    EXPECT_EQ(frame_at(12.5, 2), "/api/v1/reels/42/frames/1");
    EXPECT_EQ(frame_at(40, 2), "/api/v1/reels/42/frames/1");
    EXPECT_EQ(frame_at(1, 2), "none") << "before the first moment";
    EXPECT_EQ(frame_at(40, 3), "none") << "two moments at the same time";
    EXPECT_EQ(frame_at(40, 0), "none");
}

TEST(HitView, AMatchWithoutATimeHasNoSeconds) {
    const auto view = json::parse(hit_view(some_hit(), model::passage_finder{"bake", {}}).value());
    EXPECT_EQ(view.at("match"), json({{"field", "content.summary"}, {"text", "How to bake."}}));
}

TEST(HitView, AReelWithoutPassagesIsShownByItsSummary) {
    auto hit = some_hit();
    hit.passages.clear();
    const auto view = json::parse(hit_view(hit, model::passage_finder{"bake", {}}).value());
    EXPECT_EQ(view.at("match"), json({{"field", "content.summary"}, {"text", "How to bake."}}));
    hit.passages = "broken";
    EXPECT_FALSE(hit_view(hit, model::passage_finder{"bake", {}}));
}

}  // namespace
}  // namespace reelsd::api
