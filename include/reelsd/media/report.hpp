#pragma once

#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Reports of `reelsd-media` about one video: the document on its standard output, the only data
/// that leaves the jail. Times are seconds from the start of the video, in [0, duration].
namespace reelsd::media {

/// Measured from the packets and the first decoded frame.
struct probe_report {
    double duration_seconds = 0;
    double missing_seconds = 0;  ///< At the end, of a file that is cut off; else 0.
    int width = 0;               ///< As displayed: after rotation and sample aspect ratio.
    int height = 0;              ///< As displayed.
    double frame_rate = 0;
    std::string video_codec;                 ///< FFmpeg's short name: "h264".
    std::optional<std::string> audio_codec;  ///< Absent without an audio track.
    bool audio_is_decodable = true;          ///< False: what the audio track contains is unknown.
};

struct timed_text {
    std::string text;
    double start_seconds = 0;
    double end_seconds = 0;
};

/// Why a part of the sound may be a voice.
enum class voice_evidence : std::uint8_t {
    possible,    ///< The voice detector hears one. Music often counts as a voice.
    alone,       ///< The sound pauses as a voice without music does. Drums do as well.
    recognized,  ///< English words were recognised.
};
BOOST_DESCRIBE_ENUM(voice_evidence, possible, alone, recognized)

struct voice_span {
    double start_seconds = 0;
    double end_seconds = 0;
    voice_evidence evidence = voice_evidence::possible;
};

struct time_range {
    double start_seconds = 0;
    double end_seconds = 0;
};

struct speech_report {
    /// The sentences, in order; may be empty.
    std::vector<timed_text> segments;
    bool doubtful = false;            ///< The recogniser's confidence is low.
    std::vector<voice_span> voice{};  ///< Where a voice may be, in whatever language; in order.
};

struct music_report {
    bool present = false;
    std::optional<double> start_seconds;  ///< Where it starts.
    std::optional<double> tempo_bpm;      ///< Absent without a clear beat.
    bool strong_beat = false;
    bool under_speech = false;  ///< It continues during speech.
    std::string level;          ///< "quiet", "medium" or "loud"; empty without music.
    std::string brightness;     ///< "dark", "balanced" or "bright"; empty without music.
};

struct audio_report {
    /// No audio track, or nothing above the noise floor. False if it cannot be decoded.
    bool silent = true;
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

/// One still picture of the video in two sizes: upright baseline JPEGs with no metadata but JFIF.
struct thumbnail_report {
    std::vector<std::byte> jpeg;        ///< Within `report_bounds::large_thumbnail`.
    std::vector<std::byte> small_jpeg;  ///< Within `report_bounds::small_thumbnail`.
};

/// The complete local analysis.
struct analysis_report {
    probe_report probe;
    /// Lines on screen by first appearance; a line that remains is one text.
    std::vector<timed_text> texts;
    audio_report audio;
    picture_report picture;
    /// Absent when no picture can be encoded.
    std::optional<thumbnail_report> thumbnail;
    /// Those of a stills_report, which media_client::analyze() adds.
    std::vector<std::vector<std::byte>> stills = {};
};

/// Still pictures for models that do not accept video. Values out of range are `media_failed`.
struct frame_request {
    /// Pictures for each second of video from its start; over 0, at most
    /// `report_bounds::frames_per_second_max`.
    double per_second = 1;
    /// Upper bound on the pictures. More are spread evenly over the video. 1 to
    /// `report_bounds::frames_max`.
    std::size_t count_max = 64;
    /// Longer side in pixels; 16 to `report_bounds::frame_side_pixels_max`. Never scaled up.
    int long_edge = 768;
};

/// Position of one JPEG in the file.
struct stored_frame {
    double seconds = 0;  ///< Time at which it is on screen.
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// Upright JPEGs, concatenated in one file: at least one, by time.
struct frames_report {
    std::vector<stored_frame> frames;
};

/// Small pictures, one for each requested moment, in their order: upright baseline JPEGs.
struct stills_report {
    std::vector<std::vector<std::byte>> jpegs;  ///< Each within `report_bounds::still`.
};

/// A file with the sound: RIFF/WAVE, one channel of 16 kHz, signed 16 bit.
struct sound_report {
    double seconds = 0;
    std::uint64_t bytes = 0;  ///< Size of the whole file, including its header.
};

/// Measurements for checking a model's answer.
struct check_report {
    bool silent = true;  ///< As in `audio_report`.
    /// Whether the sound may contain a voice. False is strong evidence against speech; true is
    /// weak, because music often counts as a voice. Absent when not measured.
    std::optional<bool> speech;
    /// Ranges of at least `report_bounds::silence_seconds_min` without any sound, by time. Empty
    /// without an audio track that can be decoded.
    std::vector<time_range> silences;
    /// Texts in the requested pictures, by time. Each starts and ends at the requested moment; the
    /// time between two moments is unknown.
    std::vector<timed_text> texts;
};

/// A video that was written to a file.
struct output_report {
    std::uint64_t bytes = 0;  ///< Size of the whole file.
};

struct thumbnail_bounds {
    int width_max = 0;   ///< In pixels.
    int height_max = 0;  ///< In pixels.
    std::size_t bytes_max = 0;
};

/// Bounds of reports. The child observes them, and the daemon checks them.
namespace report_bounds {
/// A day, which exceeds any useful limit.
inline constexpr double duration_seconds_max = 86'400;
/// The largest side of H.264's and HEVC's highest levels.
inline constexpr int side_pixels_max = 16'384;
inline constexpr double frame_rate_max = 1'000;
inline constexpr double tempo_bpm_max = 1'000;
/// FFmpeg's longest decoder name has 23 characters.
inline constexpr std::size_t codec_bytes_max = 32;
/// A line on screen or an utterance of 12 s: the longest measured has 300 bytes.
inline constexpr std::size_t text_bytes_max = 2'000;
/// Ten lines a second for 90 s.
inline constexpr std::size_t texts_max = 1'000;
inline constexpr std::size_t cuts_max = 1'000;
/// Shorter silences prove nothing: models report times to about a second.
inline constexpr double silence_seconds_min = 2;
/// Upper bound: one-second silences and sounds for 50 minutes. Later ones are left out.
inline constexpr std::size_t silences_max = 1'000;
inline constexpr std::size_t colours_max = 3;
/// The width of a reel's page on a high-density screen, and the height of 9:16. A page with 50 of
/// them loads 2 MB.
inline constexpr thumbnail_bounds large_thumbnail{
    .width_max = 480, .height_max = 854, .bytes_max = 40'000};
/// As large as a large thumbnail, because pages show both in the same places.
inline constexpr thumbnail_bounds still = large_thumbnail;
/// A result has at most as many key moments.
inline constexpr std::size_t stills_max = 20;
/// A list shows 54 pixels, on a high-density screen twice as many; the height is that of 9:16. A
/// page of 30 loads at most 120 KB.
inline constexpr thumbnail_bounds small_thumbnail{
    .width_max = 120, .height_max = 214, .bytes_max = 4'000};
/// The largest download that can be set, 4 GiB, and a header.
inline constexpr std::size_t output_bytes_max = (std::size_t{4} << 30U) + (std::size_t{16} << 20U);
/// More than any model samples.
inline constexpr double frames_per_second_max = 24;
/// Four times as many as models receive.
inline constexpr std::size_t frames_max = 256;
inline constexpr int frame_side_pixels_min = 16;
/// Models scale larger pictures down.
inline constexpr int frame_side_pixels_max = 1280;
/// 1,280 x 1,280 pixels of noise at the coarsest quantizer; a usual picture has a tenth.
inline constexpr std::size_t frame_bytes_max = std::size_t{512} * 1024;
inline constexpr int sound_rate_hz = 16'000;
inline constexpr std::size_t sound_head_bytes = 44;
/// Each takes up to a third of a second.
inline constexpr std::size_t checked_moments_max = 8;
/// 60 lines fill the screen.
inline constexpr std::size_t checked_texts_max = checked_moments_max * 60;
}  // namespace report_bounds

/// Whether it is valid UTF-8 (RFC 3629) without control characters, as all texts of reports.
[[nodiscard]] bool is_clean_text(std::string_view text) noexcept;

/// For probe_report, audio_report, analysis_report, thumbnail_report, frames_report, stills_report
/// and output_report.
template <class Report>
[[nodiscard]] json to_json(const Report& report);
/// Empty when the video has no sound that can be decoded.
[[nodiscard]] json to_json(const std::optional<sound_report>& report);
[[nodiscard]] json to_json(const check_report& report);

/// Strict, because the document is not trusted: a missing or unknown member, a wrong type, a time
/// out of range, an exceeded bound or text that is not clean is `media_failed`; the detail names
/// the member.
[[nodiscard]] result<probe_report> probe_report_from_json(const json& document);
[[nodiscard]] result<audio_report> audio_report_from_json(const json& document);
[[nodiscard]] result<analysis_report> analysis_report_from_json(const json& document);
/// Also validates the pictures: each is the base64 of one valid JPEG within its bounds.
[[nodiscard]] result<thumbnail_report> thumbnail_report_from_json(const json& document);
/// Also checks that times ascend, and that each picture starts where the previous one ends.
[[nodiscard]] result<frames_report> frames_report_from_json(const json& document);
/// Also checks that there are `count` pictures, each a JPEG of valid structure within its bounds.
[[nodiscard]] result<stills_report> stills_report_from_json(
    const json& document, std::size_t count);
/// Also checks that bytes and duration match.
[[nodiscard]] result<std::optional<sound_report>> sound_report_from_json(const json& document);
/// Also checks that texts are at the requested moments, in order.
[[nodiscard]] result<check_report> check_report_from_json(
    const json& document, std::span<const double> at_seconds);
[[nodiscard]] result<output_report> output_report_from_json(const json& document);

}  // namespace reelsd::media
