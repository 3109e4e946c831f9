#include "drawn_picture.hpp"
#include "text_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reelsd::media::text {
namespace {

constexpr const char* models = "/usr/share/tesseract-ocr/5/tessdata";
constexpr int width = 720;
constexpr int height = 480;

struct closing {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
};

/// Frames at the reader's rate of what ffmpeg's `filter` (a lavfi graph of 720x480) draws.
std::vector<std::vector<std::uint8_t>> rendered(const std::string& filter, double seconds) {
    const std::string command = "ffmpeg -v error -nostdin -f lavfi -t " + std::to_string(seconds) +
                                " -i \"" + filter + "\" -f rawvideo -pix_fmt rgb24 -";
    const std::unique_ptr<std::FILE, closing> pipe{popen(command.c_str(), "r")};
    std::vector<std::vector<std::uint8_t>> frames;
    std::vector<std::uint8_t> frame(std::size_t{3} * width * height);
    while (pipe && std::fread(frame.data(), 1, frame.size(), pipe.get()) == frame.size()) {
        frames.push_back(frame);
    }
    return frames;
}

std::vector<timed_text> read_all(const std::vector<std::vector<std::uint8_t>>& frames) {
    auto reader = text_reader::load(models);
    EXPECT_TRUE(reader.has_value());
    if (!reader) return {};
    double seconds = 0;
    for (const auto& frame : frames) {
        (*reader)->add_frame({frame.data(), width, height, std::ptrdiff_t{3} * width}, seconds);
        seconds += 1 / frames_per_second;
    }
    return (*reader)->finish(seconds);
}

std::string caption(const std::string& text, int size, int x, int y, double start, double end) {
    return ",drawtext=font='DejaVu Sans':text='" + text +
           "':fontcolor=white:borderw=3:fontsize=" + std::to_string(size) +
           ":x=" + std::to_string(x) + ":y=" + std::to_string(y) + ":enable='between(t," +
           std::to_string(start) + "," + std::to_string(end - 0.01) + ")'";
}

// Goal: texts, order and times are correct. Method: three captions on a moving background.
TEST(TextReader, ReadsCaptionsWithTheirTimes) {
    const auto frames = rendered(
        "mandelbrot=s=720x480:r=4" + caption("Wait for it", 60, 60, 60, 0, 4) +
            caption("5 tips for better sleep", 44, 60, 200, 1, 3) +
            caption("Part 2", 80, 200, 320, 2, 4),
        4);
    ASSERT_EQ(frames.size(), 16U);

    const auto texts = read_all(frames);

    ASSERT_EQ(texts.size(), 3U);
    EXPECT_EQ(texts[0].text, "Wait for it");
    EXPECT_DOUBLE_EQ(texts[0].start_seconds, 0);
    EXPECT_DOUBLE_EQ(texts[0].end_seconds, 3.875);
    EXPECT_EQ(texts[1].text, "5 tips for better sleep");
    EXPECT_NEAR(texts[1].start_seconds, 1, 0.26);
    EXPECT_NEAR(texts[1].end_seconds, 3, 0.26);
    EXPECT_EQ(texts[2].text, "Part 2");
    EXPECT_NEAR(texts[2].start_seconds, 2, 0.26);
}

TEST(TextReader, InventsNothingOnTexture) {
    EXPECT_TRUE(read_all(rendered("mandelbrot=s=720x480:r=4", 3)).empty());
    EXPECT_TRUE(read_all(rendered("cellauto=s=720x480:r=4:rule=30:seed=7", 3)).empty());
}

TEST(TextReader, AcceptsNoFrames) {
    EXPECT_TRUE(read_all({}).empty());
}

// Goal: inside the jail nothing is opened and no thread is started. Method: count both before and
// after.
TEST(TextReader, StartsNoThreadAndKeepsNoFile) {
    const auto entries = [](const char* folder) {
        return std::distance(std::filesystem::directory_iterator{folder}, {});
    };
    auto reader = text_reader::load(models);
    ASSERT_TRUE(reader.has_value());
    const auto files = entries("/proc/self/fd");
    const auto frames =
        rendered("color=c=navy:s=720x480:r=4" + caption("Wait for it", 60, 60, 60, 0, 1), 1);
    for (const auto& frame : frames) {
        (*reader)->add_frame({frame.data(), width, height, std::ptrdiff_t{3} * width}, 0);
    }
    EXPECT_EQ(entries("/proc/self/task"), 1);
    EXPECT_EQ(entries("/proc/self/fd"), files);
}

TEST(TextReader, ReportsAMissingModel) {
    const auto reader = text_reader::load("/nonexistent");
    ASSERT_FALSE(reader.has_value());
    EXPECT_EQ(reader.error().code(), errc::media_failed);
}

}  // namespace
}  // namespace reelsd::media::text
