#include "voice_detector.hpp"

#include "level.hpp"
#include "narrow_band.hpp"
#include "sound.hpp"

#include <utility>

namespace reelsd::media::sound {
namespace {

constexpr double loud_share = 0.9;

class listening_detector final : public voice_detector {
public:
    explicit listening_detector(std::unique_ptr<voice_activity> voice) : voice_{std::move(voice)} {}

    bool hears_voice(std::span<const std::int16_t> samples) override {
        return !is_silent(samples) && !find_voice(*voice_, samples).utterances.empty();
    }

private:
    std::unique_ptr<voice_activity> voice_;
};

}  // namespace

voiced_sound find_voice(voice_activity& voice, std::span<const std::int16_t> samples) {
    const std::vector<float> levels = frame_levels_db(samples);
    voiced_sound found{
        .conditioned = conditioned(samples, level_at_share_db(levels, loud_share)),
        .utterances = {}};
    widen_narrow_band(found.conditioned);
    found.utterances = find_utterances(voice.detect(found.conditioned), levels);
    return found;
}

result<std::unique_ptr<voice_detector>> voice_detector::load() {
    auto voice = voice_activity::create();
    if (!voice) return voice.error();
    // Whatever the library does at its first use, it does now, while it is still allowed.
    static_cast<void>((*voice)->detect(std::vector<std::int16_t>(speech_rate_hz)));
    return std::make_unique<listening_detector>(std::move(*voice));
}

}  // namespace reelsd::media::sound
