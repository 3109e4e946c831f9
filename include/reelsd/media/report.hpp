#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What `reelsd-media` says about one video: the document that it writes to standard output, and
/// the only thing that crosses from the jail. Times are seconds from the start of the video; every
/// time lies in [0, duration].
namespace reelsd::media {

/// Measured from the container and the first decoded frames; cheap.
struct probe_report {
    double duration_seconds = 0;
    int width = 0;   ///< As displayed: after rotation and sample aspect ratio.
    int height = 0;  ///< As displayed.
    double frame_rate = 0;
    std::string video_codec;                 ///< FFmpeg's short name: "h264".
    std::optional<std::string> audio_codec;  ///< Absent without an audio track.
};

struct timed_text {
    std::string text;
    double start_seconds = 0;
    double end_seconds = 0;
};

struct speech_report {
    std::vector<timed_text>
        segments;           ///< Utterances in order, lower case words as spoken; may be empty.
    bool doubtful = false;  ///< The recogniser's own confidence is low.
};

struct music_report {
    bool present = false;
    std::optional<double> start_seconds;  ///< Where it sets in.
    std::optional<double> tempo_bpm;      ///< Absent when no beat is found.
    bool strong_beat = false;
    bool under_speech = false;  ///< It goes on while somebody speaks.
    std::string level;          ///< "quiet", "medium" or "loud"; empty without music.
    std::string brightness;     ///< "dark", "balanced" or "bright"; empty without music.
};

struct audio_report {
    bool silent = true;  ///< No audio track, or nothing above the noise floor.
    speech_report speech;
    music_report music;
};

struct picture_report {
    std::vector<double> cuts;          ///< Starts of the second and later scenes, ascending.
    double motion = 0;                 ///< Mean change between frames, 0 still to 1.
    double brightness = 0;             ///< Mean luma, 0 black to 1 white.
    double saturation = 0;             ///< Mean, 0 grey to 1.
    std::vector<std::string> colours;  ///< Dominant colour names, strongest first, at most 3.
};

/// One still picture of the video in two sizes: upright baseline JPEGs in JFIF form without any
/// other metadata.
struct thumbnail_report {
    std::vector<std::byte> jpeg;        ///< Within `report_bounds::large_thumbnail`.
    std::vector<std::byte> small_jpeg;  ///< Within `report_bounds::small_thumbnail`.
};

/// Everything that the local tools can find.
struct analysis_report {
    probe_report probe;
    std::vector<timed_text>
        texts;  ///< Lines on screen, by first appearance; a line that stays is one.
    audio_report audio;
    picture_report picture;
    /// Absent when no picture of it can be encoded.
    std::optional<thumbnail_report> thumbnail;
};

/// Which still pictures a model gets that takes no video; values out of their range are
/// `media_failed`.
struct frame_request {
    /// Pictures a second of the video, evenly from its start; over 0, at most
    /// `report_bounds::frames_per_second_max`.
    double per_second = 1;
    /// When that gives more, so many, evenly spread over the whole video; 1 to
    /// `report_bounds::frames_max`.
    std::size_t count_max = 64;
    /// Of the longer side, in pixels; 16 to `report_bounds::frame_side_pixels_max`. Pictures are
    /// never scaled up.
    int long_edge = 768;
};

/// Where one JPEG stands in the file that holds all of them.
struct stored_frame {
    double seconds = 0;  ///< When it is on screen.
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// Upright JPEGs one after the other in one file, without anything between them: at least one, by
/// time.
struct frames_report {
    std::vector<stored_frame> frames;
};

/// The sound in a file of its own: RIFF/WAVE, one channel of 16 kHz, signed 16 bit.
struct sound_report {
    double seconds = 0;
    std::uint64_t bytes = 0;  ///< Of the whole file, with its head.
};

/// What costs little to find out, for comparing with what a model says.
struct check_report {
    bool silent = true;  ///< As in `audio_report`.
    /// Whether anything in the sound may be a voice. False is good evidence that nobody speaks;
    /// true is weak, for music often passes. Absent when it was not looked for.
    std::optional<bool> speech;
    /// What is written in each of the pictures asked for, by time. A text starts and ends at the
    /// moment that was asked for: it says nothing about the time between two moments.
    std::vector<timed_text> texts;
};

/// A video that was written to a file of its own.
struct output_report {
    std::uint64_t bytes = 0;  ///< Of the whole file.
};

/// What one size of a thumbnail may have at most.
struct thumbnail_bounds {
    int width_max = 0;   ///< In pixels.
    int height_max = 0;  ///< In pixels.
    std::size_t bytes_max = 0;
};

/// What a report may hold at most. The child keeps them when it writes, the daemon insists when it
/// reads.
namespace report_bounds {
/// A day: far past any limit that an operator would set, and every time stays exact in a double.
inline constexpr double duration_seconds_max = 86'400;
/// The largest side of H.264's and HEVC's highest levels.
inline constexpr int side_pixels_max = 16'384;
inline constexpr double frame_rate_max = 1'000;
inline constexpr double tempo_bpm_max = 1'000;
/// FFmpeg's longest decoder name has 23 characters.
inline constexpr std::size_t codec_bytes_max = 32;
/// A line on screen or an utterance of 12 s: the longest measured has 300 bytes.
inline constexpr std::size_t text_bytes_max = 2'000;
/// Ten lines a second through 90 s is more than a person could read.
inline constexpr std::size_t texts_max = 1'000;
inline constexpr std::size_t cuts_max = 1'000;
inline constexpr std::size_t colours_max = 3;
/// The width is what a page about one reel shows on a dense screen; the height is that of 9:16 at
/// this width. A page of 50 of them loads in 2 MB.
inline constexpr thumbnail_bounds large_thumbnail{
    .width_max = 480, .height_max = 854, .bytes_max = 40'000};
/// A list's row shows 54 pixels, on a dense screen twice as many; the height is that of 9:16. Usual
/// pictures take most of the bytes: a page of 30 loads in at most 120 KB, where large ones would
/// take 1.2 MB.
inline constexpr thumbnail_bounds small_thumbnail{
    .width_max = 120, .height_max = 214, .bytes_max = 4'000};
/// The largest download that may be set, 4 GiB, and a head.
inline constexpr std::size_t output_bytes_max = (std::size_t{4} << 30U) + (std::size_t{16} << 20U);
/// Finer than any model samples.
inline constexpr double frames_per_second_max = 24;
/// Four times what models are given; 90 s at almost 3 a second.
inline constexpr std::size_t frames_max = 256;
inline constexpr int frame_side_pixels_min = 16;
/// Past what models see before they scale down themselves.
inline constexpr int frame_side_pixels_max = 1280;
/// 1,280 x 1,280 pixels of noise, as coarse as the encoder can; a usual picture has a tenth.
inline constexpr std::size_t frame_bytes_max = std::size_t{512} * 1024;
inline constexpr int sound_rate_hz = 16'000;
inline constexpr std::size_t sound_head_bytes = 44;
/// Each costs a look at a picture of up to a third of a second.
inline constexpr std::size_t checked_moments_max = 8;
/// A picture is bounded by `texts_max` in an analysis; one of these shows a screen full at most.
inline constexpr std::size_t checked_texts_max = checked_moments_max * 60;
}  // namespace report_bounds

/// Valid UTF-8 (RFC 3629) without control characters: what may stand in a report.
[[nodiscard]] bool is_clean_text(std::string_view text) noexcept;

[[nodiscard]] json to_json(const probe_report& report);
[[nodiscard]] json to_json(const analysis_report& report);
[[nodiscard]] json to_json(const thumbnail_report& report);
[[nodiscard]] json to_json(const frames_report& report);
/// Nothing: the video has no sound that can be decoded.
[[nodiscard]] json to_json(const std::optional<sound_report>& report);
[[nodiscard]] json to_json(const check_report& report);
[[nodiscard]] json to_json(const output_report& report);

/// Strict: a missing or unknown member, a wrong type, a time out of range, more than
/// `report_bounds` allow or text that is not clean UTF-8 is `media_failed`; the detail names the
/// member. The document comes out of the jail and is not trusted.
[[nodiscard]] result<probe_report> probe_report_from_json(const json& document);
[[nodiscard]] result<analysis_report> analysis_report_from_json(const json& document);
/// As strict about the pictures themselves: each the base64 of one JPEG within its own bounds,
/// whose segments and end are where they have to be.
[[nodiscard]] result<thumbnail_report> thumbnail_report_from_json(const json& document);
/// Also: times ascend, the first picture stands at the start of the file and each other one where
/// the one before ends.
[[nodiscard]] result<frames_report> frames_report_from_json(const json& document);
/// Also: as many bytes as so many seconds have.
[[nodiscard]] result<std::optional<sound_report>> sound_report_from_json(const json& document);
/// Also: texts stand at the moments that were asked for, in their order.
[[nodiscard]] result<check_report> check_report_from_json(
    const json& document, std::span<const double> at_seconds);
[[nodiscard]] result<output_report> output_report_from_json(const json& document);

}  // namespace reelsd::media
