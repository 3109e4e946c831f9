// Goal: the file contains the whole sound in the format that every model accepts. Method: the real
// helper in its real jail on generated videos.
#include "video_maker.hpp"
#include <reelsd/media/media_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::size_t head_bytes = 44;
constexpr int rate_hz = 16'000;

std::string picture(int seconds) {
    return "-f lavfi -i testsrc=s=64x64:r=5:d=" + std::to_string(seconds);
}

class SoundFile : public ::testing::Test {
protected:
    static void SetUpTestSuite() { maker_ = std::make_unique<video_maker>(); }
    static void TearDownTestSuite() { maker_.reset(); }
    void TearDown() override { fs::remove(target_); }

    static video_maker& maker() { return *maker_; }

    [[nodiscard]] result<std::optional<sound_report>> ask(const fs::path& file) const {
        return client_.sound(file, target_, deadline::after(120s), {});
    }

    /// The bytes of the file; empty on failure.
    [[nodiscard]] std::string made_of(const fs::path& file, double seconds) const {
        const auto report = ask(file);
        EXPECT_TRUE(report) << report.error().to_string();
        if (!report) return {};
        EXPECT_TRUE(report->has_value());
        if (!report->has_value()) return {};
        auto bytes = bytes_of(target_);
        EXPECT_EQ((*report)->bytes, bytes.size());
        EXPECT_NEAR((*report)->seconds, seconds, 0.1);
        EXPECT_NEAR(
            static_cast<double>(bytes.size() - head_bytes), (*report)->seconds * 2 * rate_hz, 20);
        return bytes;
    }

    media_client client_{{.helper = MEDIA_HELPER, .seconds_max = 10}};
    fs::path target_ = maker().folder() / "sound.wav";

private:
    static std::unique_ptr<video_maker> maker_;
};

std::unique_ptr<video_maker> SoundFile::maker_;

std::uint32_t number_at(std::string_view bytes, std::size_t at, int count) {
    std::uint32_t number = 0;
    for (int byte = count - 1; byte >= 0; --byte) {
        const auto place = at + static_cast<std::size_t>(byte);
        number = number << 8U | static_cast<std::uint8_t>(bytes.at(place));
    }
    return number;
}

/// Root mean square from `begin` to `end`, in seconds; 1 is full scale.
double level(std::string_view wave, double begin, double end) {
    double energy = 0;
    const auto first = static_cast<std::size_t>(begin * rate_hz);
    const auto last = static_cast<std::size_t>(end * rate_hz);
    for (std::size_t at = first; at < last; ++at) {
        const auto sample = static_cast<std::int16_t>(number_at(wave, head_bytes + 2 * at, 2));
        energy += std::pow(sample / 32768.0, 2);
    }
    return std::sqrt(energy / static_cast<double>(last - first));
}

TEST_F(SoundFile, IsAWaveWithCorrectSizes) {
    const auto wave = made_of(
        maker().make("tone.mp4", picture(3) + " -f lavfi -i sine=f=440:d=3 -c:a aac" + h264), 3);
    ASSERT_GT(wave.size(), head_bytes);
    EXPECT_EQ(wave.substr(0, 4), "RIFF");
    EXPECT_EQ(number_at(wave, 4, 4), wave.size() - 8);
    EXPECT_EQ(wave.substr(8, 8), "WAVEfmt ");
    EXPECT_EQ(number_at(wave, 16, 4), 16U);
    EXPECT_EQ(number_at(wave, 20, 2), 1U);
    EXPECT_EQ(number_at(wave, 22, 2), 1U);
    EXPECT_EQ(number_at(wave, 24, 4), 16'000U);
    EXPECT_EQ(number_at(wave, 28, 4), 32'000U);
    EXPECT_EQ(number_at(wave, 32, 2), 2U);
    EXPECT_EQ(number_at(wave, 34, 2), 16U);
    EXPECT_EQ(wave.substr(36, 4), "data");
    EXPECT_EQ(number_at(wave, 40, 4), wave.size() - head_bytes);
    // FFmpeg's tone has an eighth of full scale, and half of the power of such a square wave.
    EXPECT_NEAR(level(wave, 0.5, 2.5), 0.125 / std::sqrt(2.0), 0.01);
    EXPECT_EQ(fs::status(target_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// Another program can read it.
TEST_F(SoundFile, IsReadByOthers) {
    static_cast<void>(made_of(
        maker().make("other.mp4", picture(2) + " -f lavfi -i sine=d=2 -c:a aac" + h264), 2));
    const auto raw = bytes_of(maker().make("other.raw", "-i @sound.wav -f s16le -c:a pcm_s16le"));
    EXPECT_EQ(raw, bytes_of(target_).substr(head_bytes));
}

TEST_F(SoundFile, KeepsTimesAndMixesChannels) {
    // Sound that starts a second after the pictures.
    const auto late = made_of(
        maker().make(
            "late.mp4",
            picture(3) + " -itsoffset 1 -f lavfi -i sine=d=2 -map 0 -map 1 -c:a aac" + h264),
        3);
    ASSERT_GT(late.size(), head_bytes);
    EXPECT_LT(level(late, 0.1, 0.8), 0.001);
    EXPECT_GT(level(late, 1.2, 2.8), 0.05);
    // 5.1 with sound in one of its channels.
    const auto surround = made_of(
        maker().make(
            "surround.mp4",
            picture(2) + " -f lavfi -i \"aevalsrc=0|0|0.5*sin(2000*t)|0|0|0:c=5.1:d=2\" -c:a aac" +
                h264),
        2);
    EXPECT_GT(level(surround, 0.5, 1.5), 0.02);
    const auto opus = made_of(
        maker().make(
            "opus.webm",
            picture(2) + " -f lavfi -i sine=d=2 -c:a libopus -c:v libvpx -pix_fmt yuv420p"),
        2);
    EXPECT_GT(level(opus, 0.5, 1.5), 0.05);
}

TEST_F(SoundFile, OfSilenceIsSilent) {
    const auto wave = made_of(
        maker().make("silent.mp4", picture(2) + " -f lavfi -i anullsrc=d=2 -c:a aac" + h264), 2);
    ASSERT_GT(wave.size(), head_bytes);
    EXPECT_LT(level(wave, 0, 1.9), 0.0001);
}

// Goal: a video without sound is not an error, but has no report.
TEST_F(SoundFile, IsAbsentWithoutATrack) {
    const auto report = ask(maker().make("mute.mp4", picture(2) + h264));
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_FALSE(report->has_value());
    EXPECT_FALSE(fs::exists(target_));
}

TEST_F(SoundFile, OfATruncatedFileIsTheRemainder) {
    const auto whole = bytes_of(maker().make(
        "whole.mp4",
        picture(6) + " -f lavfi -i sine=d=6 -c:a aac" + h264 + " -movflags +faststart"));
    const auto report = ask(maker().write("cut.mp4", whole.substr(0, whole.size() * 2 / 3)));
    ASSERT_TRUE(report) << report.error().to_string();
    ASSERT_TRUE(report->has_value());
    EXPECT_GT((*report)->seconds, 2);
    EXPECT_LT((*report)->seconds, 5);
    EXPECT_EQ(fs::file_size(target_), (*report)->bytes);
}

TEST_F(SoundFile, IsRejectedWithoutOutput) {
    struct test_case {
        const char* name;
        fs::path file;
        errc expected;
    };
    const test_case cases[] = {
        {"sound alone",
         maker().make("sound.m4a", "-f lavfi -i sine=d=2 -c:a aac"),
         errc::unsupported_format},
        {"garbage", maker().write("garbage.mp4", "ftypftypftyp"), errc::unsupported_format},
        {"too long", maker().make("long.mp4", picture(12) + h264), errc::video_too_long},
        {"missing file", maker().folder() / "none", errc::media_failed},
    };
    for (const auto& [name, file, expected] : cases) {
        SCOPED_TRACE(name);
        const auto report = ask(file);
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code(), expected) << report.error().to_string();
        EXPECT_FALSE(fs::exists(target_));
    }
}

}  // namespace
}  // namespace reelsd::media
