#include "text_reader.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace reelsd::media::text {
namespace {

constexpr int width = 720;
constexpr int height = 480;

struct closing {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
};

/// Frames at the reader's rate of what ffmpeg's `filter` (a lavfi graph of 720 pixels width) draws.
std::vector<std::vector<std::uint8_t>> rendered(
    const std::string& filter, double seconds, int frame_height = height) {
    const std::string command = "ffmpeg -v error -nostdin -f lavfi -t " + std::to_string(seconds) +
                                " -i \"" + filter + "\" -f rawvideo -pix_fmt rgb24 -";
    const std::unique_ptr<std::FILE, closing> pipe{popen(command.c_str(), "r")};
    std::vector<std::vector<std::uint8_t>> frames;
    std::vector<std::uint8_t> frame(
        std::size_t{3} * width * static_cast<std::size_t>(frame_height));
    while (pipe && std::fread(frame.data(), 1, frame.size(), pipe.get()) == frame.size()) {
        frames.push_back(frame);
    }
    return frames;
}

std::vector<timed_text> read_all(const std::vector<std::vector<std::uint8_t>>& frames) {
    auto reader = text_reader::load(INSTALLED_MODELS);
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

// The detector misses an isolated digit.
TEST(TextReader, ReadsADigitNextToALine) {
    const auto texts = read_all(rendered(
        "gradients=s=720x480:c0=0xf0b060:c1=0xa04030:r=4:seed=3" +
            caption("3 WAYS TO MAKE", 72, 40, 100, 0, 2) + caption("PART 2", 72, 200, 300, 0, 2),
        2));

    ASSERT_EQ(texts.size(), 2U);
    EXPECT_EQ(texts[0].text, "3 WAYS TO MAKE");
    EXPECT_EQ(texts[1].text, "PART 2");
}

// Goal: texts, order and times are correct. Method: three captions on a moving background, and on a
// still one, where the detector sees only the rows that change.
class Captions : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    Backgrounds, Captions,
    testing::Values(
        "mandelbrot=s=720x480:r=4",
        "gradients=s=720x480:c0=0xf0b060:c1=0xa04030:r=4:speed=0.00001:seed=3"));

TEST_P(Captions, AreReadWithTheirTimes) {
    const auto frames = rendered(
        GetParam() + caption("Wait for it", 60, 60, 60, 0, 4) +
            caption("5 tips for better sleep", 44, 60, 200, 1, 3) +
            caption("Read more", 80, 150, 320, 2, 4),
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
    EXPECT_EQ(texts[2].text, "Read more");
    EXPECT_NEAR(texts[2].start_seconds, 2, 0.26);
}

TEST(TextReader, InventsNothingOnTexture) {
    EXPECT_TRUE(read_all(rendered("mandelbrot=s=720x480:r=4", 3)).empty());
    EXPECT_TRUE(read_all(rendered("cellauto=s=720x480:r=4:rule=30:seed=7", 3)).empty());
}

TEST(TextReader, AcceptsNoFrames) {
    EXPECT_TRUE(read_all({}).empty());
}

// Goal: text that stands still is read on a background as busy as letters, which changes. Method: a
// cellular automaton; single frames show no word in it.
TEST(TextReader, ReadsTextOnAMovingPattern) {
    const std::string pattern =
        "cellauto=s=120x80:rule=30:seed=7:r=8,scale=720:480:flags=neighbor,fps=4";
    const auto texts = read_all(rendered(pattern + caption("Subscribe", 56, 100, 200, 0, 3), 3));
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_EQ(texts[0].text, "Subscribe");
    EXPECT_LE(texts[0].start_seconds, 0.5);
}

/// Peak of this process's memory, bytes.
std::size_t peak_bytes() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<std::size_t>(used.ru_maxrss) * 1024;
}

// Goal: inside the jail nothing is opened, no thread is started and memory stays below the limit.
// Method: count files and threads before and after; a portrait frame full of text.
TEST(TextReader, StartsNoThreadOpensNoFileAndBoundsItsMemory) {
    const auto entries = [](const char* folder) {
        return std::distance(std::filesystem::directory_iterator{folder}, {});
    };
    auto reader = text_reader::load(INSTALLED_MODELS);
    ASSERT_TRUE(reader.has_value());
    const auto files = entries("/proc/self/fd");
    constexpr std::array<const char*, 12> lines{
        "Wait for it",
        "Swipe left",
        "Bake bread",
        "Drink more water",
        "Never give up",
        "Link in bio",
        "Day twelve",
        "Best coffee",
        "Rest now",
        "Pack with me",
        "Small wins",
        "Read the caption"};
    constexpr int page_height = 1280;
    std::string page = "color=c=navy:s=720x1280:r=4";
    for (std::size_t i = 0; i < lines.size(); ++i)
        page += caption(lines[i], 44, 20, 20 + 100 * static_cast<int>(i), 0, 1);
    double seconds = 0;
    for (const auto& frame : rendered(page, 1, page_height)) {
        (*reader)->add_frame(
            {frame.data(), width, page_height, std::ptrdiff_t{3} * width}, seconds);
        seconds += 1 / frames_per_second;
    }
    EXPECT_EQ((*reader)->finish(seconds).size(), lines.size());
    EXPECT_EQ(entries("/proc/self/task"), 1);
    EXPECT_EQ(entries("/proc/self/fd"), files);
    EXPECT_LT(peak_bytes(), std::size_t{300} * 1024 * 1024);
}

TEST(TextReader, ReportsAMissingModel) {
    const auto reader = text_reader::load("/nonexistent");
    ASSERT_FALSE(reader.has_value());
    EXPECT_EQ(reader.error().code(), errc::media_failed);
    EXPECT_NE(reader.error().detail().find("/nonexistent/ch_PP"), std::string::npos);
}

}  // namespace
}  // namespace reelsd::media::text
