// Goal: any video that can be decoded is converted to a widely supported format. Method: the real
// helper in its real jail on generated videos; another program reads its output.
#include "shown_picture.hpp"
#include "video_maker.hpp"
#include <reelsd/media/media_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Transcoding : public ::testing::Test {
protected:
    static void SetUpTestSuite() { maker_ = std::make_unique<video_maker>(); }
    static void TearDownTestSuite() { maker_.reset(); }
    void TearDown() override { fs::remove(target_); }

    static video_maker& maker() { return *maker_; }

    [[nodiscard]] result<void> ask(const fs::path& file) const {
        return client_.transcode(file, target_, deadline::after(120s), {});
    }

    /// A probe of the output; empty on failure.
    [[nodiscard]] probe_report probe_of(const fs::path& file) const {
        const auto report = ask(file);
        EXPECT_TRUE(report) << report.error().to_string();
        if (!report) return {};
        const auto bytes = bytes_of(target_);
        EXPECT_LT(bytes.find("moov"), bytes.find("mdat")) << "the index is not first";
        const auto probe = client_.probe(target_, deadline::after(60s), {});
        EXPECT_TRUE(probe) << probe.error().to_string();
        if (!probe) return {};
        EXPECT_EQ(probe->video_codec, "h264");
        return *probe;
    }

    /// The picture at `seconds` by another decoder, not rotated.
    [[nodiscard]] static shown picture_at(const std::string& seconds) {
        fs::remove(maker().folder() / "first.jpg");
        const auto jpeg = bytes_of(maker().make(
            "first.jpg", "-ss " + seconds + " -noautorotate -i @output -frames:v 1 -q:v 2"));
        return decoded(maker(), std::as_bytes(std::span{jpeg}));
    }

    media_client client_{{.helper = MEDIA_HELPER, .seconds_max = 10}};
    fs::path target_ = maker().folder() / "output";

private:
    static std::unique_ptr<video_maker> maker_;
};

std::unique_ptr<video_maker> Transcoding::maker_;

TEST_F(Transcoding, AcceptsOddCodecsAndSides) {
    struct test_case {
        const char* name;
        std::string arguments;
        int width;
        int height;
    };
    const test_case cases[] = {
        {"vp9.webm",
         quarters("181x319") + "\" -c:v libvpx-vp9 -cpu-used 8 -pix_fmt yuv420p",
         180,
         318},
        {"hevc.mp4",
         quarters("180x320") + "\" -c:v libx265 -preset ultrafast -x265-params log-level=none",
         180,
         320},
        {"av1.mp4",
         quarters("180x320") + "\" -c:v libaom-av1 -cpu-used 8 -usage realtime",
         180,
         320},
        {"ten_bits.mp4",
         quarters("180x320") + "\" -c:v libx264 -preset ultrafast -pix_fmt yuv420p10le",
         180,
         320},
        {"rgb.mp4", quarters("180x320") + "\" -c:v libx264rgb -preset ultrafast", 180, 320},
        {"large.mp4", quarters("1440x2560") + '"' + h264, 720, 1280},
        {"tiny.mp4", quarters("2x2") + '"' + h264, 2, 2},
    };
    for (const auto& [name, arguments, width, height] : cases) {
        SCOPED_TRACE(name);
        const auto output = probe_of(maker().make(name, arguments));
        EXPECT_EQ(output.width, width);
        EXPECT_EQ(output.height, height);
        EXPECT_NEAR(output.duration_seconds, 1, 0.15);
        EXPECT_FALSE(output.audio_codec.has_value());
        if (height > 2) expect_upright(picture_at("0"));
    }
}

TEST_F(Transcoding, KeepsColours) {
    const std::pair<const char*, const char*> cases[] = {
        {"bt601.mp4", ",scale=out_color_matrix=bt601,format=yuv420p\" -colorspace smpte170m"},
        {"bt709.mp4", ",scale=out_color_matrix=bt709,format=yuv420p\" -colorspace bt709"},
        {"full.mp4", ",scale=out_range=full,format=yuvj420p\" -color_range pc"},
    };
    for (const auto& [name, arguments] : cases) {
        SCOPED_TRACE(name);
        ASSERT_TRUE(ask(maker().make(
            name, quarters("360x640") + arguments + " -c:v libx264 -preset ultrafast")));
        // The thumbnail command observes the matrix.
        const auto thumbnail = client_.thumbnail(target_, deadline::after(60s), {});
        ASSERT_TRUE(thumbnail) << thumbnail.error().to_string();
        const auto picture = decoded(maker(), thumbnail->jpeg);
        EXPECT_NEAR(picture.at(0.25, 0.25, 0), 255, 10);
        EXPECT_NEAR(picture.at(0.25, 0.25, 1), 0, 10);
        EXPECT_NEAR(picture.at(0.75, 0.75, 1), 255, 10);
        EXPECT_NEAR(picture.at(0.75, 0.75, 0), 0, 10);
    }
}

// Goal: the output needs no rotation.
TEST_F(Transcoding, RotatesPictures) {
    const std::pair<const char*, int> turns[] = {
        {"cclock", 90}, {"clock", 270}, {"clock,transpose=clock", 180}};
    for (const auto& [stored, degrees] : turns) {
        SCOPED_TRACE(degrees);
        const auto name = std::to_string(degrees) + ".mp4";
        maker().make("lying" + name, quarters("180x320") + ",transpose=" + stored + '"' + h264);
        const auto output = probe_of(maker().rotate("upright" + name, "lying" + name, degrees));
        EXPECT_EQ(output.width, 180);
        EXPECT_EQ(output.height, 320);
        expect_upright(picture_at("0"));
    }
}

TEST_F(Transcoding, KeepsTimeAndSound) {
    // Red until the middle; then a tone in one of six channels.
    const auto file = maker().make(
        "surround.mp4",
        "-f lavfi -i color=c=red:s=180x320:r=60:d=4 -f lavfi -i "
        "\"aevalsrc=0|0|if(gte(t\\,2)\\,0.5*sin(3000*t)\\,0)|0|0|0:c=5.1:d=4\" "
        "-vf \"drawbox=c=0x00ff00:t=fill:enable='gte(t,2)'\" -c:a aac" +
            std::string{h264});
    const auto output = probe_of(file);
    EXPECT_EQ(output.audio_codec, "aac");
    EXPECT_NEAR(output.duration_seconds, 4, 0.1);
    EXPECT_NEAR(output.frame_rate, 30, 1);
    EXPECT_EQ(picture_at("1.8").colour_at(0.5, 0.5), 'r');
    EXPECT_EQ(picture_at("2.2").colour_at(0.5, 0.5), 'g');
    const auto still = bytes_of(maker().make("still.raw", "-i @output -t 1.8 -f s16le"));
    const auto heard = bytes_of(maker().make("heard.raw", "-ss 2.2 -i @output -f s16le"));
    const auto loudest = [](const std::string& samples) {
        int most = 0;
        for (std::size_t at = 0; at + 1 < samples.size(); at += 2) {
            most = std::max<int>(most, static_cast<signed char>(samples[at + 1]));
        }
        return most;  // Of 127.
    };
    EXPECT_LT(loudest(still), 2);
    EXPECT_GT(loudest(heard), 10);
}

TEST_F(Transcoding, OfATruncatedFileIsTheRemainder) {
    const auto whole = bytes_of(maker().make(
        "whole.mp4",
        "-f lavfi -i testsrc2=s=180x320:r=10:d=6 -f lavfi -i sine=d=6 -c:a aac" +
            std::string{h264} + " -g 10 -movflags +faststart"));
    const auto output = probe_of(maker().write("cut.mp4", whole.substr(0, whole.size() / 2)));
    EXPECT_GT(output.duration_seconds, 1);
    EXPECT_LT(output.duration_seconds, 5);
}

TEST_F(Transcoding, RejectsOtherFilesWithoutOutput) {
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
        {"too long",
         maker().make("long.mp4", "-f lavfi -i testsrc=s=64x64:r=2:d=12" + std::string{h264}),
         errc::video_too_long},
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
