#include "shown_picture.hpp"
#include "video_maker.hpp"
#include <reelsd/media/media_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto h264 = " -c:v libx264 -preset ultrafast -pix_fmt yuv420p";

/// The real helper in its real jail; another decoder reads its output.
class Thumbnails : public ::testing::Test {
protected:
    static void SetUpTestSuite() { maker_ = std::make_unique<video_maker>(); }
    static void TearDownTestSuite() { maker_.reset(); }

    static video_maker& maker() { return *maker_; }

    static result<thumbnail_report> ask(
        const std::filesystem::path& file, double seconds_max = 90) {
        const media_client client{{.helper = MEDIA_HELPER, .seconds_max = seconds_max}};
        return client.thumbnail(file, deadline::after(120s), {});
    }

    static shown picture_of(const std::filesystem::path& file) {
        const auto report = ask(file);
        EXPECT_TRUE(report) << report.error().to_string();
        if (!report) return {};
        return decoded(maker(), report->jpeg);
    }

    static shown small_picture_of(const std::filesystem::path& file) {
        const auto report = ask(file);
        EXPECT_TRUE(report) << report.error().to_string();
        if (!report) return {};
        return decoded(maker(), report->small_jpeg);
    }

    static void expect_size(const shown& picture, int width, int height) {
        EXPECT_EQ(picture.width, width);
        EXPECT_EQ(picture.height, height);
    }

private:
    static std::unique_ptr<video_maker> maker_;
};

std::unique_ptr<video_maker> Thumbnails::maker_;

TEST_F(Thumbnails, FitTheirBoundsInEitherOrientation) {
    struct test_case {
        const char* size;
        int width;
        int height;
    };
    constexpr test_case cases[] = {
        {"1280x720", 480, 270},
        {"720x1280", 480, 853},
        {"540x1280", 360, 854},
        {"480x854", 480, 854},
        {"180x320", 180, 320},  // Never scaled up.
        {"1600x32", 480, 10},
        {"2x2", 2, 2},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.size);
        const auto picture = picture_of(maker().make(
            std::string{expected.size} + ".mp4", quarters(expected.size) + '"' + h264));
        expect_size(picture, expected.width, expected.height);
        if (picture.height >= 10) expect_upright(picture);
    }
}

TEST_F(Thumbnails, FitTheirSmallBoundsInEitherOrientation) {
    struct test_case {
        const char* size;
        int width;
        int height;
    };
    constexpr test_case cases[] = {
        {"1280x720", 120, 68},
        {"720x1280", 120, 213},
        {"540x1280", 90, 214},
        {"120x214", 120, 214},
        {"90x160", 90, 160},  // Never scaled up.
        {"1600x32", 120, 2},
        {"2x2", 2, 2},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.size);
        const auto picture = small_picture_of(maker().make(
            std::string{"small"} + expected.size + ".mp4", quarters(expected.size) + '"' + h264));
        expect_size(picture, expected.width, expected.height);
        if (picture.height >= 10) expect_upright(picture);
    }
}

TEST_F(Thumbnails, AreUprightAsInPlayers) {
    // Stored rotated, as phones do, with a rotation in the container.
    const std::pair<const char*, int> turns[] = {
        {"cclock", 90}, {"clock", 270}, {"clock,transpose=clock", 180}};
    for (const auto& [stored, degrees] : turns) {
        SCOPED_TRACE(degrees);
        const auto name = std::to_string(degrees) + ".mp4";
        maker().make("lying" + name, quarters("360x640") + ",transpose=" + stored + '"' + h264);
        const auto picture = picture_of(maker().rotate("upright" + name, "lying" + name, degrees));
        expect_size(picture, 360, 640);
        expect_upright(picture);
        const auto small = small_picture_of(maker().folder() / ("upright" + name));
        expect_size(small, 120, 213);
        expect_upright(small);
    }
    const auto stretched =
        picture_of(maker().make("stretched.mp4", quarters("180x320") + ",setsar=2/1\"" + h264));
    expect_size(stretched, 360, 320);
    expect_upright(stretched);
}

// Goal: colours are correct for each matrix that a video names.
TEST_F(Thumbnails, KeepColours) {
    const std::pair<const char*, const char*> cases[] = {
        {"bt601.mp4", ",scale=out_color_matrix=bt601,format=yuv420p\" -colorspace smpte170m"},
        {"bt709.mp4", ",scale=out_color_matrix=bt709,format=yuv420p\" -colorspace bt709"},
        {"full.mp4", ",scale=out_range=full,format=yuvj420p\" -color_range pc"},
    };
    for (const auto& [name, arguments] : cases) {
        SCOPED_TRACE(name);
        const auto picture = picture_of(maker().make(
            name, quarters("360x640") + arguments + " -c:v libx264 -preset ultrafast"));
        EXPECT_NEAR(picture.at(0.25, 0.25, 0), 255, 6);
        EXPECT_NEAR(picture.at(0.25, 0.25, 1), 0, 6);
        EXPECT_NEAR(picture.at(0.75, 0.75, 1), 255, 6);
        EXPECT_NEAR(picture.at(0.75, 0.75, 0), 0, 6);
    }
}

// Goal: high dynamic range is converted, with the matrix that the video names. Method: orange in
// the values of each transfer function.
TEST_F(Thumbnails, OfHighDynamicRangeHaveTheColoursOfSdr) {
    const std::pair<const char*, const char*> cases[] = {
        {"smpte2084", "0x836e4b"}, {"arib-std-b67", "0xa87835"}};
    for (const auto& [transfer, colour] : cases) {
        SCOPED_TRACE(transfer);
        const auto picture = picture_of(maker().make(
            std::string{transfer} + ".mp4",
            std::string{"-f lavfi -i color=c="} + colour +
                ":s=181x320:r=10:d=1,format=gbrp,scale=out_color_matrix=bt2020:out_range=tv"
                " -c:v libx264 -preset ultrafast -pix_fmt yuv444p10le -colorspace bt2020nc"
                " -color_primaries bt2020 -color_trc " +
                transfer));
        EXPECT_NEAR(picture.at(0.5, 0.5, 0), 0xe0, 8);
        EXPECT_NEAR(picture.at(0.5, 0.5, 1), 0x80, 8);
        // Rounding of the coded values is most visible in the weakest channel.
        EXPECT_NEAR(picture.at(0.5, 0.5, 2), 0x30, 16);
    }
}

TEST_F(Thumbnails, ShowMoreThanAnIntro) {
    struct test_case {
        const char* name;
        const char* intro;
        int seconds;
    };
    constexpr test_case cases[] = {
        {"black.mp4", "black", 2},
        {"white.mp4", "white", 2},
        {"late.mp4", "black", 9},  // After the usual scan time.
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto length = std::to_string(expected.seconds);
        // One key frame only, and a fade into the scene.
        const auto picture = picture_of(maker().make(
            expected.name,
            "-f lavfi -i testsrc2=s=180x320:r=10:d=4 -vf \"fade=in:d=1:c=" +
                std::string{expected.intro} + ",tpad=start_duration=" + length +
                ":color=" + expected.intro + '"' + h264 + " -g 1000"));
        EXPECT_GT(picture.share_of_column(0.03, 'r'), 0.5);
        EXPECT_GT(picture.share_of_column(0.58, 'b'), 0.5);
    }
    // A black video has a black thumbnail.
    const auto night = picture_of(maker().make(
        "night.mp4", std::string{"-f lavfi -i color=c=black:s=180x320:r=10:d=3"} + h264));
    expect_size(night, 180, 320);
    EXPECT_LT(night.brightest(), 10);
}

TEST_F(Thumbnails, OfNoiseStaySmallEnough) {
    const auto file = maker().make(
        "noise.mp4",
        "-f lavfi -i nullsrc=s=720x1280:r=5:d=1 -vf "
        "\"geq=random(1)*255:random(2)*255:random(3)*255\""
        " -c:v libx264 -preset ultrafast -pix_fmt yuv444p -qp 1");
    const auto report = ask(file);
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_LE(report->jpeg.size(), report_bounds::large_thumbnail.bytes_max);
    EXPECT_GT(report->jpeg.size(), report_bounds::large_thumbnail.bytes_max / 4);
    EXPECT_LE(report->small_jpeg.size(), report_bounds::small_thumbnail.bytes_max);
    EXPECT_GT(report->small_jpeg.size(), report_bounds::small_thumbnail.bytes_max / 4);
    // Without scaling, noise is not smoothed, so that the size has to shrink.
    const auto grains = maker().make(
        "grains.mp4",
        "-f lavfi -i nullsrc=s=480x854:r=5:d=1 -vf "
        "\"geq=random(1)*255:random(2)*255:random(3)*255\""
        " -c:v libx264 -preset ultrafast -pix_fmt yuv444p -qp 1");
    const auto picture = picture_of(grains);
    EXPECT_LT(picture.width, 480);
    EXPECT_GT(picture.width, 240);

    const auto fine_grains = maker().make(
        "fine_grains.mp4",
        "-f lavfi -i nullsrc=s=120x214:r=5:d=1 -vf "
        "\"geq=random(1)*255:random(2)*255:random(3)*255\""
        " -c:v libx264 -preset ultrafast -pix_fmt yuv444p -qp 1");
    const auto small = small_picture_of(fine_grains);
    EXPECT_LE(small.width, 120);
    EXPECT_GT(small.width, 30);
}

TEST_F(Thumbnails, ComeFromTheUsualCodecs) {
    const std::pair<const char*, const char*> cases[] = {
        {"vp9.webm", " -c:v libvpx-vp9 -deadline realtime -cpu-used 8"},
        {"vp8.webm", " -c:v libvpx -deadline realtime -pix_fmt yuv420p"},
        {"hevc.mp4", " -c:v libx265 -preset ultrafast -x265-params log-level=none"},
        {"av1.mp4", " -c:v libaom-av1 -cpu-used 8 -usage realtime"},
        {"mpeg4.mp4", " -c:v mpeg4"},
        {"ten_bits.mp4", " -c:v libx264 -preset ultrafast -pix_fmt yuv420p10le"},
        {"rgb.mp4", " -c:v libx264rgb -preset ultrafast"},
    };
    for (const auto& [name, arguments] : cases) {
        SCOPED_TRACE(name);
        const auto picture = picture_of(maker().make(name, quarters("180x320") + '"' + arguments));
        expect_size(picture, 180, 320);
        expect_upright(picture);
    }
}

TEST_F(Thumbnails, AreRejectedWithoutVideo) {
    const auto good = maker().make("good.mp4", quarters("180x320") + '"' + h264);
    std::string random(50'000, '\0');
    std::mt19937 numbers{7};
    for (auto& byte : random) byte = static_cast<char>(numbers());
    struct test_case {
        std::filesystem::path file;
        errc code;
        double seconds_max;
    };
    const test_case cases[] = {
        {maker().write("random.mp4", random), errc::unsupported_format, 90},
        {maker().write("empty.mp4", ""), errc::unsupported_format, 90},
        {maker().make("sound.m4a", "-f lavfi -i sine=f=440:d=1 -c:a aac"),
         errc::unsupported_format,
         90},
        {maker().make("other.avi", quarters("180x320") + "\" -c:v mpeg4"),
         errc::unsupported_format,
         90},
        {maker().folder() / "missing.mp4", errc::media_failed, 90},
        {good, errc::video_too_long, 0.5},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.file.filename().string());
        const auto report = ask(expected.file, expected.seconds_max);
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code(), expected.code) << report.error().to_string();
        EXPECT_THAT(report.error().detail(), Not(HasSubstr("killed")));
    }
}

// Goal: damage leads to a picture or an error, but never to a crash. Method: bytes overwritten at
// random, seeded.
TEST_F(Thumbnails, SurviveDamage) {
    const auto whole = bytes_of(
        maker().make("whole.mp4", std::string{"-f lavfi -i testsrc2=s=180x320:r=10:d=2"} + h264));
    std::mt19937 numbers{20'260'102};
    for (int round = 0; round < 12; ++round) {
        SCOPED_TRACE(round);
        auto damaged = whole;
        for (int change = 0; change < 60; ++change) {
            damaged[numbers() % damaged.size()] = static_cast<char>(numbers());
        }
        const auto report = ask(maker().write("damaged.mp4", damaged));
        if (report) continue;
        EXPECT_THAT(
            report.error().code(),
            ::testing::AnyOf(errc::unsupported_format, errc::video_too_long));
        EXPECT_THAT(report.error().detail(), Not(HasSubstr("killed")));
    }
}

}  // namespace
}  // namespace reelsd::media
