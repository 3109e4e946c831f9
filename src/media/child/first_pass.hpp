#pragma once

#include "container.hpp"
#include "geometry.hpp"
#include <reelsd/media/report.hpp>

#include <cstdint>
#include <vector>

namespace reelsd::media {

/// The whole track, mono, from the start of the video; empty without sound that can be decoded.
struct heard_samples {
    std::vector<std::int16_t> for_speech;  ///< At sound::speech_rate_hz.
    std::vector<float> for_music;          ///< At sound::music_rate_hz.
};

/// Which samples are kept.
enum class listening : std::uint8_t { no, speech_alone, all };

struct first_pass {
    probe_report probe;
    geometry shape;
    heard_samples sound;
    /// When pictures are that need no other to be decoded, as far as the file tells; ascending.
    std::vector<double> key_seconds;
};

/// Reads every packet once: what a header says is not believed. Decodes the first picture for its
/// shape and, if wanted, all of the sound, so that speech can be recognised while pictures are
/// decoded. `video_too_long` as soon as a packet lies past the limit; `unsupported_format` when no
/// picture can be decoded, too little of the file is there or it is a single picture.
[[nodiscard]] result<first_pass> run_first_pass(
    const input_file& file, double seconds_max, listening mode);

}  // namespace reelsd::media
