#include "cli/render.hpp"

#include "cli/text.hpp"
#include <reelsd/base/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>

namespace reelsd::cli {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

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

// Goal: the whole page, once, as a person sees it.
TEST(RenderJob, DrawsADoneJob) {
    const auto* const expected = R"(Reel 42: done in 31 s
https://www.instagram.com/reel/DYa0IXPgnP5/
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
  Summary          Pasta in ten minutes.
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

TEST(RenderJob, DrawsJobsThatAreNotDone) {
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

TEST(RenderJob, SaysWhenAFailedJobMayBeSubmittedAgain) {
    const auto finished_at = sys_days{2026y / May / 22} + 10h;
    auto job = json::parse(R"({"id": 7, "url": "https://x.test/", "status": "error",
        "error_code": "rate_limited", "error": "Why.", "retryable": true,
        "retry_after_seconds": 900, "finished_at": "2026-05-22T10:00:00Z"})");
    const auto last_lines = [&](auto after) {
        const auto page = render_job(job, {}, finished_at + after);
        const std::string before = "Reel 7: error\nhttps://x.test/\nWhy. (rate_limited)\n";
        EXPECT_THAT(page, testing::StartsWith(before));
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

TEST(RenderJob, ShowsThePlaceInTheQueue) {
    EXPECT_EQ(
        render_job(
            json::parse(R"({"id": 7, "url": "https://x.test/", "status": "pending",
                "queue_position": 4, "expected_start_at": null})"),
            {}),
        "Reel 7: pending\nhttps://x.test/\nNumber 4 in your queue\n");
}

TEST(RenderJob, SaysWhatIsEmptyOrUnknown) {
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

// Goal: no answer of a server, however odd, stops the client or reaches the terminal raw. Method:
// each field of a good job replaced by values of every other type.
TEST(RenderJob, TakesAnyTypeAnywhere) {
    const json odd_values[] = {
        nullptr,
        true,
        -1,
        1.5e300,
        "\x1B[2Jtext",
        json::array({1, nullptr, "\x1B[2Jx"}),
        json::object({{"text", 1}})};
    const auto flat = done_job().flatten();
    for (const auto& item : flat.items()) {
        for (const auto& odd : odd_values) {
            SCOPED_TRACE(item.key() + " = " + odd.dump());
            auto job = done_job();
            job[json::json_pointer{item.key()}] = odd;
            EXPECT_THAT(render_job(job, {}), Not(HasSubstr("\x1B")));
        }
    }
    for (const auto* section : {"visual", "audio", "content", "metadata", "platform_meta"}) {
        for (const auto& odd : odd_values) {
            auto job = done_job();
            job["result"][section] = odd;
            EXPECT_THAT(render_job(job, {}), HasSubstr("PLATFORM"));
        }
    }
    for (const auto& odd : odd_values) EXPECT_FALSE(render_job(odd, {}).empty());
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

TEST(RenderJob, IsStyledOnRequestAlone) {
    const auto page = render_job(done_job(), {.allowed = colours::on});
    EXPECT_THAT(page, HasSubstr("\x1B[1mVISUAL\x1B[0m\n"));
    EXPECT_THAT(page, HasSubstr("\x1B[32mReel 42: done in 31 s\x1B[0m\n"));
    EXPECT_THAT(page, HasSubstr("\x1B[33mWarning: doubtful transcript\x1B[0m\n"));
    EXPECT_THAT(render_job(done_job(), {}), Not(HasSubstr("\x1B")));
}

}  // namespace
}  // namespace reelsd::cli
