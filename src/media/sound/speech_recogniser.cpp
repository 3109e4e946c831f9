#include "speech_recogniser.hpp"

#include "level.hpp"
#include "narrow_band.hpp"
#include "sound.hpp"
#include "voice_detector.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace reelsd::media::sound {

namespace {

constexpr double loud_share = 0.9;
/// Below this mean posterior about half of the words were wrong.
constexpr double posterior_min = 0.45;
/// From here on no utterance was invented, and hardly one misheard.
constexpr double undoubted_posterior = 0.6;
constexpr double agreement_min = 0.3;
/// Where somebody speaks for certain elsewhere in the track, an utterance needs less.
constexpr double certain_agreement = 0.5;
constexpr std::size_t certain_words = 5;
constexpr double agreement_beside_speech_min = 0.2;
/// The second hearing is quicker and higher by so much: another speaker, as it were.
constexpr double second_speed = 1.0 / 0.95;
/// Between the loud and the quiet frames of an utterance. A voice alone has 33 and more, because it
/// pauses; over music 15 dB below it has about 20.
constexpr double alone_contrast_db = 30.0;
constexpr double quiet_share = 0.15;

double contrast_db(std::span<const std::int16_t> sound) {
    const std::vector<float> levels = frame_levels_db(sound);
    return static_cast<double>(
        level_at_share_db(levels, loud_share) - level_at_share_db(levels, quiet_share));
}

std::vector<std::int16_t> quickened(std::span<const std::int16_t> samples) {
    std::vector<std::int16_t> result;
    const auto size = static_cast<std::size_t>(static_cast<double>(samples.size()) / second_speed);
    result.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double at = static_cast<double>(i) * second_speed;
        const auto left = static_cast<std::size_t>(at);
        if (left + 1 >= samples.size()) break;
        const double part = at - static_cast<double>(left);
        const double value = samples[left] * (1.0 - part) + samples[left + 1] * part;
        result.push_back(static_cast<std::int16_t>(std::lround(value)));
    }
    return result;
}

bool is_certain(const utterance& utterance) {
    return utterance.plausible && utterance.agreement >= certain_agreement &&
           utterance.words.size() >= certain_words;
}

bool is_likely_beside_speech(const utterance& utterance) {
    return utterance.agreement >= agreement_beside_speech_min &&
           plausible_speech(utterance.words, utterance.end_seconds - utterance.start_seconds);
}

}  // namespace

speech_report to_report(std::span<const utterance> heard) {
    speech_report report;
    std::vector<transcript_word> all;
    const bool somebody_speaks = std::any_of(heard.begin(), heard.end(), is_certain);
    for (const utterance& utterance : heard) {
        const bool told =
            utterance.plausible || (somebody_speaks && is_likely_beside_speech(utterance));
        if (!told) continue;
        all.insert(all.end(), utterance.words.begin(), utterance.words.end());
    }
    report.segments = phrases(all);
    report.doubtful = !all.empty() && mean_posterior(all) < posterior_min;
    return report;
}

result<std::unique_ptr<speech_recogniser>> speech_recogniser::load(const std::string& model_dir) {
    auto voice = voice_activity::create();
    if (!voice) return voice.error();
    auto words = decoder::load(model_dir);
    if (!words) return words.error();
    auto loaded = std::make_unique<speech_recogniser>(std::move(*voice), std::move(*words));
    // Whatever the libraries do at their first use, they do now, while it is still allowed.
    const std::vector<std::int16_t> second(speech_rate_hz);
    const auto sound = conditioned(second, level_db_min);
    static_cast<void>(loaded->voice_->detect(sound));
    static_cast<void>(loaded->words_->decode(sound));
    return loaded;
}

speech_recogniser::speech_recogniser(
    std::unique_ptr<voice_activity> voice, std::unique_ptr<decoder> words)
    : voice_{std::move(voice)}, words_{std::move(words)} {}

/// Music makes the recogniser invent words, now and then as many as speech has. Invented ones
/// change when the sound changes a little; said ones stay. Of two hearings of speech the surer one
/// is the better.
void speech_recogniser::judge(utterance& utterance, std::span<const std::int16_t> sound) {
    utterance.plausible =
        plausible_speech(utterance.words, utterance.end_seconds - utterance.start_seconds);
    const double posterior = mean_posterior(utterance.words);
    if (!utterance.plausible || posterior > undoubted_posterior) return;
    auto again = words_->decode(quickened(sound));
    for (transcript_word& word : again) {
        word.start_seconds *= second_speed;
        word.end_seconds *= second_speed;
    }
    utterance.agreement = agreement(utterance.words, again);
    const bool alone = contrast_db(sound) > alone_contrast_db;
    utterance.plausible = alone || utterance.agreement > agreement_min;
    if (mean_posterior(again) > posterior) utterance.words = std::move(again);
}

std::vector<utterance> speech_recogniser::listen(std::span<const std::int16_t> samples) {
    std::vector<utterance> heard;
    const auto [sound, utterances] = find_voice(*voice_, samples);
    for (const frame_range range : utterances) {
        const double start = static_cast<double>(range.begin) * frame_seconds;
        const double end = static_cast<double>(range.end) * frame_seconds;
        utterance utterance;
        utterance.start_seconds = start;
        utterance.end_seconds = end;
        const auto part = std::span{sound}.subspan(
            range.begin * frame_samples, (range.end - range.begin) * frame_samples);
        utterance.words = words_->decode(part);
        judge(utterance, part);
        for (transcript_word& word : utterance.words) {
            word.start_seconds += start;
            word.end_seconds += start;
        }
        heard.push_back(std::move(utterance));
    }
    return heard;
}

}  // namespace reelsd::media::sound
