#pragma once

#include <reelsd/base/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace webrtc {
class AudioProcessing;
}

namespace reelsd::media::sound {

/// Says for each 10 ms whether it may hold a voice. Generous: music often passes. One thread.
class voice_activity {
public:
    /// `media_failed` when the library refuses its settings.
    static result<std::unique_ptr<voice_activity>> create();

    ~voice_activity();
    voice_activity(const voice_activity&) = delete;
    voice_activity& operator=(const voice_activity&) = delete;

    /// `samples`: mono, 16 kHz. One answer for each whole frame; each call starts afresh.
    [[nodiscard]] std::vector<bool> detect(std::span<const std::int16_t> samples);

private:
    explicit voice_activity(std::unique_ptr<webrtc::AudioProcessing> processing);

    std::unique_ptr<webrtc::AudioProcessing> processing_;
};

}  // namespace reelsd::media::sound
