#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace reelsd::media::sound {

inline constexpr int speech_rate_hz = 16'000;
inline constexpr int music_rate_hz = 11'025;

struct frame_range;
struct utterance;
struct voiced_sound;

/// Recognises English speech. One thread. After `load` it opens no file, starts no thread and makes
/// no system call beyond memory: it works inside the jail.
class speech_recognizer {
public:
    /// Loads the network from `models_dir`, see speech_model; `media_failed` names what is missing.
    static result<std::unique_ptr<speech_recognizer>> load(const std::string& models_dir);

    ~speech_recognizer();

    /// `samples`: the whole track, mono, 16 kHz. No segments without speech; words are never
    /// invented. Throws neural_failure.
    speech_report recognize(std::span<const std::int16_t> samples);

    /// What is heard in each range that may contain a voice, before recognize() drops what is not
    /// speech.
    [[nodiscard]] std::vector<utterance> listen(std::span<const std::int16_t> samples);

private:
    struct models;

    explicit speech_recognizer(std::unique_ptr<models> loaded);
    utterance hear(
        frame_range range, const voiced_sound& sound, std::span<const std::int16_t> samples);

    std::unique_ptr<models> models_;
};

/// `samples`: the whole track, mono, 11,025 Hz, -1 to 1. `speech`: its recognised speech.
[[nodiscard]] music_report detect_music(
    std::span<const float> samples, std::span<const timed_text> speech);

/// Whether nothing is above the noise floor. `samples`: mono, 16 kHz.
[[nodiscard]] bool is_silent(std::span<const std::int16_t> samples);

/// Ranges of at least `report_bounds::silence_seconds_min` without anything above the noise floor,
/// by time, at most `report_bounds::silences_max`. `samples`: the whole track, mono, 16 kHz; what
/// follows it until `duration_seconds` is silent.
[[nodiscard]] std::vector<time_range> find_silences(
    std::span<const std::int16_t> samples, double duration_seconds);

}  // namespace reelsd::media::sound
