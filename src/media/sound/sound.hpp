#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace reelsd::media::sound {

inline constexpr int speech_rate_hz = 16'000;
inline constexpr int music_rate_hz = 11'025;

/// Hears English speech. One thread. After `load` it opens no file, starts no thread and makes no
/// system call beyond memory: it works inside the jail.
class speech_recognizer {
public:
    /// Loads pocketsphinx's English model from `model_dir` (holds `en-us/`, `en-us.lm.bin` and
    /// `cmudict-en-us.dict`); `media_failed` names what is missing.
    static result<std::unique_ptr<speech_recognizer>> load(const std::string& model_dir);

    virtual ~speech_recognizer() = default;

    /// `samples`: the whole track, mono, 16 kHz. No segments when nobody speaks: never an invented
    /// word.
    virtual speech_report recognize(std::span<const std::int16_t> samples) = 0;
};

/// Tells whether anybody may speak, without recognising a word. One thread; works inside the jail,
/// as the recogniser.
class voice_detector {
public:
    /// `media_failed` when the library refuses its settings.
    static result<std::unique_ptr<voice_detector>> load();

    virtual ~voice_detector() = default;

    /// Whether `speech_recognizer` would listen to any part of it. `samples`: as there. Music often
    /// passes.
    virtual bool hears_voice(std::span<const std::int16_t> samples) = 0;
};

/// `samples`: the whole track, mono, 11,025 Hz, -1 to 1. `speech` tells whether music runs under
/// it.
[[nodiscard]] music_report detect_music(
    std::span<const float> samples, std::span<const timed_text> speech);

/// Nothing above the noise floor. `samples`: mono, 16 kHz.
[[nodiscard]] bool is_silent(std::span<const std::int16_t> samples);

}  // namespace reelsd::media::sound
