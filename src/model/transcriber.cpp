#include <reelsd/model/transcriber.hpp>

namespace reelsd::model {

result<transcript> local_transcriber::transcribe(
    const video_input& /*video*/, const media::audio_report& heard, call_ledger& /*calls*/,
    const deadline& /*by*/, const std::stop_token& /*stop*/) const {
    return built_in_transcript(heard.speech);
}

transcript built_in_transcript(const media::speech_report& speech) {
    transcript spoken{
        .segments = speech.segments,
        .words = {},
        .language = std::nullopt,
        .warnings = {},
        .is_built_in = true};
    // The recogniser knows only English: recognised speech is English.
    if (!speech.segments.empty()) spoken.language = "en";
    return spoken;
}

std::string transcriber_suffix(std::string_view transcriber_name) {
    if (transcriber_name == local_transcriber{}.name()) return {};
    return "/" + std::string{transcriber_name};
}

}  // namespace reelsd::model
