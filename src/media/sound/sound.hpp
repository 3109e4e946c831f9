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

struct utterance;

/// Recognises English speech. One thread. After `load` it opens no file, starts no thread and makes
/// no system call beyond memory: it works inside the jail.
class speech_recognizer {
public:
    /// Loads pocketsphinx's English model from `model_dir` (which contains `en-us/`,
    /// `en-us.lm.bin` and `cmudict-en-us.dict`); `media_failed` names what is missing.
    static result<std::unique_ptr<speech_recognizer>> load(const std::string& model_dir);

    ~speech_recognizer();

    /// `samples`: the whole track, mono, 16 kHz. No segments without speech; words are never
    /// invented.
    speech_report recognize(std::span<const std::int16_t> samples);

    /// All utterances with their words, before recognize() drops those that are not plausible.
    [[nodiscard]] std::vector<utterance> listen(std::span<const std::int16_t> samples);

private:
    struct models;

    explicit speech_recognizer(std::unique_ptr<models> loaded);
    void recognize_words(utterance& utterance, std::span<const std::int16_t> sound);
    void check(utterance& utterance, std::span<const std::int16_t> sound);

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
