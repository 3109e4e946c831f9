// Goal: levels, voices and texts of single pictures are correct. Method: the real helper in its
// real jail on generated videos.
#include "video_maker.hpp"
#include <reelsd/media/media_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> texts_of(const check_report& report) {
    std::vector<std::string> all;
    for (const auto& [text, start_seconds, end_seconds] : report.texts) {
        EXPECT_DOUBLE_EQ(start_seconds, end_seconds);
        all.push_back(std::to_string(static_cast<int>(start_seconds * 100)) + " " + text);
    }
    return all;
}

std::string caption(const std::string& text, int y, const std::string& between) {
    return ",drawtext=font='DejaVu Sans':text='" + text +
           "':fontcolor=white:borderw=3:fontsize=44:x=40:y=" + std::to_string(y) +
           ":enable='between(t," + between + ")'";
}

class Check : public ::testing::Test {
protected:
    static void SetUpTestSuite() { maker_ = std::make_unique<video_maker>(); }
    static void TearDownTestSuite() { maker_.reset(); }
    static video_maker& maker() { return *maker_; }

    /// Six seconds: "First tip" until 2, "Second tip" from 3 on, "Follow for more" below from 4 on.
    static std::filesystem::path captions(const std::string& name, const std::string& more) {
        return maker().make(
            name,
            "-f lavfi -i color=c=0x203050:s=480x640:r=10:d=6 -vf \"null" +
                caption("First tip", 100, "0,1.95") + caption("Second tip", 100, "3,9") +
                caption("Follow for more", 400, "4,9") + more);
    }

    static result<check_report> ask(
        const std::filesystem::path& file, std::vector<double> at_seconds) {
        const media_client client{{.helper = MEDIA_HELPER, .seconds_max = 10}};
        return client.check(file, std::move(at_seconds), deadline::after(120s), {});
    }

private:
    static std::unique_ptr<video_maker> maker_;
};

std::unique_ptr<video_maker> Check::maker_;

TEST_F(Check, ReadsEachPictureSeparately) {
    const auto file = captions("captions.mp4", "\" -g 5" + std::string{h264});
    // In any order, and after the end, where the last picture remains.
    const auto report = ask(file, {5, 0, 2.5, 3.5, 7.25});
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_THAT(
        texts_of(*report),
        ElementsAre(
            "0 First tip",
            "350 Second tip",
            "500 Second tip",
            "500 Follow for more",
            "725 Second tip",
            "725 Follow for more"));
    EXPECT_TRUE(report->silent);
    EXPECT_EQ(report->speech, false);
    const auto close = ask(file, {1.9, 1.9, 2.1});
    ASSERT_TRUE(close) << close.error().to_string();
    EXPECT_THAT(texts_of(*close), ElementsAre("190 First tip", "190 First tip"));
}

TEST_F(Check, ReadsRotatedPictures) {
    captions("lying.mp4", ",transpose=cclock\"" + std::string{h264});
    const auto report = ask(maker().rotate("turned.mp4", "lying.mp4", 90), {1});
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_THAT(texts_of(*report), ElementsAre("100 First tip"));
}

TEST_F(Check, DetectsSilenceAndVoices) {
    const std::string picture = "-f lavfi -i testsrc=s=64x64:r=5:d=3 ";
    const std::string codecs = std::string{" -c:a aac"} + h264;
    const auto mute = ask(maker().make("mute.mp4", picture + h264), {});
    const auto silent =
        ask(maker().make("silent.mp4", picture + "-f lavfi -i anullsrc=d=3" + codecs), {});
    const auto tone =
        ask(maker().make("tone.mp4", picture + "-f lavfi -i sine=f=3000:d=3" + codecs), {});
    const auto voice = ask(
        maker().make(
            "voice.mp4",
            picture + "-f lavfi -i \"flite=text='here are three ways to make coffee'\"" + codecs),
        {});
    for (const auto* report : {&mute, &silent, &tone, &voice}) {
        ASSERT_TRUE(*report) << report->error().to_string();
        EXPECT_THAT((*report)->texts, IsEmpty());
        EXPECT_TRUE((*report)->speech.has_value());
    }
    EXPECT_TRUE(mute->silences.empty()) << "unknown without an audio track";
    ASSERT_EQ(silent->silences.size(), 1U);
    EXPECT_EQ(silent->silences[0].start_seconds, 0);
    EXPECT_NEAR(silent->silences[0].end_seconds, 3, 0.2);
    EXPECT_TRUE(tone->silences.empty());
    EXPECT_TRUE(mute->silent);
    EXPECT_TRUE(silent->silent);
    EXPECT_EQ(silent->speech, false);
    EXPECT_FALSE(tone->silent);
    EXPECT_FALSE(voice->silent);
    EXPECT_EQ(voice->speech, true);
}

TEST_F(Check, InventsNothingOnTexture) {
    const auto report =
        ask(maker().make(
                "texture.mp4", "-f lavfi -i mandelbrot=s=480x640:r=10 -t 3" + std::string{h264}),
            {0.5, 1, 2});
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_THAT(texts_of(*report), IsEmpty());
}

TEST_F(Check, RejectsInvalidInput) {
    const auto file = captions("captions.mp4", "\" -g 5" + std::string{h264});
    const auto many = ask(file, std::vector<double>(report_bounds::checked_moments_max + 1, 1.0));
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().code(), errc::media_failed);
    const auto before = ask(file, {-1});
    ASSERT_FALSE(before);
    EXPECT_EQ(before.error().code(), errc::media_failed);
    const auto garbage = ask(maker().write("garbage.mp4", "ftypftypftyp"), {1});
    ASSERT_FALSE(garbage);
    EXPECT_EQ(garbage.error().code(), errc::unsupported_format);
    const media_client without{
        {.helper = MEDIA_HELPER, .seconds_max = 10, .text_models = "/nonexistent"}};
    const auto unread = without.check(file, {1}, deadline::after(60s), {});
    ASSERT_FALSE(unread);
    EXPECT_EQ(unread.error().code(), errc::media_failed);
}

}  // namespace
}  // namespace reelsd::media
