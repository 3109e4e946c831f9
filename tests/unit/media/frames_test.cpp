// Goal: still pictures show their moments, upright and within the requested size. Method: the real
// helper in its real jail on generated videos; another decoder reads its output.
#include "shown_picture.hpp"
#include "video_maker.hpp"
#include <reelsd/media/media_client.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace reelsd::media {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

struct taken_frames {
    frames_report report;
    std::vector<shown> pictures;
};

class Frames : public ::testing::Test {
protected:
    static void SetUpTestSuite() { maker_ = std::make_unique<video_maker>(); }
    static void TearDownTestSuite() { maker_.reset(); }
    void TearDown() override { fs::remove(target_); }

    static video_maker& maker() { return *maker_; }

    [[nodiscard]] result<frames_report> ask(
        const fs::path& file, const frame_request& request = {}) const {
        return client_.frames(file, target_, request, deadline::after(120s), {});
    }

    [[nodiscard]] taken_frames take(const fs::path& file, const frame_request& request = {}) const {
        const auto report = ask(file, request);
        EXPECT_TRUE(report) << report.error().to_string();
        if (!report) return {};
        taken_frames taken{.report = *report, .pictures = {}};
        const auto bytes = bytes_of(target_);
        const auto all = std::as_bytes(std::span{bytes});
        EXPECT_EQ(report->frames.back().offset + report->frames.back().bytes, bytes.size());
        for (const auto& frame : report->frames) {
            taken.pictures.push_back(decoded(maker(), all.subspan(frame.offset, frame.bytes)));
        }
        return taken;
    }

    media_client client_{{.helper = MEDIA_HELPER, .seconds_max = 30}};
    fs::path target_ = maker().folder() / "frames";

private:
    static std::unique_ptr<video_maker> maker_;
};

std::unique_ptr<video_maker> Frames::maker_;

/// A second each of red, green and blue; `group`: pictures in a group.
std::string three_colours(const std::string& group) {
    return std::string{"-f lavfi -i color=c=red:s=180x320:r=10:d=3 -vf \""} +
           "drawbox=c=0x00ff00:t=fill:enable='gte(t,1)',drawbox=c=blue:t=fill:enable='gte(t,2)'\"" +
           h264 + " -g " + group;
}

TEST_F(Frames, ShowTheirMoments) {
    for (const auto* group : {"1", "7", "1000"}) {
        SCOPED_TRACE(group);
        const auto taken = take(
            maker().make(std::string{"colours"} + group + ".mp4", three_colours(group)),
            {.per_second = 2});
        ASSERT_EQ(taken.pictures.size(), 6U);
        std::string colours;
        for (const auto& picture : taken.pictures) colours += picture.colour_at(0.5, 0.5);
        EXPECT_EQ(colours, "rrggbb");
        for (std::size_t at = 0; at < 6; ++at) {
            EXPECT_DOUBLE_EQ(taken.report.frames[at].seconds, 0.5 * static_cast<double>(at));
        }
    }
    EXPECT_EQ(fs::status(target_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// Goal: groups without a requested picture change nothing. Method: fewer pictures than groups.
TEST_F(Frames, AreSpreadWhenThereAreTooMany) {
    const auto taken =
        take(maker().make("groups.mp4", three_colours("3")), {.per_second = 10, .count_max = 3});
    ASSERT_EQ(taken.pictures.size(), 3U);
    EXPECT_EQ(taken.pictures[0].colour_at(0.5, 0.5), 'r');
    EXPECT_EQ(taken.pictures[1].colour_at(0.5, 0.5), 'g');
    EXPECT_EQ(taken.pictures[2].colour_at(0.5, 0.5), 'b');
    EXPECT_DOUBLE_EQ(taken.report.frames[1].seconds, 1);
}

// Goal: pictures of a group whose key picture an edit list hides. Method: a cut between two key
// pictures that copies the packets.
TEST_F(Frames, OfACutWithoutEncodingShowTheirMoments) {
    maker().make("uncut.mp4", three_colours("15 -keyint_min 15 -sc_threshold 0"));
    const auto file = maker().make("trimmed.mp4", "-ss 0.5 -i @uncut.mp4 -c copy");
    const auto taken = take(file, {.per_second = 2});
    std::string colours;
    for (const auto& picture : taken.pictures) colours += picture.colour_at(0.5, 0.5);
    EXPECT_EQ(colours, "rggbb");
    const auto first = take(file, {.per_second = 2, .count_max = 1});
    ASSERT_EQ(first.pictures.size(), 1U);
    EXPECT_EQ(first.pictures[0].colour_at(0.5, 0.5), 'r');
}

// Goal: moments before the first picture that can be decoded. Method: a copy without the first key
// picture.
TEST_F(Frames, WithoutAFirstKeyPictureShowTheNextPicture) {
    maker().make("keyed.mp4", three_colours("15 -keyint_min 15 -sc_threshold 0"));
    const auto file =
        maker().make("keyless.mkv", "-i @keyed.mp4 -c copy -bsf:v noise=drop=\"eq(n\\,0)\"");
    const auto taken = take(file, {.per_second = 1, .count_max = 1});
    ASSERT_EQ(taken.pictures.size(), 1U);
    EXPECT_EQ(taken.pictures[0].colour_at(0.5, 0.5), 'g');
}

TEST_F(Frames, FitTheirBoundsAndAreUpright) {
    struct test_case {
        const char* name;
        const char* size;
        int long_edge;
        int width;
        int height;
    };
    constexpr test_case cases[] = {
        {"high.mp4", "720x1280", 768, 432, 768},
        {"wide.mp4", "1280x720", 512, 512, 288},
        {"small.mp4", "180x320", 768, 180, 320},  // Never scaled up.
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto taken = take(
            maker().make(expected.name, quarters(expected.size) + '"' + h264),
            {.long_edge = expected.long_edge});
        ASSERT_EQ(taken.pictures.size(), 1U);
        EXPECT_EQ(taken.pictures[0].width, expected.width);
        EXPECT_EQ(taken.pictures[0].height, expected.height);
        expect_upright(taken.pictures[0]);
    }
    maker().make("lying.mp4", quarters("360x640") + ",transpose=cclock\"" + h264);
    const auto turned = take(maker().rotate("turned.mp4", "lying.mp4", 90));
    ASSERT_EQ(turned.pictures.size(), 1U);
    EXPECT_EQ(turned.pictures[0].width, 360);
    expect_upright(turned.pictures[0]);
}

TEST_F(Frames, ComeFromOddVideos) {
    const std::pair<const char*, std::string> cases[] = {
        {"odd.webm", quarters("181x319") + "\" -c:v libvpx-vp9 -cpu-used 8 -pix_fmt yuv420p"},
        {"hevc.mp4",
         quarters("180x320") + "\" -c:v libx265 -preset ultrafast -x265-params log-level=none"},
        {"av1.mp4", quarters("180x320") + "\" -c:v libaom-av1 -cpu-used 8 -usage realtime"},
        {"ten.mp4", quarters("180x320") + "\" -c:v libx264 -preset ultrafast -pix_fmt yuv420p10le"},
    };
    for (const auto& [name, arguments] : cases) {
        SCOPED_TRACE(name);
        const auto taken = take(maker().make(name, arguments));
        ASSERT_EQ(taken.pictures.size(), 1U);
        expect_upright(taken.pictures[0]);
    }
}

TEST_F(Frames, OfNoiseFitTheirBound) {
    const auto noise = maker().make(
        "noise.mp4",
        "-f lavfi -i nullsrc=s=1280x1280:r=2:d=1 -vf "
        "\"geq=random(1)*255:random(2)*255:random(3)*255\""
        " -c:v libx264 -preset ultrafast -pix_fmt yuv444p -qp 1");
    const auto report = ask(noise, {.long_edge = 1280});
    ASSERT_TRUE(report) << report.error().to_string();
    EXPECT_LE(report->frames.at(0).bytes, report_bounds::frame_bytes_max);
    EXPECT_EQ(fs::file_size(target_), report->frames.at(0).bytes);
}

TEST_F(Frames, OfATruncatedFileAreTheRemainingOnes) {
    const auto whole = bytes_of(maker().make(
        "whole.mp4",
        "-f lavfi -i testsrc2=s=180x320:r=10:d=6" + std::string{h264} +
            " -g 10 -movflags +faststart"));
    const auto taken = take(maker().write("cut.mp4", whole.substr(0, whole.size() / 2)));
    EXPECT_GE(taken.pictures.size(), 2U);
    EXPECT_LE(taken.pictures.size(), 6U);
}

TEST_F(Frames, AreRejectedWithoutOutput) {
    const auto good = maker().make("good.mp4", quarters("180x320") + '"' + h264);
    const auto sound = maker().make("sound.m4a", "-f lavfi -i sine=d=2 -c:a aac");
    const auto garbage = maker().write("garbage.mp4", "ftypftypftyp and no video");
    const auto too_long =
        maker().make("long.mp4", "-f lavfi -i testsrc=s=64x64:r=2:d=40" + std::string{h264});
    struct test_case {
        const char* name;
        fs::path file;
        frame_request request;
        errc expected;
    };
    const test_case cases[] = {
        {"sound alone", sound, {}, errc::unsupported_format},
        {"garbage", garbage, {}, errc::unsupported_format},
        {"too long", too_long, {}, errc::video_too_long},
        {"missing file", maker().folder() / "none", {}, errc::media_failed},
        {"no pictures", good, {.count_max = 0}, errc::media_failed},
        {"far too many", good, {.count_max = 1'000'000}, errc::media_failed},
        {"no size", good, {.long_edge = 0}, errc::media_failed},
    };
    for (const auto& [name, file, request, expected] : cases) {
        SCOPED_TRACE(name);
        const auto report = ask(file, request);
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code(), expected) << report.error().to_string();
        EXPECT_FALSE(fs::exists(target_));
    }
    const auto nowhere =
        client_.frames(good, maker().folder() / "none/frames", {}, deadline::after(60s), {});
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().code(), errc::storage_failed);
}

TEST_F(Frames, StillsShowTheirMoments) {
    const auto file = maker().make("stills.mp4", three_colours("7"));
    const auto stills = client_.stills(file, {0.5, 1.5, 1.5, 9}, deadline::after(120s), {});
    ASSERT_TRUE(stills) << stills.error().to_string();
    std::string colours;
    for (const auto& jpeg : stills->jpegs) {
        EXPECT_LE(jpeg.size(), report_bounds::still.bytes_max);
        const auto picture = decoded(maker(), jpeg);
        EXPECT_EQ(picture.width, 180);
        colours += picture.colour_at(0.5, 0.5);
    }
    EXPECT_EQ(colours, "rggb");
    // Goal: an analysis makes the same pictures.
    const auto analysis =
        client_.analyze(file, deadline::after(120s), {}, [](const analysis_report& report) {
            EXPECT_GT(report.probe.duration_seconds, 2);
            return std::vector{0.5, 1.5, 1.5, 9.0};
        });
    ASSERT_TRUE(analysis) << analysis.error().to_string();
    EXPECT_EQ(analysis->stills, stills->jpegs);
    const auto none = client_.analyze(file, deadline::after(120s), {}, [](const analysis_report&) {
        return std::vector<double>{};
    });
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->stills.empty());

    EXPECT_FALSE(client_.stills(file, {}, deadline::after(120s), {}));
    EXPECT_FALSE(client_.stills(file, std::vector<double>(21, 1.0), deadline::after(120s), {}));
}

}  // namespace
}  // namespace reelsd::media
