#include "voice_activity.hpp"

#include "level.hpp"
#include "sound.hpp"

#include <webrtc/modules/audio_processing/include/audio_processing.h>
#include <webrtc/modules/interface/module_common_types.h>

#include <algorithm>

namespace reelsd::media::sound {

result<std::unique_ptr<voice_activity>> voice_activity::create() {
    std::unique_ptr<webrtc::AudioProcessing> processing{webrtc::AudioProcessing::Create()};
    if (processing == nullptr) return error{errc::media_failed, "no voice detector"};
    webrtc::VoiceDetection& detection = *processing->voice_detection();
    const bool accepted = detection.Enable(true) == webrtc::AudioProcessing::kNoError &&
                          detection.set_likelihood(webrtc::VoiceDetection::kModerateLikelihood) ==
                              webrtc::AudioProcessing::kNoError;
    if (!accepted) return error{errc::media_failed, "the voice detector refuses its settings"};
    return std::unique_ptr<voice_activity>{new voice_activity{std::move(processing)}};
}

voice_activity::voice_activity(std::unique_ptr<webrtc::AudioProcessing> processing)
    : processing_{std::move(processing)} {}

voice_activity::~voice_activity() = default;

std::vector<bool> voice_activity::detect(std::span<const std::int16_t> samples) {
    std::vector<bool> voiced;
    voiced.reserve(samples.size() / frame_samples);
    if (processing_->Initialize() != webrtc::AudioProcessing::kNoError) return voiced;
    webrtc::AudioFrame frame;
    frame.sample_rate_hz_ = speech_rate_hz;
    frame.samples_per_channel_ = frame_samples;
    frame.num_channels_ = 1;
    for (std::size_t at = 0; at + frame_samples <= samples.size(); at += frame_samples) {
        const auto part = samples.subspan(at, frame_samples);
        std::copy(part.begin(), part.end(), static_cast<std::int16_t*>(frame.data_));
        const bool processed =
            processing_->ProcessStream(&frame) == webrtc::AudioProcessing::kNoError;
        voiced.push_back(processed && processing_->voice_detection()->stream_has_voice());
    }
    return voiced;
}

}  // namespace reelsd::media::sound
