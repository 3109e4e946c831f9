// Goal: speech is recognised with its times, and other sound contains none. Method: the real model,
// and speech synthesised by flite.

#include "generated_sound.hpp"
#include "sound.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace reelsd::media::sound {
namespace {

/// flite's "slt" speaks 16 kHz mono, behind a header of 44 bytes.
std::vector<std::int16_t> spoken(const std::string& text) {
    const std::string path = ::testing::TempDir() + "media_sound_spoken.wav";
    const std::string command = "flite -voice slt -t '" + text + "' -o '" + path + "'";
    FILE* const speaker = popen(command.c_str(), "r");
    if (speaker == nullptr || pclose(speaker) != 0) return {};
    std::ifstream file{path, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
    std::vector<std::int16_t> samples;
    for (std::size_t i = 44; i + 1 < bytes.size(); i += 2) {
        const auto low = static_cast<unsigned char>(bytes[i]);
        const auto high = static_cast<unsigned char>(bytes[i + 1]);
        samples.push_back(static_cast<std::int16_t>(low | (high << 8U)));
    }
    std::remove(path.c_str());
    return samples;
}

class Speech : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        auto loaded = speech_recognizer::load(SPEECH_MODELS);
        ASSERT_TRUE(loaded) << loaded.error().to_string();
        recognizer_ = std::move(*loaded);
    }
    static void TearDownTestSuite() { recognizer_.reset(); }

    static std::unique_ptr<speech_recognizer> recognizer_;
};

std::unique_ptr<speech_recognizer> Speech::recognizer_;

TEST_F(Speech, IsRecognisedWithItsTimes) {
    const auto sentence =
        spoken("This is the best coffee shop that I have ever found in this city.");
    ASSERT_GT(sentence.size(), 32'000U);
    std::vector<std::int16_t> track(24'000);
    track.insert(track.end(), sentence.begin(), sentence.end());
    track.resize(track.size() + 16'000);

    const auto report = recognizer_->recognize(track);

    ASSERT_EQ(report.segments.size(), 1U);
    EXPECT_EQ(
        report.segments[0].text,
        "This is the best coffee shop that I have ever found in this city.");
    const double end = 1.5 + static_cast<double>(sentence.size()) / speech_rate_hz;
    EXPECT_NEAR(report.segments.front().start_seconds, 1.5, 0.4);
    EXPECT_NEAR(report.segments.back().end_seconds, end, 0.4);
    EXPECT_FALSE(report.doubtful);
}

TEST_F(Speech, IsNotInvented) {
    auto noise = generated::silence(6.0, speech_rate_hz);
    generated::add_noise(noise, 0.1);
    auto music = generated::silence(8.0, speech_rate_hz);
    generated::add_chords(music, speech_rate_hz, 0.05, 0.0);
    auto beeps = generated::silence(6.0, speech_rate_hz);
    for (double at = 0; at < 6.0; at += 0.4) {
        generated::add(beeps, speech_rate_hz, {660, 0.2, at, 0.2});
    }
    struct test_case {
        const char* name;
        std::vector<std::int16_t> samples;
    };
    const test_case cases[] = {
        {"nothing", {}},
        {"less than a frame", std::vector<std::int16_t>(100, 1000)},
        {"digital silence", std::vector<std::int16_t>(32'000)},
        {"noise", generated::as_samples(noise)},
        {"music", generated::as_samples(music)},
        {"beeps", generated::as_samples(beeps)},
    };
    for (const auto& given : cases) {
        const auto report = recognizer_->recognize(given.samples);
        EXPECT_TRUE(report.segments.empty()) << given.name << ": " << report.segments[0].text;
        EXPECT_FALSE(report.doubtful) << given.name;
    }
}

/// A range in which the voice detector hears no pause, as after this voice's echo.
TEST_F(Speech, IsDividedAtPauses) {
    const auto first = spoken("Here are three ways to make better coffee.");
    const auto second = spoken("Follow us for more ideas.");
    std::vector<std::int16_t> track{first};
    track.resize(first.size() + speech_rate_hz * 9 / 20);
    track.insert(track.end(), second.begin(), second.end());

    const auto report = recognizer_->recognize(track);

    ASSERT_EQ(report.segments.size(), 2U);
    EXPECT_EQ(report.segments[0].text, "Here are three ways to make better coffee.");
    EXPECT_EQ(report.segments[1].text, "Follow us for more ideas.");
    const double pause = static_cast<double>(first.size()) / speech_rate_hz;
    EXPECT_NEAR(report.segments[0].end_seconds, pause, 0.3);
    EXPECT_NEAR(report.segments[1].start_seconds, pause + 0.45, 0.5);
}

/// Most of the track is noise, whose level must not decide how the speech is scaled.
TEST_F(Speech, IsRecognisedWhereItIsRare) {
    const auto sentence = spoken("Here are three ways to make better coffee.");
    auto noise = generated::silence(60.0, speech_rate_hz);
    generated::add_noise(noise, 0.01);
    auto track = generated::as_samples(noise);
    const std::size_t begin = std::size_t{30} * speech_rate_hz;
    for (std::size_t i = 0; i < sentence.size(); ++i)
        track[begin + i] = static_cast<std::int16_t>(track[begin + i] + sentence[i]);

    const auto report = recognizer_->recognize(track);

    ASSERT_EQ(report.segments.size(), 1U);
    EXPECT_EQ(report.segments[0].text, "Here are three ways to make better coffee.");
    EXPECT_NEAR(report.segments[0].start_seconds, 30, 0.5);
}

/// The voice detector first learns what silence is.
TEST_F(Speech, DoesNotBeginInSilence) {
    std::vector<std::int16_t> track(16'000);
    const auto sentence = spoken("Follow us for more ideas.");
    track.insert(track.end(), sentence.begin(), sentence.end());
    const auto report = recognizer_->recognize(track);
    ASSERT_EQ(report.voice.size(), 1U);
    EXPECT_NEAR(report.voice[0].start_seconds, 1.0, 0.4);
}

TEST(SpeechModel, IsRefusedWithPartOfItsVocabulary) {
    const std::filesystem::path folder = ::testing::TempDir() + "media_sound_models";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    for (const auto& file : std::filesystem::directory_iterator{SPEECH_MODELS}) {
        if (file.path().filename() != "vocabulary.txt")
            std::filesystem::create_symlink(file.path(), folder / file.path().filename());
    }
    std::ofstream{folder / "vocabulary.txt"} << "a\nb\n";
    const auto loaded = speech_recognizer::load(folder);
    std::filesystem::remove_all(folder);
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().detail().find("vocabulary.txt"), std::string::npos);
}

TEST(SpeechModel, IsNamedWhenItIsMissing) {
    const auto loaded = speech_recognizer::load("/nonexistent");
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code(), errc::media_failed);
    EXPECT_NE(loaded.error().detail().find("/nonexistent/encoder.onnx"), std::string::npos);
}

}  // namespace
}  // namespace reelsd::media::sound
