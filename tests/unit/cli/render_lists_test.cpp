#include "cli/render.hpp"
#include <reelsd/base/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

json reels() {
    return json::parse(R"json([
        {"id": 42, "url": "https://www.instagram.com/reel/A/", "status": "done",
         "created_at": "2026-05-22T10:00:59Z", "summary": "Pasta in ten minutes.", "code": "A",
         "author": "some.one"},
        {"id": 7, "url": "https://www.instagram.com/reel/B/", "status": "error",
         "created_at": "2026-05-21T09:00:00Z", "error": "Video is not available: private",
         "error_code": "unavailable"},
        {"id": 6, "url": "https://www.instagram.com/reel/C/", "status": "pending",
         "created_at": "2026-05-21T08:00:00Z"}])json");
}

TEST(RenderReels, MarksEarlierOnesOfThePost) {
    auto listed = reels();
    listed[0]["earlier"] = 2;
    listed[1]["earlier"] = 0;
    const auto text = render_reels(listed, {});
    EXPECT_THAT(text, HasSubstr("  (2 earlier) Pasta in ten minutes.\n"));
    EXPECT_THAT(text, HasSubstr("  Video is not available: private\n"));
}

TEST(RenderReels, DrawsOneLineForEach) {
    EXPECT_EQ(
        render_reels(reels(), {}),
        "ID  STATUS   CREATED (UTC)     AUTHOR     SUMMARY\n"
        "42  done     2026-05-22 10:00  @some.one  Pasta in ten minutes.\n"
        " 7  error    2026-05-21 09:00             Video is not available: private\n"
        " 6  pending  2026-05-21 08:00             https://www.instagram.com/reel/C/\n");
    EXPECT_EQ(
        render_reels(reels(), {.table_columns = 60}),
        "ID  STATUS   CREATED (UTC)     SUMMARY\n"
        "42  done     2026-05-22 10:00  Pasta in ten minutes.\n"
        " 7  error    2026-05-21 09:00  Video is not available: priv…\n"
        " 6  pending  2026-05-21 08:00  instagram.com/reel/C/\n");
    EXPECT_THAT(
        render_reels(reels(), {.table_columns = 80, .allowed = colours::on}),
        HasSubstr("\x1B[31merror\x1B[0m"));
}

json hits() {
    return json::parse(R"json([
        {"id": 42, "url": "https://www.instagram.com/reel/A/", "code": "A", "author": "some.one",
         "created_at": "2026-05-22T10:00:00Z", "summary": "Pasta in ten minutes.", "score": 0.8312,
         "match": {"field": "audio.transcript", "text": "... add the pasta now ...",
                   "seconds": 12.5}},
        {"id": 7, "url": "https://www.instagram.com/reel/B/", "code": "B", "author": "",
         "created_at": "2026-05-21T10:00:00Z", "summary": "", "score": 0.5,
         "match": {"field": "visual.text_on_screen", "text": "PASTA"}}])json");
}

TEST(RenderHits, DrawsWhatMatched) {
    EXPECT_EQ(
        render_hits(hits(), {.columns = 40}),
        "Reel 42, @some.one, 2026-05-22, score\n0.83\n"
        "    Pasta in ten minutes.\n"
        "    00:12  transcript: ... add the pasta\n"
        "           now ...\n"
        "    https://www.instagram.com/reel/A/\n"
        "\n"
        "Reel 7, 2026-05-21, score 0.50\n"
        "    text on screen: PASTA\n"
        "    https://www.instagram.com/reel/B/\n");
}

TEST(RenderHits, SaysNothingTwice) {
    auto found = hits();
    found[0]["match"] = {{"field", "content.summary"}, {"text", "Pasta in ten minutes."}};
    EXPECT_THAT(render_hits(found, {}), Not(HasSubstr("summary:")));
}

json usage() {
    return json::parse(R"json({
        "total_cost_usd": 0.16522, "total_prompt_tokens": 312400, "total_output_tokens": 28600,
        "total_tokens": 341000, "total_calls": 34,
        "by_model": [{"model": "gemini-2.5-flash", "calls": 34, "prompt_tokens": 312400,
                      "output_tokens": 28600, "total_tokens": 341000, "cost_usd": 0.16522}],
        "by_day": [{"date": "2026-05-22", "calls": 34, "total_tokens": 341000,
                    "cost_usd": 0.0000001}]})json");
}

TEST(RenderUsage, DrawsTotalsModelsAndDays) {
    EXPECT_EQ(
        render_usage(usage(), {.from = "2026-05-01", .to = "2026-05-31"}, {}),
        R"(Usage from 2026-05-01 to 2026-05-31
  Model calls      34
  Prompt tokens    312,400
  Output tokens    28,600
  Tokens           341,000
  Cost             $0.16522

MODEL             CALLS  PROMPT TOKENS  OUTPUT TOKENS   TOKENS      COST
gemini-2.5-flash     34        312,400         28,600  341,000  $0.16522

DATE        CALLS   TOKENS        COST
2026-05-22     34  341,000  $0.0000001
)");
}

TEST(RenderUsage, SaysWhichDaysAndWhatIsUnknown) {
    const auto empty = json::object();
    EXPECT_THAT(render_usage(empty, {.from = "2026-05-01", .to = {}}, {}), HasSubstr("since 2026"));
    EXPECT_THAT(render_usage(empty, {.from = {}, .to = "2026-05-01"}, {}), HasSubstr("up to 2026"));
    const auto page = render_usage(empty, {}, {});
    EXPECT_THAT(page, HasSubstr("Usage of all time\n"));
    EXPECT_THAT(page, HasSubstr("  Cost             unknown\n"));
}

// Goal: amounts as people write them, never rounded, never in powers of ten. Method: table.
TEST(RenderUsage, WritesCostsExactly) {
    struct test_case {
        json cost;
        const char* text;
    };
    const test_case cases[] = {
        {0, "$0.00\n"},
        {0.0, "$0.00\n"},
        {12, "$12.00\n"},
        {0.1, "$0.10\n"},
        {0.000000000075, "$0.000000000075\n"},
        {12345.678901234, "$12345.678901234\n"},
        {1e22, "$10000000000000000000000.00\n"},
        {"1", "unknown\n"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.cost.dump());
        const auto page = render_usage({{"total_cost_usd", expected.cost}}, {}, {});
        EXPECT_THAT(page, testing::EndsWith("Cost             " + std::string{expected.text}));
    }
}

// Goal: no answer of a server, however odd, stops the client or reaches the terminal raw. Method:
// each field of good answers replaced by values of every other type.
TEST(RenderLists, TakeAnyTypeAnywhere) {
    const json odd_values[] = {
        nullptr,
        true,
        -1,
        1.5e300,
        "\x1B[2Jtext\nmore",
        json::array({1, nullptr, "\x1B[2Jx"}),
        json::object({{"text", 1}})};
    const auto drawn = [](const json& document) {
        return render_reels(document, {}) + render_reels(document, {.table_columns = 40}) +
               render_hits(document, {}) + render_usage(document, {}, {.table_columns = 40});
    };
    for (const auto& good : {reels(), hits(), usage()}) {
        const auto flat = good.flatten();
        for (const auto& item : flat.items()) {
            for (const auto& odd : odd_values) {
                SCOPED_TRACE(item.key() + " = " + odd.dump());
                auto document = good;
                document[json::json_pointer{item.key()}] = odd;
                EXPECT_THAT(drawn(document), Not(HasSubstr("\x1B")));
            }
        }
    }
    for (const auto& odd : odd_values) {
        EXPECT_FALSE(drawn(odd).empty());
        EXPECT_FALSE(drawn(json::array({odd})).empty());
    }
}

}  // namespace
}  // namespace reelsd::cli
