// Goal: no small file with huge tables makes the helper exceed its bounds or crash; the helper
// reports the expected error. Method: the real helper in its real jail; files written box by box,
// or encoded and then changed. Valid files in each test show that the others are not simply broken.
#include "hostile_videos.hpp"
#include "mp4_boxes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::media {
namespace {

TEST_F(HostileVideos, LengthsInHeaders) {
    struct test_case {
        const char* name;
        std::string_view box;
        std::size_t offset;
        std::uint64_t number;
        outcome expected;
    };
    // Offsets after the box's name, version 0. Only the tracks count; edit lists limit them to a
    // second.
    const test_case cases[] = {
        {"movie: no end", "mvhd", 16, 0xffff'ffff, fine},
        {"movie: ticks of no length", "mvhd", 12, 0, fine},
        {"movie: ticks of a second", "mvhd", 12, 1, fine},
        {"movie: negative ticks", "mvhd", 12, 0x8000'0000, fine},
        {"movie: the shortest ticks", "mvhd", 12, 0xffff'ffff, fine},
        {"track: ticks of no length", "mdhd", 12, 0, fine},
        {"track: the shortest ticks", "mdhd", 12, 0xffff'ffff, fine},
        {"track: negative", "mdhd", 16, 0x8000'0000, fine},
        {"track header: no end", "tkhd", 20, 0xffff'ffff, fine},
        {"an endless picture", "stts", 12, 0x7fff'ffff, fine},
        {"negative pictures", "stts", 12, 0xffff'ffff, fine},
    };
    const auto whole = good();
    expect(whole, fine);
    for (const auto& given : cases) {
        SCOPED_TRACE(given.name);
        expect(with_number(whole, given.box, given.offset, given.number, 4), given.expected);
    }
    // Without an edit list.
    const auto pictures = mp4::file_of(mp4::file{});
    expect(with_number(pictures, "stts", 12, 0x7fff'ffff, 4), too_long);
    expect(with_number(pictures, "mdhd", 12, 1, 4), too_long);
}

TEST_F(HostileVideos, TablesThatDeclareMore) {
    struct test_case {
        std::string_view box;
        std::size_t offset;
        ::testing::Matcher<outcome> expected;
    };
    const test_case cases[] = {
        {"stts", 4, unsupported},
        {"stts", 8, fine},  // More pictures than there are.
        {"stsz", 8, unsupported},
        {"stsc", 4, unsupported},
        // Newer versions of FFmpeg read only the chunks that the box contains.
        {"stco", 4, ::testing::AnyOf(fine, unsupported)},
        {"stsd", 4, unsupported},
        {"avcC", 6, unsupported},
    };
    const auto whole = good();
    for (const auto& given : cases) {
        SCOPED_TRACE(std::string{given.box} + " " + std::to_string(given.offset));
        expect(with_number(whole, given.box, given.offset, 0xffff'ffff, 4), given.expected);
    }
    // Samples of one byte each, which need no table.
    const auto of_bytes = with_number(whole, "stsz", 4, 1, 4);
    for (const std::uint64_t count : {15'000'000ULL, 100'000'000ULL, 0xffff'ffffULL}) {
        SCOPED_TRACE(count);
        expect(with_number(of_bytes, "stsz", 8, count, 4), unsupported);
    }
}

// Goal: a few bytes that declare millions of samples reach a bound. Method: runs of fragments that
// contain only the count.
TEST_F(HostileVideos, RunsOfSamplesWithoutATable) {
    const auto empty = [](std::uint32_t samples) {
        return mp4::file_of(
            mp4::fragments{.samples_a_run = samples, .data = mp4::sample(mp4::h264_picture{})});
    };
    for (const std::uint32_t samples : {5'000'000U, 20'000'000U, 0x7fff'ffffU, 0xffff'ffffU}) {
        SCOPED_TRACE(samples);
        expect(empty(samples), unsupported);
    }
    std::string units;
    for (int unit = 0; unit < 50'000; ++unit) units += mp4::number(1) + '\x09';
    const mp4::fragments tiny{.samples_a_run = 50'000, .sample_bytes = 5, .data = units};
    expect(mp4::file_of(tiny), unsupported);
    const mp4::fragments many{.runs = 50'000, .samples_a_run = 1, .sample_duration = 1};
    expect(mp4::file_of(many), unsupported);
}

TEST_F(HostileVideos, ThousandsOfTracks) {
    const mp4::track single{.entry = mp4::sample_entry(mp4::h264_picture{}), .sample_bytes = 8};
    const auto track = mp4::track_box(single);
    const auto with_tracks = [&track](int count) {
        std::string tracks;
        for (; count > 0; --count) tracks += track;
        return mp4::file_of({.tracks = tracks});
    };
    expect(with_tracks(4), fine);
    expect(with_tracks(32), unsupported);
    expect(with_tracks(5'000), unsupported);
}

TEST_F(HostileVideos, BoxesInBoxes) {
    constexpr int depth = 50'000;
    for (const auto* type : {"moov", "trak", "udta", "meta"}) {
        SCOPED_TRACE(type);
        std::string boxes;
        for (int at = depth; at > 0; --at)
            boxes.append(mp4::number(8U * unsigned(at))).append(type);
        expect(mp4::file_type() + boxes, unsupported);
        expect(mp4::file_type() + mp4::box("moov", boxes), unsupported);
    }
}

TEST_F(HostileVideos, BoxesOfStrangeSizes) {
    const auto repeated = [](const std::string& box) {
        std::string boxes = mp4::file_type();
        for (int count = 0; count < 10'000; ++count) boxes += box;
        return boxes;
    };
    const auto large = [](const char* type, std::uint64_t size) {
        return mp4::number(1) + type + mp4::number(size, 8);
    };
    const std::string files[] = {
        repeated(mp4::number(0) + "moov"),
        repeated(mp4::number(0) + "free"),
        repeated(mp4::number(4) + "moov"),
        repeated(mp4::number(7) + "free"),
        repeated(large("moov", 0)),
        repeated(large("free", 15)),
        mp4::file_type() + large("mdat", ~std::uint64_t{0}) + std::string(1'000, '\0'),
        mp4::file_type() + large("moov", std::uint64_t{1} << 63U) + std::string(1'000, '\0'),
        mp4::file_type() + mp4::number(0xffff'ffff) + "moov",
    };
    for (const auto& file : files) expect(file, unsupported);
}

// Goal: an edit list that repeats a second makes neither the index nor the video too long.
TEST_F(HostileVideos, EditsThatRepeat) {
    using entries = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    constexpr std::uint32_t nothing = 0xffff'ffff;
    struct test_case {
        const char* name;
        entries edits;
        outcome expected;
    };
    const test_case cases[] = {
        {"once", entries{{2'000, 0}}, fine},
        {"after a pause of an hour", entries{{3'600'000, nothing}, {2'000, 0}}, fine},
        {"a hundred thousand times", entries(100'000, {1'000, 0}), too_long},
        {"a hundred times", entries(100, {1'000, 0}), too_long},
        {"starts after its end", entries{{2'000, 0x7fff'ffff}}, unsupported},
        {"starts before its start",
         entries{{nothing, nothing - 1}, {0x7fff'ffff, nothing}},
         too_long},
    };
    for (const auto& given : cases) {
        SCOPED_TRACE(given.name);
        expect(mp4::file_of({.edits = mp4::edits(given.edits)}), given.expected);
    }
    // Short enough to stay within the limit together.
    const mp4::movie fast{.timescale = 100'000'000, .duration = 200'000'000};
    const auto end =
        run("probe", mp4::file_of({.about = fast, .edits = mp4::edits(entries(20'000, {1, 0}))}));
    EXPECT_EQ(end.outcome, process::child_outcome::exited) << "killed by signal " << end.status;
}

// Goal: a file truncated anywhere is a video or an error, but never a crash.
TEST_F(HostileVideos, TruncatedAnywhere) {
    const auto whole = good();
    const auto index = whole.find("moov");
    for (const auto size :
         {std::size_t{1},
          std::size_t{7},
          std::size_t{8},
          std::size_t{33},
          whole.size() / 2,
          index,
          index + 4,
          index + 120,
          (index + whole.size()) / 2,
          whole.size() - 1}) {
        SCOPED_TRACE(size);
        const auto end = run("probe", whole.substr(0, size));
        ASSERT_EQ(end.outcome, process::child_outcome::exited) << "killed by signal " << end.status;
        const auto document = document_of(end);
        if (document) continue;
        EXPECT_EQ(document.error().code(), errc::unsupported_format);
    }
}

}  // namespace
}  // namespace reelsd::media
