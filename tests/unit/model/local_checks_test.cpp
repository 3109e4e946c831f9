#include "builders.hpp"
#include <reelsd/model/local_checks.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using warnings = std::vector<std::string>;

local_evidence all_well() {
    auto measured = evidence_of(testing::make_report());
    measured.music = true;
    return measured;
}

// Goal: each contradiction between an analysis and what was measured gives its own sentence, and an
// analysis that agrees gives none.
TEST(LocalWarnings, NameEachContradiction) {
    struct test_case {
        const char* name;
        void (*change)(findings&, local_evidence&);
        warnings expected;
    };
    const test_case cases[] = {
        {"agreement", [](findings&, local_evidence&) {}, {}},
        {"silent with transcript and music",
         [](findings&, local_evidence& measured) { measured.silent = true; },
         {"audio is silent but a transcript was given", "audio is silent but music was reported"}},
        {"silent, and nothing claimed",
         [](findings& said, local_evidence& measured) {
             measured.silent = true;
             said.audio = {};
         },
         {"audio is silent"}},
        {"no track with transcript",
         [](findings& said, local_evidence& measured) {
             measured.audio_track = false;
             said.audio.has_music = false;
         },
         {"there is no audio track but a transcript was given"}},
        {"no track, and nothing claimed",
         [](findings& said, local_evidence& measured) {
             measured.audio_track = false;
             said.audio = {};
         },
         {"the video has no audio track"}},
        {"music unheard",
         [](findings&, local_evidence& measured) { measured.music = false; },
         {"music was reported but none was measured"}},
        {"music unreported",
         [](findings& said, local_evidence&) { said.audio.has_music = false; },
         {"music was measured but none was reported"}},
        {"nobody listened",
         [](findings&, local_evidence& measured) {
             measured = evidence_of(testing::make_file().probe);
         },
         {}},
        {"doubtful speech",
         [](findings&, local_evidence& measured) { measured.speech_doubtful = true; },
         {"speech was hard to recognise: the transcript may be wrong"}},
        {"our doubt does not touch another's transcript",
         [](findings& said, local_evidence& measured) {
             measured.speech_doubtful = true;
             said.provider = "gemini";
         },
         {}},
        {"too many words",
         [](findings& said, local_evidence&) {
             for (int word = 0; word < 80; ++word) said.audio.segments[0].text += " word";
         },
         {"the transcript has more words than can be spoken in the time"}},
        {"a chorus may come three times",
         [](findings& said, local_evidence&) {
             said.audio.segments = {3, timed_text{"la la", 0, 1}};
         },
         {}},
        {"a fourth time is a loop",
         [](findings& said, local_evidence&) {
             said.audio.segments = {4, timed_text{"la la", 0, 1}};
         },
         {"the transcript repeats itself"}},
        {"a time past the end",
         [](findings& said, local_evidence&) { said.content.key_moments[1].seconds = 99; },
         {"times past the end of the video were moved to its end"}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto said = testing::make_findings();
        auto measured = all_well();
        expected.change(said, measured);

        EXPECT_EQ(local_warnings(said, measured), expected.expected);
    }
}

}  // namespace
}  // namespace reelsd::model
