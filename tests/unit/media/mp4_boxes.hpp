#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// MP4 files written box by box, with contents that no encoder produces. Source: ISO/IEC 14496-12
/// and 14496-15, ITU-T H.264.
namespace reelsd::media::mp4 {

/// `value` in `bytes` big-endian bytes.
[[nodiscard]] std::string number(std::uint64_t value, int bytes = 4);
[[nodiscard]] std::string box(std::string_view type, std::string_view content);
/// A box with a version and flags.
[[nodiscard]] std::string full_box(
    std::string_view type, std::string_view content, std::uint32_t flags = 0);

/// The `ftyp` box at the start of each file.
[[nodiscard]] std::string file_type();

/// A picture of this many blocks of 16 pixels: grey, then garbage.
struct h264_picture {
    std::uint32_t width_blocks = 11;
    std::uint32_t height_blocks = 20;
};
/// The sample entry of such a stream, `avc1`.
[[nodiscard]] std::string sample_entry(const h264_picture& picture);
/// Its data in `mdat`: its size, then its bytes.
[[nodiscard]] std::string sample(const h264_picture& picture);

/// A sound track's entry; `more`: its boxes.
struct sound_entry {
    std::string_view type = "sowt";
    std::uint32_t channels = 2;
    std::uint32_t bits = 16;
    std::uint32_t rate_hz = 44'100;
    std::string more = {};
};
[[nodiscard]] std::string sample_entry(const sound_entry& sound);

/// A track with samples of `sample_bytes` each, consecutive from `offset`.
struct track {
    bool is_video = true;
    std::string entry;  ///< The only entry of `stsd`.
    std::uint32_t samples = 100;
    std::uint32_t sample_bytes = 0;
    std::uint32_t sample_duration = 20;
    std::uint32_t timescale = 1000;
    std::uint32_t offset = 0;
    std::string edits = {};  ///< An `edts` box, or empty.
};
[[nodiscard]] std::string track_box(const track& source);

/// `elst` within `edts`: length in the movie's units and start in the track's.
[[nodiscard]] std::string edits(
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& entries);

struct movie {
    std::uint32_t timescale = 1000;
    std::uint32_t duration = 2000;
};
/// `moov` with these boxes in it.
[[nodiscard]] std::string movie_box(const movie& about, std::string_view tracks);

/// A whole file: two seconds of pictures at 50 a second. `tracks` follow the track of the pictures.
struct file {
    h264_picture picture = {};
    std::uint32_t pictures = 100;
    movie about = {};
    std::string edits = {};
    std::string tracks = {};
};
[[nodiscard]] std::string file_of(const file& video);

/// A fragmented file, whose runs declare a number of samples without listing them.
struct fragments {
    std::uint32_t runs = 1;
    std::uint32_t samples_a_run = 0;
    std::uint32_t sample_bytes = 0;
    std::uint32_t sample_duration = 0;
    std::string data = {};
};
[[nodiscard]] std::string file_of(const fragments& video);

}  // namespace reelsd::media::mp4
