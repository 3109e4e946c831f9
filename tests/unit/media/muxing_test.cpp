// Goal: separate tracks of picture and sound become one video. Method: the real helper in its real
// jail on generated tracks.
#include "video_maker.hpp"
#include <reelsd/media/media_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Muxing : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        maker_ = std::make_unique<video_maker>();
        picture_ = maker_->make(
            "picture.mp4",
            "-f lavfi -i testsrc=s=320x568:r=25:d=3 -c:v libx264 -preset ultrafast -pix_fmt "
            "yuv420p");
        sound_ = maker_->make("sound.mp4", "-f lavfi -i sine=d=3 -c:a aac");
    }
    static void TearDownTestSuite() { maker_.reset(); }

    void TearDown() override { fs::remove(target_); }

    [[nodiscard]] result<void> join(const fs::path& video, const fs::path& sound) const {
        return client_.join(video, sound, target_, deadline::after(60s), {});
    }

    static std::unique_ptr<video_maker> maker_;
    static fs::path picture_;
    static fs::path sound_;

    media_client client_{{.helper = MEDIA_HELPER, .seconds_max = 10}};
    fs::path target_ = maker_->folder() / "joined";
};

std::unique_ptr<video_maker> Muxing::maker_;
fs::path Muxing::picture_;
fs::path Muxing::sound_;

TEST_F(Muxing, MakesOneVideoOfTwoTracks) {
    ASSERT_TRUE(join(picture_, sound_));
    EXPECT_EQ(fs::status(target_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    const auto probe = client_.probe(target_, deadline::after(60s), {});
    ASSERT_TRUE(probe) << probe.error().to_string();
    EXPECT_NEAR(probe->duration_seconds, 3.0, 0.1);
    EXPECT_EQ(probe->width, 320);
    EXPECT_EQ(probe->video_codec, "h264");
    EXPECT_EQ(probe->audio_codec, "aac");
    // An existing file is overwritten.
    const auto size = fs::file_size(target_);
    ASSERT_TRUE(join(picture_, sound_));
    EXPECT_EQ(fs::file_size(target_), size);
}

TEST_F(Muxing, TakesOneTrackOfEachFile) {
    ASSERT_TRUE(join(picture_, sound_));
    const auto both = maker_->write("both.mp4", bytes_of(target_));
    ASSERT_TRUE(join(both, both));
    const auto probe = client_.probe(target_, deadline::after(60s), {});
    ASSERT_TRUE(probe) << probe.error().to_string();
    EXPECT_NEAR(probe->duration_seconds, 3.0, 0.1);
    EXPECT_EQ(probe->audio_codec, "aac");
}

TEST_F(Muxing, TakesOtherCodecsAndLengths) {
    const auto vp9 = maker_->make(
        "vp9.webm", "-f lavfi -i testsrc=s=160x284:r=15:d=2 -c:v libvpx-vp9 -cpu-used 8");
    const auto shorter = maker_->make("shorter.mp4", "-f lavfi -i sine=d=1 -c:a aac");
    ASSERT_TRUE(join(vp9, shorter));
    const auto probe = client_.probe(target_, deadline::after(60s), {});
    ASSERT_TRUE(probe) << probe.error().to_string();
    EXPECT_EQ(probe->video_codec, "vp9");
    EXPECT_NEAR(probe->duration_seconds, 2.0, 0.1);
}

TEST_F(Muxing, RejectsOtherFilesWithoutOutput) {
    const auto long_video = maker_->make(
        "long.mp4",
        "-f lavfi -i testsrc=s=64x64:r=5:d=12 -c:v libx264 -preset ultrafast -pix_fmt yuv420p");
    const auto garbage = maker_->write("garbage.mp4", "ftypftypftyp and no video");
    const auto cut = maker_->write("cut.mp4", bytes_of(sound_).substr(0, 600));
    struct test_case {
        const char* name;
        fs::path video;
        fs::path sound;
        errc expected;
    };
    const test_case cases[] = {
        {"no picture", sound_, sound_, errc::unsupported_format},
        {"no sound", picture_, picture_, errc::unsupported_format},
        {"no video", garbage, sound_, errc::unsupported_format},
        {"no sound file", picture_, garbage, errc::unsupported_format},
        {"cut sound", picture_, cut, errc::unsupported_format},
        {"too long", long_video, sound_, errc::video_too_long},
        {"missing file", maker_->folder() / "none", sound_, errc::media_failed},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto joined = join(expected.video, expected.sound);
        ASSERT_FALSE(joined);
        EXPECT_EQ(joined.error().code(), expected.expected) << joined.error().to_string();
        EXPECT_FALSE(fs::exists(target_));
    }
    const auto nowhere =
        client_.join(picture_, sound_, maker_->folder() / "none/joined", deadline::after(60s), {});
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().code(), errc::storage_failed);
}

}  // namespace
}  // namespace reelsd::media
