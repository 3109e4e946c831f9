#include "listener.hpp"

#include "level.hpp"
#include "utterances.hpp"

#include <utility>

namespace reelsd::media::sound {

namespace {

constexpr double loud_share = 0.9;
/// Below this mean posterior about half of the words were wrong.
constexpr double posterior_min = 0.45;

}  // namespace

speech_report to_report(std::span<const heard_utterance> heard) {
    speech_report report;
    std::vector<heard_word> all;
    for (const heard_utterance& utterance : heard) {
        if (!utterance.plausible) continue;
        all.insert(all.end(), utterance.words.begin(), utterance.words.end());
    }
    report.segments = phrases(all);
    report.doubtful = !all.empty() && mean_posterior(all) < posterior_min;
    return report;
}

result<std::unique_ptr<listener>> listener::load(const std::string& model_dir) {
    auto voice = voice_activity::create();
    if (!voice) return voice.error();
    auto words = decoder::load(model_dir);
    if (!words) return words.error();
    return std::make_unique<listener>(std::move(*voice), std::move(*words));
}

listener::listener(std::unique_ptr<voice_activity> voice, std::unique_ptr<decoder> words)
    : voice_{std::move(voice)}, words_{std::move(words)} {}

std::vector<heard_utterance> listener::listen(std::span<const std::int16_t> samples) {
    std::vector<heard_utterance> heard;
    const std::vector<float> levels = frame_levels_db(samples);
    const auto sound = conditioned(samples, level_at_share_db(levels, loud_share));
    for (const frame_range range : find_utterances(voice_->detect(sound), levels)) {
        const double start = static_cast<double>(range.begin) * frame_seconds;
        const double end = static_cast<double>(range.end) * frame_seconds;
        heard_utterance utterance;
        utterance.start_seconds = start;
        utterance.end_seconds = end;
        utterance.words = words_->decode(std::span{sound}.subspan(
            range.begin * frame_samples, (range.end - range.begin) * frame_samples));
        for (heard_word& word : utterance.words) {
            word.start_seconds += start;
            word.end_seconds += start;
        }
        utterance.plausible = plausible_speech(utterance.words, end - start);
        heard.push_back(std::move(utterance));
    }
    return heard;
}

}  // namespace reelsd::media::sound
