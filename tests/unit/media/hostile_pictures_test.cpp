// Goal: neither the size of pictures nor the format of sound nor their contents make the helper
// exceed its bounds or crash. Method: files written box by box, or encoded and then changed. Valid
// files in each test show that the others are not simply broken.
#include "hostile_videos.hpp"
#include "mp4_boxes.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace reelsd::media {
namespace {

TEST_F(HostileVideos, PicturesOfAnySize) {
    struct test_case {
        std::uint32_t width_blocks;
        std::uint32_t height_blocks;
        outcome expected;
    };
    const test_case cases[] = {
        {11, 20, fine},
        {256, 144, fine},  // 4096 x 2304, the largest.
        {256, 145, unsupported},
        {1024, 1024, unsupported},
        {4096, 4096, unsupported},  // 65536 x 65536
        {65'536, 1, unsupported},
        {1, 65'536, unsupported},
    };
    for (const auto& [width_blocks, height_blocks, expected] : cases) {
        SCOPED_TRACE(std::to_string(width_blocks) + " x " + std::to_string(height_blocks));
        const mp4::h264_picture picture{
            .width_blocks = width_blocks, .height_blocks = height_blocks};
        expect(mp4::file_of({.picture = picture}), expected);
    }
}

// Goal: the decoders of other codecs, which read sizes themselves, observe the bound too.
TEST_F(HostileVideos, PicturesOfAnySizeOfOtherCodecs) {
    const auto of_size = [](const std::string& size, const std::string& codec) {
        return bytes_of(maker().make(
            codec.substr(0, codec.find(' ')) + '-' + size + ".mp4",
            "-f lavfi -i color=c=red:s=" + size + ":r=2:d=1 -c:v lib" + codec));
    };
    const std::string av1 = "aom-av1 -cpu-used 8 -usage realtime";
    expect(of_size("128x128", av1), fine);
    expect(of_size("4352x2304", av1), unsupported);
    const std::string hevc = "x265 -preset ultrafast -x265-params log-level=none";
    expect(of_size("128x128", hevc), fine);
    expect(of_size("4352x2304", hevc), unsupported);

    // VP9's sizes are half a byte after the sync code of a key picture.
    auto vp9 = of_size("128x128", "vpx-vp9 -deadline realtime -cpu-used 8");
    expect(vp9, fine);
    constexpr std::string_view sync_code = "\x49\x83\x42";
    for (auto at = vp9.find(sync_code); at != std::string::npos; at = vp9.find(sync_code, at + 1)) {
        vp9.replace(at + 4, 3, "\xff\xff\xff");
        vp9[at + 3] = static_cast<char>(vp9[at + 3] | 0x0f);
        vp9[at + 7] = static_cast<char>(vp9[at + 7] | 0xf0);
    }
    expect(vp9, unsupported);
}

// Goal: still picture formats are not decoded, for any size in their header.
TEST_F(HostileVideos, StillPicturesAsVideo) {
    const auto still = [](std::string_view type, std::uint32_t bytes) {
        const auto entry = std::string(6, '\0') + mp4::number(1, 2) + std::string(16, '\0') +
                           "\xff\xff\xff\xff" + std::string(46, '\0');
        const mp4::track track{
            .entry = mp4::box(type, entry),
            .sample_bytes = bytes,
            .offset = static_cast<std::uint32_t>(mp4::file_type().size() + 8)};
        return mp4::file_type() + mp4::box("mdat", std::string(std::size_t{100} * bytes, '\xff')) +
               mp4::movie_box({}, mp4::track_box(track));
    };
    for (const auto* type : {"png ", "jpeg", "mjpa", "raw ", "webp", "gif ", "tiff", "8BPS"}) {
        SCOPED_TRACE(type);
        expect(still(type, 64), unsupported);
    }
}

TEST_F(HostileVideos, SoundsOfAnyFormat) {
    struct test_case {
        const char* name;
        mp4::sound_entry entry;
    };
    const test_case cases[] = {
        {"no channel", {.channels = 0}},
        {"65,535 channels", {.channels = 0xffff}},
        {"no rate", {.rate_hz = 0}},
        {"65,535 bits", {.bits = 0xffff}},
        {"255 channels of Opus",
         {.type = "Opus",
          .channels = 255,
          .more = mp4::box(
              "dOps",
              std::string("\0\xff\0\0", 4) + mp4::number(48'000) + std::string(261, '\xff'))}},
        {"the largest ALAC",
         {.type = "alac",
          .more = mp4::full_box(
              "alac",
              mp4::number(0xffff'ffff) + std::string("\0\x20\x28\x0a\x0e\xff", 6) +
                  std::string(14, '\xff'))}},
    };
    for (const auto& given : cases) {
        SCOPED_TRACE(given.name);
        const mp4::track track{
            .is_video = false,
            .entry = mp4::sample_entry(given.entry),
            .samples = 1'000,
            .sample_bytes = 1,
            .sample_duration = 88,
            .timescale = 44'100,
            .offset = static_cast<std::uint32_t>(mp4::file_type().size() + 8)};
        const auto file = mp4::file_of({.tracks = mp4::track_box(track)});
        expect(file, fine);  // Because of its pictures.
        const auto end = run("check", file);
        EXPECT_EQ(end.outcome, process::child_outcome::exited) << "killed by signal " << end.status;
        EXPECT_TRUE(document_of(end)) << end.output;
    }
}

// Goal: a few kilobytes that decode to a gigabyte of pictures stay within the time for their
// length. Method: pictures that are grey except for a few bytes.
TEST_F(HostileVideos, ManyOfTheLargestPictures) {
    const mp4::h264_picture largest{.width_blocks = 256, .height_blocks = 144};
    const auto file =
        mp4::file_of({.picture = largest, .pictures = 60, .about = {.duration = 1'200}});
    const auto end = run("analyze", file, 1.5);
    ASSERT_EQ(end.outcome, process::child_outcome::exited) << "killed by signal " << end.status;
    const auto document = document_of(end);
    ASSERT_TRUE(document) << end.output;
    EXPECT_TRUE(analysis_report_from_json(*document)) << end.output;
}

// Goal: a picture full of words is read within its CPU time limit.
TEST_F(HostileVideos, TheLargestPictureFullOfWords) {
    std::string words;
    for (int line = 0; line < 80; ++line) {
        for (int word = 0; word < 50; ++word) words += "word" + std::to_string(line * word) + ' ';
        words += '\n';
    }
    static_cast<void>(maker().write("words.txt", words));
    const auto file = maker().make(
        "words.mp4",
        "-f lavfi -i color=c=white:s=4096x2304:r=2:d=1 -vf \"drawtext=fontfile=/usr/share/fonts/"
        "truetype/dejavu/DejaVuSans.ttf:textfile=@words.txt:fontsize=24\" -c:v libx264 -preset "
        "ultrafast -pix_fmt yuv420p");
    const auto end = run("analyze", bytes_of(file), 1.5);
    ASSERT_EQ(end.outcome, process::child_outcome::exited) << "killed by signal " << end.status;
    const auto document = document_of(end);
    ASSERT_TRUE(document) << end.output;
    EXPECT_TRUE(analysis_report_from_json(*document)) << end.output;
}

}  // namespace
}  // namespace reelsd::media
