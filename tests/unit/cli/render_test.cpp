#include "cli/render.hpp"

#include "cli/api_client.hpp"
#include "cli/text.hpp"
#include <reelsd/base/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

namespace reelsd::cli {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

json done_job() {
    return json::parse(R"json({
        "id": 42, "url": "https://www.instagram.com/reel/DYa0IXPgnP5/", "status": "done",
        "created_at": "2026-05-22T10:00:00Z", "started_at": "2026-05-22T10:00:01Z",
        "finished_at": "2026-05-22T10:00:32Z",
        "result": {
            "visual": {"description": "A cook stirs a pan.", "setting": "kitchen",
                "subjects": ["cook", "pan"], "text_on_screen": ["WAIT FOR IT"],
                "text_segments":
                [{"text": "WAIT FOR IT", "start_seconds": 1.5, "end_seconds": 4.0}]},
            "audio": {"transcript": "Add the pasta now.", "language": "en", "has_music": true,
                "music_description": "fast", "segments":
                [{"text": "Add the pasta now.", "start_seconds": 65.2, "end_seconds": 67.0}]},
            "content": {"summary": "Pasta in ten minutes.", "topics": ["cooking", "pasta"],
                "hooks": ["Wait for it"], "call_to_action": "Follow for more", "key_moments":
                [{"timestamp": "00:03", "seconds": 3, "description": "pasta goes in"}]},
            "metadata": {"format": "tutorial", "sentiment": "positive", "target_audience": "cooks",
                "duration_seconds": 72.4, "width": 720, "height": 1280, "frame_rate": 29.97,
                "video_codec": "h264", "audio_codec": "aac", "size_bytes": 4200000,
                "sha256": "00ff",
                "model": {"provider": "local", "name": "local-1"},
                "warnings": ["doubtful transcript"]},
            "platform_meta": {"platform": "instagram", "code": "DYa0IXPgnP5",
                "url": "https://www.instagram.com/reel/DYa0IXPgnP5/", "author": "some.one",
                "author_name": "Some One", "author_verified": true, "caption": "Hello #pasta",
                "hashtags": ["pasta", "dinner"], "mentions": ["friend"], "like_count": 78676,
                "comment_count": 0, "view_count": null, "posted_at": "2026-05-20T08:00:00Z",
                "thumbnail_url": null, "location": "Town", "music_title": "Song",
                "music_artist": "Band"}}})json");
}

// Goal: the whole page.
TEST(RenderJob, ShowsADoneJob) {
    const auto* const expected = R"(Reel 42: done in 31 s
https://www.instagram.com/reel/DYa0IXPgnP5/

Pasta in ten minutes.
Warning: doubtful transcript

VISUAL
  Description      A cook stirs a pan.
  Setting          kitchen
  Subjects         cook, pan
  Text on screen
    00:01  WAIT FOR IT

AUDIO
  Language         en
  Music            fast
  Transcript
    01:05  Add the pasta now.

CONTENT
  Topics           cooking, pasta
  Hooks            Wait for it
  Call to action   Follow for more
  Key moments
    00:03  pasta goes in

METADATA
  Format           tutorial
  Sentiment        positive
  Audience         cooks
  Video            1 min 12 s, 720x1280, 29.97 frames/s, h264 and aac,
                   4.2 MB
  SHA-256
      00ff
  Analysed by      local-1 (local)

PLATFORM
  Link             https://www.instagram.com/reel/DYa0IXPgnP5/
  Author           @some.one (Some One), verified
  Posted           2026-05-20 08:00:00 UTC
  Counts           78,676 likes, 0 comments, unknown views
  Music            Song by Band
  Location         Town
  Caption          Hello #pasta
  Hashtags         #pasta #dinner
  Mentions         @friend
)";
    EXPECT_EQ(render_job(done_job(), {.columns = 72}), expected);
}

TEST(RenderJob, ShowsOtherStates) {
    EXPECT_EQ(
        render_job(json::parse(R"({"id": 7, "url": "https://x.test/", "status": "pending"})"), {}),
        "Reel 7: pending\nhttps://x.test/\n");
    EXPECT_EQ(
        render_job(
            json::parse(R"({"id": 7, "status": "error", "error_code": "unavailable",
                "error": "Video is not available", "started_at": "2026-05-22T10:00:00Z",
                "finished_at": "2026-05-22T10:01:05Z"})"),
            {}),
        "Reel 7: error in 1 min 5 s\nVideo is not available (unavailable)\n");
}

TEST(RenderJob, ShowsTheTimeUntilARetry) {
    const auto finished_at = sys_days{2026y / May / 22} + 10h;
    auto job = json::parse(R"({"id": 7, "url": "https://x.test/", "status": "error",
        "error_code": "rate_limited", "error": "Why.", "retryable": true,
        "retry_after_seconds": 900, "finished_at": "2026-05-22T10:00:00Z"})");
    const auto last_lines = [&](auto after) {
        const auto page = render_job(job, {}, finished_at + after);
        const std::string before = "Reel 7: error\nhttps://x.test/\nWhy. (rate_limited)\n";
        EXPECT_THAT(page, ::testing::StartsWith(before));
        return page.substr(before.size());
    };
    const std::string upload = "To upload the video: reels analyze FILE --link URL\n";
    EXPECT_EQ(last_lines(0s), "You can try again in 15 min.\n" + upload);
    EXPECT_EQ(last_lines(190s), "You can try again in 12 min.\n" + upload);
    EXPECT_EQ(last_lines(890s), "You can try again in 10 s.\n" + upload);
    EXPECT_EQ(last_lines(900s), "You can try again now.\n" + upload);
    job.erase("retry_after_seconds");
    EXPECT_EQ(last_lines(0s), upload);
    job["retryable"] = false;
    EXPECT_EQ(last_lines(0s), upload);
}

TEST(RenderJob, ShowsTheQueuePosition) {
    EXPECT_EQ(
        render_job(
            json::parse(R"({"id": 7, "url": "https://x.test/", "status": "pending",
                "queue_position": 4, "expected_start_at": null})"),
            {}),
        "Reel 7: pending\nhttps://x.test/\nPosition 4 in your queue\n");
}

TEST(RenderJob, ShowsEmptyAndUnknownFields) {
    auto job = done_job();
    auto& result = job["result"];
    result["visual"]["text_on_screen"] = json::array();
    result["visual"]["text_segments"] = json::array();
    result["visual"]["subjects"] = json::array();
    result["visual"]["setting"] = "";
    result["audio"] = json::parse(
        R"({"transcript": "", "language": null, "has_music": false, "music_description": "",
            "segments": []})");
    result["content"]["call_to_action"] = nullptr;
    result["content"]["key_moments"] = json::array();
    result["metadata"]["audio_codec"] = nullptr;
    result["platform_meta"]["caption"] = nullptr;
    const auto page = render_job(job, {.columns = 72});
    for (const auto* line :
         {"  Setting          unknown\n",
          "  Subjects         none\n",
          "  Text on screen   none\n",
          "  Language         none\n",
          "  Music            none\n",
          "  Transcript       none\n",
          "  Call to action   none\n",
          "  Key moments      none\n",
          "h264, no sound",
          "  Caption          none\n"}) {
        EXPECT_THAT(page, HasSubstr(line));
    }
}

/// Values of every type, some with terminal controls.
std::vector<json> odd_values() {
    return {
        nullptr,
        true,
        -1,
        1.5e300,
        "\x1B[2Jtext\nmore",
        json::array({1, nullptr, "\x1B[2Jx"}),
        json::object({{"text", 1}})};
}

// Goal: unexpected types neither stop the client nor pass controls to the terminal. Method: each
// field of a valid document is replaced by values of every type.
TEST(RenderJob, AcceptsAnyTypeAnywhere) {
    const auto flat = done_job().flatten();
    for (const auto& item : flat.items()) {
        for (const auto& odd : odd_values()) {
            SCOPED_TRACE(item.key() + " = " + odd.dump());
            auto job = done_job();
            job[json::json_pointer{item.key()}] = odd;
            EXPECT_THAT(render_job(job, {}), Not(HasSubstr("\x1B")));
        }
    }
    for (const auto* section : {"visual", "audio", "content", "metadata", "platform_meta"}) {
        for (const auto& odd : odd_values()) {
            auto job = done_job();
            job["result"][section] = odd;
            EXPECT_THAT(render_job(job, {}), HasSubstr("PLATFORM"));
        }
    }
    for (const auto& odd : odd_values()) EXPECT_FALSE(render_job(odd, {}).empty());
}

TEST(RenderJob, WrapsToThePage) {
    auto job = done_job();
    job["result"]["platform_meta"]["caption"] =
        std::string(30, 'w') + " many words follow here\n\nend";
    job["result"]["audio"]["segments"][0]["text"] =
        "a transcript line that is much longer than the page is wide and goes on";
    for (const std::size_t columns : {1U, 40U, 60U, 100U}) {
        SCOPED_TRACE(columns);
        std::istringstream page{render_job(job, {.columns = columns})};
        for (std::string line; std::getline(page, line);) {
            EXPECT_FALSE(line.ends_with(' ')) << line;
            if (line.find("https://") != std::string::npos) continue;  // Links stay whole.
            EXPECT_LE(columns_of(line), std::max<std::size_t>(columns, 40)) << line;
        }
    }
}

TEST(RenderJob, IsStyledOnRequest) {
    const auto page = render_job(done_job(), {.allowed = colours::on});
    EXPECT_THAT(page, HasSubstr("\x1B[1mVISUAL\x1B[0m\n"));
    EXPECT_THAT(page, HasSubstr("\x1B[32mReel 42: done in 31 s\x1B[0m\n"));
    EXPECT_THAT(page, HasSubstr("\x1B[33mWarning: doubtful transcript\x1B[0m\n"));
    EXPECT_THAT(render_job(done_job(), {}), Not(HasSubstr("\x1B")));
}

json reels() {
    return json::parse(R"json([
        {"id": 42, "url": "https://www.instagram.com/reel/A/", "status": "done",
         "created_at": "2026-05-22T10:00:59Z", "summary": "Pasta in ten minutes.", "code": "A",
         "author": "some.one"},
        {"id": 7, "url": "https://www.instagram.com/reel/B/embed/captioned/", "status": "error",
         "created_at": "2026-05-21T09:00:00Z", "error": "Video is not available: private",
         "error_code": "unavailable"},
        {"id": 6, "url": "https://www.instagram.com/reel/C/", "status": "pending",
         "created_at": "2026-05-21T08:00:00Z"}])json");
}

TEST(RenderReels, CountsEarlierReelsOfThePost) {
    auto listed = reels();
    listed[0]["earlier"] = 2;
    listed[1]["earlier"] = 0;
    const auto text = render_reels(listed, {});
    EXPECT_THAT(text, HasSubstr("  (2 earlier) Pasta in ten minutes.\n"));
    EXPECT_THAT(text, HasSubstr("  B: Video is not available: private\n"));
}

TEST(RenderReels, ShowsALinePerReel) {
    EXPECT_EQ(
        render_reels(reels(), {}),
        "ID  STATUS   CREATED (UTC)     AUTHOR     SUMMARY\n"
        "42  done     2026-05-22 10:00  @some.one  Pasta in ten minutes.\n"
        " 7  error    2026-05-21 09:00             B: Video is not available: private\n"
        " 6  pending  2026-05-21 08:00             https://www.instagram.com/reel/C/\n");
    EXPECT_EQ(
        render_reels(reels(), {.table_columns = 60}),
        "ID  STATUS   CREATED (UTC)     SUMMARY\n"
        "42  done     2026-05-22 10:00  Pasta in ten minutes.\n"
        " 7  error    2026-05-21 09:00  B: Video is not available: p…\n"
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

TEST(RenderHits, ShowsTheMatch) {
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

TEST(RenderHits, OmitsARepeatedSummary) {
    auto repeated = hits();
    repeated[0]["match"] = {{"field", "content.summary"}, {"text", "Pasta in ten minutes."}};
    EXPECT_THAT(render_hits(repeated, {}), Not(HasSubstr("summary:")));
}

json usage() {
    return json::parse(R"json({
        "total_cost_usd": 0.16522, "total_prompt_tokens": 312400, "total_output_tokens": 28600,
        "total_tokens": 341000, "total_calls": 34,
        "by_model": [{"model": "gemini-2.5-flash", "purpose": "analysis", "calls": 34,
                      "prompt_tokens": 312400,
                      "output_tokens": 28600, "total_tokens": 341000, "cost_usd": 0.16522}],
        "by_day": [{"date": "2026-05-22", "reels": 30, "calls": 34, "total_tokens": 341000,
                    "cost_usd": 0.0000001}]})json");
}

TEST(RenderUsage, ShowsTotalsModelsAndDays) {
    EXPECT_EQ(
        render_usage(usage(), {.from = "2026-05-01", .to = "2026-05-31"}, {}),
        R"(Usage from 2026-05-01 to 2026-05-31
  Model calls      34
  Prompt tokens    312,400
  Output tokens    28,600
  Tokens           341,000
  Cost             $0.16522

MODEL             PURPOSE   CALLS  PROMPT TOKENS  OUTPUT TOKENS   TOKENS      COST
gemini-2.5-flash  analysis     34        312,400         28,600  341,000  $0.16522

DATE        REELS  CALLS   TOKENS        COST
2026-05-22     30     34  341,000  $0.0000001
)");
}

TEST(RenderUsage, ShowsDaysAndUnknownValues) {
    const auto empty = json::object();
    EXPECT_THAT(render_usage(empty, {.from = "2026-05-01", .to = {}}, {}), HasSubstr("since 2026"));
    EXPECT_THAT(render_usage(empty, {.from = {}, .to = "2026-05-01"}, {}), HasSubstr("up to 2026"));
    const auto page = render_usage(empty, {}, {});
    EXPECT_THAT(page, HasSubstr("Usage of all time\n"));
    EXPECT_THAT(page, HasSubstr("  Cost             unknown\n"));
}

// Goal: amounts are neither rounded nor in powers of ten. Method: table.
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
        EXPECT_THAT(page, ::testing::EndsWith("Cost             " + std::string{expected.text}));
    }
}

TEST(RenderLists, AcceptAnyTypeAnywhere) {
    const auto drawn = [](const json& document) {
        return render_reels(document, {}) + render_reels(document, {.table_columns = 40}) +
               render_hits(document, {}) + render_usage(document, {}, {.table_columns = 40});
    };
    for (const auto& good : {reels(), hits(), usage()}) {
        const auto flat = good.flatten();
        for (const auto& item : flat.items()) {
            for (const auto& odd : odd_values()) {
                SCOPED_TRACE(item.key() + " = " + odd.dump());
                auto document = good;
                document[json::json_pointer{item.key()}] = odd;
                EXPECT_THAT(drawn(document), Not(HasSubstr("\x1B")));
            }
        }
    }
    for (const auto& odd : odd_values()) {
        EXPECT_FALSE(drawn(odd).empty());
        EXPECT_FALSE(drawn(json::array({odd})).empty());
    }
}

}  // namespace
}  // namespace reelsd::cli
