#pragma once

#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

extern "C" struct WebRtcVadInst;

/// Where a track may contain speech. All samples are mono, 16 kHz.
namespace reelsd::media::sound {

/// 10 ms at 16 kHz: the grid of voice detection.
inline constexpr std::size_t frame_samples = 160;
inline constexpr double frame_seconds = 0.01;

/// Level of a frame of digital silence; a full-scale square wave has 0.
inline constexpr float level_db_min = -100.0F;

/// Share of the frames of a track that are quieter than its "loud" level.
inline constexpr double loud_share = 0.9;

/// Root mean square of each whole 10 ms frame, in dB below full scale. An incomplete last frame is
/// dropped.
[[nodiscard]] std::vector<float> frame_levels_db(std::span<const std::int16_t> samples);

/// Level that `share` (0 to 1) of the frames do not exceed; `level_db_min` without frames.
[[nodiscard]] float level_at_share_db(std::span<const float> levels_db, double share);

/// The factor that raises a level to -20 dBFS; at most 100.
[[nodiscard]] double gain_of(float loud_db);

/// A copy for the voice detector, with a noise floor at -70 dBFS. The noise is the same at every
/// call.
[[nodiscard]] std::vector<std::int16_t> conditioned(
    std::span<const std::int16_t> samples, double gain);

/// Share of the power of the loud parts of `samples` that is within 80 Hz of their strongest
/// frequency, averaged: 0.98 for whistles, beeps and sirens, at most 0.87 for the purest voices; 0
/// for silence.
[[nodiscard]] double tone_share(std::span<const std::int16_t> samples);

/// Frames [begin, end) of 10 ms.
struct frame_range {
    std::size_t begin = 0;
    std::size_t end = 0;

    friend bool operator==(const frame_range&, const frame_range&) = default;
};

/// Ranges that may contain speech, in order, disjoint: voiced frames joined over short pauses, with
/// a margin on both sides, none longer than 12 s (split at the quietest frame). `voiced` and
/// `levels_db` have one entry for each frame.
[[nodiscard]] std::vector<frame_range> find_utterances(
    const std::vector<bool>& voiced, std::span<const float> levels_db);

/// The parts of a range between its quiet pauses, which end in the middle of them. Parts that are
/// too short for the recogniser remain together.
[[nodiscard]] std::vector<frame_range> split_at_pauses(
    frame_range range, std::span<const float> levels_db);

/// From the first to the last frame that is at most 15 dB quieter than the loud ones; all frames if
/// there is none.
[[nodiscard]] frame_range loud_range(std::span<const float> levels_db);

/// Voice detection for each 10 ms frame. Music often counts as a voice. One thread; works inside
/// the jail after create().
class voice_activity {
public:
    /// `media_failed` when the library rejects its settings.
    static result<std::unique_ptr<voice_activity>> create();

    ~voice_activity();

    /// One entry for each whole frame. Calls are independent of each other.
    [[nodiscard]] std::vector<bool> detect(std::span<const std::int16_t> samples);

private:
    struct detector_free {
        void operator()(WebRtcVadInst* detector) const noexcept;
    };
    using detector_owner = std::unique_ptr<WebRtcVadInst, detector_free>;

    explicit voice_activity(detector_owner detector);

    detector_owner detector_;
};

struct voiced_sound {
    double gain = 1;                      ///< Raises the loud frames of the track to -20 dBFS.
    std::vector<frame_range> utterances;  ///< Ranges of it that may contain a voice.
};

/// `samples`: the whole track.
[[nodiscard]] voiced_sound find_voice(
    voice_activity& activity, std::span<const std::int16_t> samples);

/// Whether any part of `samples` may contain a voice.
[[nodiscard]] bool hears_voice(voice_activity& activity, std::span<const std::int16_t> samples);

}  // namespace reelsd::media::sound
