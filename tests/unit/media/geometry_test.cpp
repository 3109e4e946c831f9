#include "child/images.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace reelsd::media {
namespace {

TEST(Geometry, FitsTheWidthAndTheHeight) {
    struct test_case {
        const char* name;
        picture_size displayed;
        picture_size fitted;
    };
    constexpr test_case cases[] = {
        {"a reel", {1080, 1920}, {720, 1280}},
        {"the size itself", {720, 1280}, {720, 1280}},
        {"smaller grows", {360, 640}, {720, 1280}},
        {"landscape", {1920, 1080}, {720, 405}},
        {"a high picture is limited in height", {100, 1000}, {180, 1800}},
        {"a line keeps a pixel", {16384, 2}, {720, 1}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const geometry shape{.displayed = expected.displayed, .orientation = {}};
        const auto size = shape.fitted(720, 1800);
        EXPECT_EQ(size.width, expected.fitted.width);
        EXPECT_EQ(size.height, expected.fitted.height);
    }
}

TEST(Geometry, ReadsAspectOfSamples) {
    const frame_owner frame{av_frame_alloc()};
    frame->width = 100;
    frame->height = 50;
    const format_owner format{avformat_alloc_context()};
    AVStream& stream = *avformat_new_stream(format.get(), nullptr);
    EXPECT_EQ(geometry_of(stream, *frame).displayed.width, 100);
    frame->sample_aspect_ratio = {3, 2};
    EXPECT_EQ(geometry_of(stream, *frame).displayed.width, 150);
    stream.sample_aspect_ratio = {2, 1};
    EXPECT_EQ(geometry_of(stream, *frame).displayed.width, 200);
    // Implausible ratios are ignored.
    stream.sample_aspect_ratio = {1'000, 1};
    frame->sample_aspect_ratio = {0, 0};
    EXPECT_EQ(geometry_of(stream, *frame).displayed.width, 100);
}

// Goal: pictures are turned as in players. Method: the upper left part of matrices of phones; the
// selfie is stored lying and mirrored.
TEST(Geometry, ReadsTheDisplayMatrix) {
    using picture::quarter_turns;
    struct test_case {
        const char* name;
        int a, b, c, d;
        picture::orientation orientation;
    };
    constexpr test_case cases[] = {
        {"upright", 1, 0, 0, 1, {quarter_turns::none, false}},
        {"right", 0, 1, -1, 0, {quarter_turns::right, false}},
        {"half", -1, 0, 0, -1, {quarter_turns::half, false}},
        {"left", 0, -1, 1, 0, {quarter_turns::left, false}},
        {"left to right", -1, 0, 0, 1, {quarter_turns::none, true}},
        {"upside down", 1, 0, 0, -1, {quarter_turns::half, true}},
        {"selfie", 0, 1, 1, 0, {quarter_turns::right, true}},
        {"other selfie", 0, -1, -1, 0, {quarter_turns::left, true}},
        {"broken", 0, 0, 0, 0, {quarter_turns::none, false}},
    };
    const format_owner format{avformat_alloc_context()};
    const AVStream& stream = *avformat_new_stream(format.get(), nullptr);
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const frame_owner frame{av_frame_alloc()};
        frame->width = 100;
        frame->height = 50;
        constexpr int unit = 1 << 16;
        const std::int32_t matrix[9] = {
            expected.a * unit,
            expected.b * unit,
            0,
            expected.c * unit,
            expected.d * unit,
            0,
            0,
            0,
            1 << 30};
        auto* data =
            av_frame_new_side_data(frame.get(), AV_FRAME_DATA_DISPLAYMATRIX, sizeof matrix);
        std::memcpy(data->data, matrix, sizeof matrix);
        EXPECT_EQ(geometry_of(stream, *frame).orientation, expected.orientation);
    }
}

}  // namespace
}  // namespace reelsd::media
