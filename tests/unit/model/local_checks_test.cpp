#include "model/local_checks.hpp"

#include "builders.hpp"

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

// Goal: a last segment is removed only when nothing is heard in its time, give or take a second.
TEST(UnheardSpeech, IsRemovedAtTheEnd) {
    struct test_case {
        const char* name;
        timed_text segment;
        bool is_removed;
    };
    // Sound from 3 to 5 and from 8 to 10 of 12.5 s.
    const test_case cases[] = {
        {"heard", {"a", 3, 5}, false},
        {"at the start", {"a", 0, 2}, true},
        {"less than a second before the sound", {"a", 0, 2.1}, false},
        {"between", {"a", 6, 7}, true},
        {"less than a second after the sound", {"a", 5.9, 7}, false},
        {"the last word", {"a", 11, 12.5}, true},
        {"the last word, a little late", {"a", 12, 13.4}, true},
        {"nothing is known after the video", {"a", 20, 22}, false},
        {"longer than the silence", {"a", 6, 9}, false},
        {"no time", {"a", NAN, NAN}, false},
    };
    auto measured = all_well();
    measured.silences = {{0, 3}, {5, 8}, {10, 12.5}};
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto reported = testing::make_findings();
        reported.audio.segments = {{"heard", 3, 5}, expected.segment};

        remove_unheard_speech(reported, measured);

        EXPECT_EQ(reported.audio.segments.size(), expected.is_removed ? 1U : 2U);
        EXPECT_EQ(reported.warnings.size(), expected.is_removed ? 1U : 0U);
    }
}

TEST(UnheardSpeech, IsKeptBeforeTheLastHeardSegment) {
    auto measured = all_well();
    measured.silences = {{0, 3}, {5, 12.5}};
    auto reported = testing::make_findings();
    reported.audio.segments = {{"unheard", 0, 2}, {"heard", 3, 5}, {"b", 7, 8}, {"c", 9, 12}};
    remove_unheard_speech(reported, measured);
    EXPECT_EQ(reported.audio.segments.size(), 2U);
    EXPECT_EQ(reported.warnings.size(), 1U);
}

TEST(UnheardSpeech, IsKeptWithoutAnySound) {
    for (const bool has_track : {false, true}) {
        auto measured = all_well();
        measured.audio_track = has_track;
        measured.silent = true;
        measured.silences = {{0, 12.5}};
        auto reported = testing::make_findings();
        const auto count = reported.audio.segments.size();
        remove_unheard_speech(reported, measured);
        EXPECT_EQ(reported.audio.segments.size(), count);
        EXPECT_TRUE(reported.warnings.empty()) << "local_warnings() has one";
    }
}

// Goal: each contradiction between an analysis and the measurements has its own warning, and an
// analysis that agrees has none.
TEST(LocalWarnings, NameEachContradiction) {
    struct test_case {
        const char* name;
        void (*change)(findings&, local_evidence&);
        warnings expected;
    };
    const test_case cases[] = {
        {"agreement", [](findings&, local_evidence&) {}, {}},
        {"a file that is cut off",
         [](findings&, local_evidence& measured) { measured.missing_seconds = 3.8; },
         {"only the first 12.5 of 16.3 s could be read"}},
        {"silent with transcript and music",
         [](findings&, local_evidence& measured) { measured.silent = true; },
         {"audio is silent but a transcript was given", "audio is silent but music was reported"}},
        {"silent, and nothing reported",
         [](findings& reported, local_evidence& measured) {
             measured.silent = true;
             reported.audio = {};
         },
         {"audio is silent"}},
        {"sound that cannot be decoded",
         [](findings&, local_evidence& measured) { measured.undecodable_codec = "amr_nb"; },
         {"the sound (amr_nb) cannot be decoded"}},
        {"no track with transcript",
         [](findings& reported, local_evidence& measured) {
             measured.audio_track = false;
             reported.audio.has_music = false;
         },
         {"there is no audio track but a transcript was given"}},
        {"no track, and nothing reported",
         [](findings& reported, local_evidence& measured) {
             measured.audio_track = false;
             reported.audio = {};
         },
         {"the video has no audio track"}},
        {"music not measured",
         [](findings&, local_evidence& measured) { measured.music = false; },
         {"music was reported but none was measured"}},
        {"music unreported",
         [](findings& reported, local_evidence&) { reported.audio.has_music = false; },
         {"music was measured but none was reported"}},
        {"nothing measured",
         [](findings&, local_evidence& measured) {
             measured = evidence_of(testing::make_file().probe);
         },
         {}},
        {"doubtful speech",
         [](findings&, local_evidence& measured) { measured.speech_doubtful = true; },
         {"speech was hard to recognise or is not English, the only language of the built-in "
          "recogniser: the transcript may be wrong or incomplete"}},
        {"doubtful speech that was left out",
         [](findings& reported, local_evidence& measured) {
             measured.speech_doubtful = true;
             reported.audio.segments.clear();
         },
         {"speech was hard to recognise or is not English, the only language of the built-in "
          "recogniser: the transcript may be wrong or incomplete"}},
        {"doubtful speech, transcript of a remote model",
         [](findings& reported, local_evidence& measured) {
             measured.speech_doubtful = true;
             reported.provider = "gemini";
         },
         {}},
        {"too many words",
         [](findings& reported, local_evidence&) {
             for (int word = 0; word < 80; ++word) reported.audio.segments[0].text += " word";
         },
         {"the transcript has more words than can be spoken in the time"}},
        {"a line three times in a row",
         [](findings& reported, local_evidence&) {
             reported.audio.segments = {3, timed_text{"la la", 0, 1}};
         },
         {}},
        {"a line four times in a row",
         [](findings& reported, local_evidence&) {
             reported.audio.segments = {4, timed_text{"la la", 0, 1}};
         },
         {"the transcript repeats itself"}},
        {"a time past the end",
         [](findings& reported, local_evidence&) { reported.content.key_moments[1].seconds = 99; },
         {"times past the end of the video were moved to its end"}},
        {"half a second past the end",
         [](findings& reported, local_evidence&) { reported.visual.texts[1].end_seconds = 12.9; },
         {}},
        {"times of another video",
         [](findings& reported, local_evidence&) {
             reported.audio.segments[1] = {"use it", 40, 42};
             reported.content.key_moments[1].seconds = 41;
         },
         {"times past the end of the video were moved to its end",
          "times lie far past the end of the video: the analysis may be of another one"}},
        {"one entry of another video",
         [](findings& reported, local_evidence&) {
             reported.audio.segments[1] = {"use it", 40, 42};
         },
         {"times past the end of the video were moved to its end"}},
        {"a voice is heard",
         [](findings&, local_evidence& measured) { measured.speech = true; },
         {}},
        {"no voice is heard",
         [](findings&, local_evidence& measured) { measured.speech = false; },
         {"speech was reported but no voice was heard"}},
        {"no voice and no speech",
         [](findings& reported, local_evidence& measured) {
             measured.speech = false;
             reported.audio.segments.clear();
         },
         {}},
        {"silence without a voice",
         [](findings& reported, local_evidence& measured) {
             measured.silent = true;
             measured.speech = false;
             reported.audio.has_music = false;
         },
         {"audio is silent but a transcript was given"}},
        {"a transcript in other letters",
         [](findings& reported, local_evidence&) {
             reported.audio.segments[0].text =
                 "\u0421\u0435\u0433\u043e\u0434\u043d\u044f \u043c\u044b "
                 "\u0433\u043e\u0442\u043e\u0432\u0438\u043c "
                 "\u043f\u0440\u043e\u0441\u0442\u043e\u0439 "
                 "\u0440\u0435\u0446\u0435\u043f\u0442";
             reported.audio.segments.resize(1);
         },
         {"the transcript reads as Russian but its language was given as en"}},
        {"texts that the frames show",
         [](findings&, local_evidence& measured) {
             measured.read_texts = {{"3 tips", 2, 2}, {"Fresh beans", 6, 6}};
         },
         {}},
        {"texts that no frame shows",
         [](findings&, local_evidence& measured) { measured.read_texts.emplace(); },
         {"text was reported on screen but none of it was found in the frames"}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto reported = testing::make_findings();
        auto measured = all_well();
        expected.change(reported, measured);

        EXPECT_EQ(local_warnings(reported, measured), expected.expected);
    }
}

/// An analysis of another provider with entries near the start of the video.
findings make_remote_findings() {
    auto reported = testing::make_findings();
    reported.provider = "gemini";
    reported.audio.segments = {{"here are three tips", 0, 1}, {"use fresh beans", 1, 2}};
    reported.visual.texts = {{"3 TIPS", 0, 1}};
    reported.content.key_moments = {{0.5, "Opens."}, {2.5, "Beans."}};
    return reported;
}

// Goal: an analysis of only the start of a video has a warning, and a complete one has none.
TEST(LocalWarnings, DetectAnAnalysisOfTheStart) {
    const warnings early{
        "everything reported is in the first tenth of the video: the rest may not have been "
        "analysed"};
    local_evidence measured;
    measured.duration_seconds = 30;
    measured.audio_track = true;
    auto reported = make_remote_findings();
    EXPECT_EQ(local_warnings(reported, measured), early);

    reported.content.key_moments[1].seconds = 3.5;
    EXPECT_EQ(local_warnings(reported, measured), warnings{});

    reported = make_remote_findings();
    reported.visual.texts.clear();  // Four entries are too few.
    EXPECT_EQ(local_warnings(reported, measured), warnings{});

    reported = make_remote_findings();
    reported.provider = "local";
    EXPECT_EQ(local_warnings(reported, measured), warnings{});

    measured.duration_seconds = 19.9;
    reported = make_remote_findings();
    reported.content.key_moments[1].seconds = 1.9;
    EXPECT_EQ(local_warnings(reported, measured), warnings{});
}

}  // namespace
}  // namespace reelsd::model
