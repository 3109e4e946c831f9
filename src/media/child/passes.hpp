#pragma once

#include "../text/text_reader.hpp"
#include "container.hpp"
#include "images.hpp"
#include "thumbnail_maker.hpp"
#include <reelsd/media/report.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// Passes over all packets of a video. Each opens the container again: seeking depends on the index
/// of the file, which may be broken.
namespace reelsd::media {

/// The whole track, mono, from the start of the video; empty without sound that can be decoded.
struct audio_samples {
    std::vector<std::int16_t> for_speech;  ///< At sound::speech_rate_hz.
    std::vector<float> for_music;          ///< At sound::music_rate_hz.
    bool is_decodable = true;              ///< As `probe_report::audio_is_decodable`.
};

enum class audio_decoding : std::uint8_t { none, for_speech, all };

struct first_pass {
    probe_report probe;
    geometry shape;
    audio_samples sound;
    /// Start times of the groups of pictures, ascending.
    std::vector<double> key_seconds;
};

/// Reads every packet once, because headers are not trusted. Decodes the first picture and the
/// requested sound. `video_too_long` at the first packet past the limit; `unsupported_format` when
/// no picture can be decoded, too little of the file exists or it is a single picture.
[[nodiscard]] result<first_pass> run_first_pass(
    const input_file& file, double seconds_max, audio_decoding mode);

struct second_pass {
    std::vector<timed_text> texts;
    picture_report picture;
};

/// Decodes all pictures once: every one for cuts and `thumbnails`, eight a second for brightness
/// and colours, four a second for `reader`. `video_too_long` when pictures continue past the limit;
/// `unsupported_format` when none can be decoded.
[[nodiscard]] result<second_pass> run_second_pass(
    const input_file& file, const first_pass& first, double seconds_max, text::text_reader& reader,
    thumbnail_maker& thumbnails);

/// Receives the picture that is on screen at a moment; an error ends the pass.
using picture_handler = std::function<result<void>(const AVFrame& picture, double at_seconds)>;

/// Calls `handle` for each of `moments` (ascending) with the last picture that starts at or before
/// it, or with the first picture. Decodes only groups of pictures that contain a moment.
/// `video_too_long` when pictures continue past the limit, `unsupported_format` when none can be
/// decoded, and the errors of `handle`.
[[nodiscard]] result<void> for_each_frame_at(
    const input_file& file, const first_pass& first, double seconds_max,
    std::span<const double> moments, const picture_handler& handle);

}  // namespace reelsd::media
