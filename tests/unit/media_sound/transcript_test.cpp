// Goal: only plausible speech is reported, in clean words with correct times. Method: constructed
// words, tables.

#include "speech.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reelsd::media::sound {
namespace {

/// The words one after the other, 0.3 s each, from `start` on.
std::vector<transcript_word> words_of(
    const std::vector<std::string>& texts, double start = 0, double posterior = 0.9) {
    std::vector<transcript_word> words;
    for (const std::string& text : texts) {
        words.push_back({text, start, start + 0.3, posterior});
        start += 0.3;
    }
    return words;
}

TEST(SpokenText, IsTheWordWithoutItsVariant) {
    struct test_case {
        const char* recognised;
        const char* spoken;
    };
    constexpr test_case cases[] = {
        {"hello", "hello"},
        {"read(2)", "read"},
        {"i'm", "i'm"},
        {"Hello", "hello"},
        {"<s>", ""},
        {"</s>", ""},
        {"<sil>", ""},
        {"[NOISE]", ""},
        {"[SPEECH]", ""},
        {"++um++", ""},
        {"", ""},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(spoken_text(expected.recognised), expected.spoken) << expected.recognised;
    }
}

TEST(PlausibleSpeech, NeedsEnoughAndLongEnoughWords) {
    struct test_case {
        const char* name;
        std::vector<std::string> words;
        double seconds;
        bool plausible;
    };
    const test_case cases[] = {
        {"a sentence", {"welcome", "back", "to", "my", "kitchen"}, 2.0, true},
        {"at the limit of words", {"welcome", "back", "to"}, 2.0, true},
        {"fewer words", {"welcome", "back", "to"}, 2.1, false},
        {"short words alone", {"a", "the", "to", "a", "it", "is"}, 2.0, false},
        {"nothing", {}, 2.0, false},
        {"no time", {"welcome", "back"}, 0.0, false},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(plausible_speech(words_of(expected.words), expected.seconds), expected.plausible)
            << expected.name;
    }
}

TEST(PlausibleSpeech, NeedsCertainWordsWhenTheyAreFewOrRepeated) {
    const std::vector<std::string> sentence{"welcome", "back", "to", "my", "kitchen"};
    const std::vector<std::string> repeated{"then", "then", "four", "then", "then", "four"};
    struct test_case {
        const char* name;
        std::vector<std::string> words;
        double posterior;
        bool plausible;
    };
    const test_case cases[] = {
        {"an uncertain sentence", sentence, 0.2, true},
        {"nonsense", sentence, 0.09, false},
        {"a certain word", {"more"}, 0.61, true},
        {"an uncertain word", {"more"}, 0.6, false},
        {"two uncertain words", {"follow", "me"}, 0.2, true},
        {"repeated and certain", repeated, 0.61, true},
        {"repeated and uncertain", repeated, 0.6, false},
        {"four words twice", {"very", "very", "good", "good"}, 0.6, true},
    };
    for (const auto& expected : cases) {
        const auto words = words_of(expected.words, 0, expected.posterior);
        const auto seconds = 0.3 * static_cast<double>(words.size());
        EXPECT_EQ(plausible_speech(words, seconds), expected.plausible) << expected.name;
    }
}

TEST(Agreement, IsTheShareOfCommonLongWords) {
    struct test_case {
        const char* name;
        std::vector<std::string> first;
        std::vector<std::string> second;
        double agreement;
    };
    const test_case cases[] = {
        {"the same", {"welcome", "back"}, {"welcome", "back"}, 1.0},
        {"one word differs", {"welcome", "back", "here"}, {"welcome", "bags", "here"}, 2.0 / 3.0},
        {"one word more", {"welcome", "back"}, {"well", "welcome", "back"}, 2.0 / 3.0},
        {"another order", {"back", "welcome"}, {"welcome", "back"}, 0.5},
        {"short words do not count", {"and", "welcome", "to"}, {"the", "welcome"}, 1.0},
        {"nothing in common", {"welcome"}, {"kingdom"}, 0.0},
        {"short words alone", {"and", "the"}, {"and", "the"}, 0.0},
        {"no words in the second", {"welcome"}, {}, 0.0},
        {"no words in either", {}, {}, 0.0},
    };
    for (const auto& expected : cases) {
        EXPECT_DOUBLE_EQ(
            agreement(words_of(expected.first), words_of(expected.second)), expected.agreement)
            << expected.name;
    }
}

TEST(UnvoicedWords, AreRemoved) {
    // A second of voice, a quarter of it quieter, then the background.
    std::vector<float> levels(75, -20.0F);
    levels.resize(100, -34.0F);
    levels.resize(200, -45.0F);
    std::vector<transcript_word> words{
        {"clean", 0.0, 0.4, 0.9},
        {"water", 0.4, 0.75, 0.9},
        {"and", 0.75, 1.0, 0.1},   // 14 dB below.
        {"to", 1.05, 1.4, 0.9},    // The background.
        {"late", 1.9, 2.5, 0.9},   // Partly after the end.
        {"never", 2.5, 2.9, 0.9},  // After the end.
    };

    remove_unvoiced_words(words, levels);

    ASSERT_EQ(words.size(), 3U);
    EXPECT_EQ(words[2].text, "and");
}

TEST(UnvoicedWords, AreUnknownInLoudMusic) {
    const std::vector<float> levels(200, -22.0F);
    auto words = words_of({"we", "sing"});
    remove_unvoiced_words(words, levels);
    EXPECT_EQ(words.size(), 2U);
}

TEST(Phrases, AreSplitWherePausesAreLongerThanHalfASecond) {
    auto words = words_of({"welcome", "back"}, 1.0);
    const auto later = words_of({"to", "my", "kitchen"}, 2.2);
    words.insert(words.end(), later.begin(), later.end());
    const auto last = words_of({"today"}, 3.5);
    words.insert(words.end(), last.begin(), last.end());

    const auto segments = phrases(words);

    ASSERT_EQ(segments.size(), 2U);
    EXPECT_EQ(segments[0].text, "Welcome back.");
    EXPECT_DOUBLE_EQ(segments[0].start_seconds, 1.0);
    EXPECT_DOUBLE_EQ(segments[0].end_seconds, 1.6);
    EXPECT_EQ(segments[1].text, "To my kitchen today.");
    EXPECT_DOUBLE_EQ(segments[1].start_seconds, 2.2);
}

TEST(Phrases, AreSentences) {
    struct test_case {
        std::vector<std::string> words;
        const char* sentence;
    };
    const test_case cases[] = {
        {{"i", "think", "i'm", "in", "italy"}, "I think I'm in italy."},
        {{"at", "six", "p.m."}, "At six p.m."},
        {{"'cause", "it's", "good"}, "'cause it's good."},
    };
    for (const auto& expected : cases) {
        const auto segments = phrases(words_of(expected.words));
        ASSERT_EQ(segments.size(), 1U);
        EXPECT_EQ(segments[0].text, expected.sentence);
    }
    EXPECT_TRUE(phrases({}).empty());
}

TEST(ToReport, OmitsImplausibleUtterances) {
    utterance invented;
    invented.words = words_of({"oh", "a"}, 0.0, 0.1);
    utterance spoken;
    spoken.words = words_of({"welcome", "back"}, 5.0);
    spoken.plausible = true;

    const auto report = to_report(std::vector{invented, spoken});

    ASSERT_EQ(report.segments.size(), 1U);
    EXPECT_EQ(report.segments[0].text, "Welcome back.");
    EXPECT_FALSE(report.doubtful);
}

// Goal: words that the recogniser invents in music are never reported, garbled ones of a speaker
// are.
TEST(ToReport, NeedsLessAgreementIfTheTrackContainsSpeech) {
    utterance garbled;
    garbled.start_seconds = 0.0;
    garbled.end_seconds = 2.0;
    garbled.words = words_of({"welcome", "back", "into", "my", "kitchen"}, 0.0);
    garbled.agreement = 0.25;
    EXPECT_TRUE(to_report(std::vector{garbled}).segments.empty());

    utterance certain;
    certain.start_seconds = 5.0;
    certain.end_seconds = 7.0;
    certain.words = words_of({"today", "we", "cook", "some", "pasta"}, 5.0);
    certain.plausible = true;
    EXPECT_EQ(to_report(std::vector{garbled, certain}).segments.size(), 2U);

    garbled.agreement = 0.1;
    EXPECT_EQ(to_report(std::vector{garbled, certain}).segments.size(), 1U);
    // Too few words for its length, regardless of speech elsewhere.
    garbled.agreement = 1.0;
    garbled.end_seconds = 30.0;
    EXPECT_EQ(to_report(std::vector{garbled, certain}).segments.size(), 1U);
}

TEST(ToReport, IsDoubtfulAtALowPosterior) {
    utterance spoken;
    spoken.words = words_of({"welcome", "back"}, 5.0, 0.44);
    spoken.plausible = true;
    EXPECT_TRUE(to_report(std::vector{spoken}).doubtful);
    EXPECT_FALSE(to_report({}).doubtful);
}

}  // namespace
}  // namespace reelsd::media::sound
