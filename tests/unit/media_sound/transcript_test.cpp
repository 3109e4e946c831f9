// Goal: only speech is reported, as sentences with correct times. Method: constructed answers of
// the model, tables.

#include "speech.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reelsd::media::sound {
namespace {

/// An utterance from `start` on whose model is certain that it is speech.
utterance utterance_of(const std::string& text, double start = 0, double end = 2) {
    return {
        .start_seconds = start,
        .end_seconds = end,
        .heard =
            {.text = text, .log_probability = -0.1, .no_speech_log_probability = -8, .ended = true},
        .passages = {{text, start, end}}};
}

TEST(IsSpeech, WeighsWhatTheModelExpects) {
    const std::string sentence = "Welcome back to my kitchen.";
    struct test_case {
        const char* name;
        std::string text;
        double log_probability;
        double no_speech_log_probability;
        bool is_speech;
    };
    const test_case cases[] = {
        {"a sentence", sentence, -0.1, -8, true},
        {"nothing", "", -0.1, -8, false},
        {"marks", "...", -0.1, -8, false},
        {"improbable words, as of another language", sentence, -0.5, -8, false},
        {"a certain text where no speech is expected", sentence, -0.44, -0.1, true},
        {"a probable one", sentence, -0.46, -0.1, false},
        {"a certain but short one", "Welcome back to you.", -0.1, -0.9, false},
        {"two words", "Follow me.", -0.1, -1.6, true},
        {"two words, hardly expected", "Follow me.", -0.1, -1.4, false},
        {"three words, hardly expected", "Please follow me.", -0.1, -1.4, true},
        {"a loop", "Yeah yeah yeah yeah yeah.", -0.1, -8, false},
        {"a loop of a sentence", "A good boy, a good boy, a good boy", -0.1, -8, false},
        {"repeated for emphasis", "Very, very, very good.", -0.1, -8, true},
        {"a song", "\u266aWelcome back to my kitchen\u266a", -0.1, -8, false},
    };
    for (const auto& expected : cases) {
        utterance given = utterance_of(expected.text);
        given.heard.log_probability = expected.log_probability;
        given.heard.no_speech_log_probability = expected.no_speech_log_probability;
        EXPECT_EQ(is_speech(given), expected.is_speech) << expected.name;
    }
}

TEST(IsSpeech, NeedsWordsForItsTimeWhereNoneAreExpected) {
    utterance given = utterance_of("Welcome back to my kitchen.", 0, 4);
    given.heard.no_speech_log_probability = -0.1;
    EXPECT_FALSE(is_speech(given));
    given.end_seconds = 3;
    EXPECT_TRUE(is_speech(given));
}

TEST(IsSpeech, ExcludesALoopThatTheModelDidNotEnd) {
    utterance given = utterance_of("No no no");
    EXPECT_TRUE(is_speech(given));
    given.heard.ended = false;
    EXPECT_FALSE(is_speech(given));
}

TEST(Divide, GivesEachPartItsWordsOfTheWholeText) {
    const auto parts_of = [](const std::vector<std::string>& texts) {
        std::vector<utterance> parts;
        for (const std::string& text : texts) {
            const auto start = static_cast<double>(parts.size());
            parts.push_back(utterance_of(text, start, start + 0.9));
        }
        return parts;
    };
    struct test_case {
        const char* name;
        std::string text;
        std::vector<std::string> parts;
        std::vector<std::string> passages;
    };
    const test_case cases[] = {
        {"the same words",
         "One two three four",
         {"One two.", "Three four."},
         {"One two.", "Three four"}},
        {"a wrong word at the border",
         "first always buy fresh beans then grind them",
         {"First, always by fresh bees.", "Then grind them."},
         {"first always buy fresh beans.", "Then grind them"}},
        {"a part has a word more",
         "one two three",
         {"One two who.", "Three."},
         {"one two.", "Three"}},
        {"a part lacks a word",
         "one two three four",
         {"One.", "Three four."},
         {"one two.", "Three four"}},
        {"a comma at the pause",
         "one two, three four",
         {"One two.", "Three four."},
         {"one two,", "three four"}},
        {"a part without words", "one two", {"One two.", ""}, {"one two"}},
        {"three parts", "a b c", {"A.", "B.", "C."}, {"a.", "B.", "C"}},
    };
    for (const auto& expected : cases) {
        std::vector<std::string> texts;
        for (const timed_text& passage : divide(expected.text, parts_of(expected.parts))) {
            texts.push_back(passage.text);
        }
        EXPECT_EQ(texts, expected.passages) << expected.name;
    }
    const auto divided = divide("one two", parts_of({"One.", "Two."}));
    ASSERT_EQ(divided.size(), 2U);
    EXPECT_DOUBLE_EQ(divided[1].start_seconds, 1.0);
    EXPECT_DOUBLE_EQ(divided[1].end_seconds, 1.9);
}

TEST(AsSentences, WritesCapitalsAndAMark) {
    const char* const cases[][2] = {
        {"welcome back", "Welcome back."},
        {"Welcome back,", "Welcome back."},
        {"coffee -", "Coffee."},
        {"ready? go!", "Ready? Go!"},
        {"and i am proud, i'm sure", "And I am proud, I'm sure."},
        {"the iPhone is in", "The iPhone is in."},
        {"He said \"hello.\"", "He said \"hello.\""},
        {"wait...", "Wait..."},
        {"I met Dr. brown at 5 p.m. today", "I met Dr. brown at 5 p.m. today."},
        {"", ""},
        {"-", ""},
    };
    for (const auto& [heard, written] : cases) {
        EXPECT_EQ(as_sentences({.text = heard, .ended = true}), written);
    }
    EXPECT_EQ(as_sentences({.text = "which was cut", .ended = false}), "Which was cut");
}

TEST(Sentences, EndAtTheirMarksAndNotAtPauses) {
    struct test_case {
        std::vector<std::string> passages;
        std::vector<std::string> sentences;
    };
    const test_case cases[] = {
        {{"Welcome back."}, {"Welcome back."}},
        {{"Ready? Go!"}, {"Ready?", "Go!"}},
        {{"It costs 3.5 dollars."}, {"It costs 3.5 dollars."}},
        {{"We met in the U.S. Army then."}, {"We met in the U.S. Army then."}},
        {{"I met Mr. Smith and Dr. Brown at the St. Louis Museum."},
         {"I met Mr. Smith and Dr. Brown at the St. Louis Museum."}},
        {{"If you want to grow,", "stop posting. Every", "day."},
         {"If you want to grow, stop posting.", "Every day."}},
        {{"He said \"hello.\"", "Then he left."}, {"He said \"hello.\"", "Then he left."}},
    };
    for (const auto& expected : cases) {
        std::vector<timed_text> passages;
        for (const auto& text : expected.passages) passages.push_back({text, 0, 1});
        std::vector<std::string> texts;
        for (const auto& sentence : sentences(passages)) texts.push_back(sentence.text);
        EXPECT_EQ(texts, expected.sentences);
    }
}

TEST(Sentences, ThatContinueAfterAPauseEndAfterIt) {
    const std::vector<timed_text> passages{{"If you go,", 1.0, 2.0}, {"stop. I stay.", 3.0, 4.3}};
    const auto found = sentences(passages);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_DOUBLE_EQ(found[0].start_seconds, 1.0);
    EXPECT_DOUBLE_EQ(found[0].end_seconds, 3.5);
    EXPECT_DOUBLE_EQ(found[1].start_seconds, 3.5);
    EXPECT_DOUBLE_EQ(found[1].end_seconds, 4.3);
}

TEST(Sentences, ShareTheTimeByTheirLengths) {
    const auto found = sentences(std::vector<timed_text>{{"Ready now? Then go!", 1.0, 2.9}});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_DOUBLE_EQ(found[0].start_seconds, 1.0);
    EXPECT_DOUBLE_EQ(found[0].end_seconds, 2.0);
    EXPECT_DOUBLE_EQ(found[1].start_seconds, 2.0);
    EXPECT_DOUBLE_EQ(found[1].end_seconds, 2.9);
}

TEST(Report, ContainsTheSpeechOnly) {
    utterance noise = utterance_of("You", 3, 4);
    noise.heard.no_speech_log_probability = -0.1;
    utterance alone = noise;
    alone.alone = true;
    const auto report = to_report(std::vector{utterance_of("Welcome back.", 0, 2), noise, alone});
    ASSERT_EQ(report.segments.size(), 1U);
    EXPECT_EQ(report.segments[0].text, "Welcome back.");
    EXPECT_FALSE(report.doubtful);
    ASSERT_EQ(report.voice.size(), 3U);
    EXPECT_EQ(report.voice[0].evidence, voice_evidence::recognized);
    EXPECT_EQ(report.voice[1].evidence, voice_evidence::possible);
    EXPECT_EQ(report.voice[2].evidence, voice_evidence::alone);
}

TEST(Report, HasTheVoiceOfAllPassages) {
    utterance given = utterance_of("Welcome back.", 4, 7);
    given.passages = {{"Welcome", 0.5, 2}, {"back.", 4, 7.5}};
    const auto report = to_report(std::vector{given});
    ASSERT_EQ(report.voice.size(), 1U);
    EXPECT_DOUBLE_EQ(report.voice[0].start_seconds, 0.5);
    EXPECT_DOUBLE_EQ(report.voice[0].end_seconds, 7.5);
}

TEST(Report, IsNotDoubtfulOfSongs) {
    utterance sung = utterance_of("\u266aWelcome back to my kitchen\u266a");
    EXPECT_FALSE(to_report(std::vector{sung}).doubtful);
}

TEST(Report, IsDoubtfulWithUnsureOrUnknownWords) {
    const utterance known = utterance_of("Welcome back to my kitchen.", 0, 2);
    utterance unsure = known;
    unsure.heard.log_probability = -0.4;
    utterance unknown = utterance_of("Hallo, Sumer man.", 3, 6);
    unknown.heard.log_probability = -0.8;
    EXPECT_FALSE(to_report(std::vector{known}).doubtful);
    EXPECT_TRUE(to_report(std::vector{unsure}).doubtful);
    const auto foreign = to_report(std::vector{unknown});
    EXPECT_TRUE(foreign.segments.empty());
    EXPECT_TRUE(foreign.doubtful);
    EXPECT_TRUE(to_report(std::vector{known, unknown}).doubtful);
    unknown.end_seconds = 4.5;
    EXPECT_FALSE(to_report(std::vector{known, unknown}).doubtful);
    EXPECT_FALSE(to_report({}).doubtful);
}

}  // namespace
}  // namespace reelsd::media::sound
