#include "speech.hpp"

#include "sound.hpp"
#include "voice.hpp"
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::media::sound {
namespace {

// Natural logarithms of probabilities. They were chosen on 640 clips of tones, noise and music, 332
// clips of English and 15 of other languages, like those of tests/bench/sound_eval.py. Of 1,484
// ranges without a voice, the model expected speech in one.
constexpr double no_speech_max = -1.0;
/// For one or two words, which resemble single sounds.
constexpr double no_speech_of_few_words_max = -1.5;
constexpr double probable_text = -0.5;
/// For speech in noise, in which the model expects none. Its text must be more probable and longer.
constexpr double certain_text = -0.45;
constexpr std::size_t certain_words_min = 5;
constexpr double words_per_second_min = 1.5;
/// Above this mean, nine of ten words are right.
constexpr double doubtful_text = -0.35;
/// The model is in a loop if at most a third of so many words are different.
constexpr std::size_t repeated_words_min = 5;
constexpr std::size_t repeats_max = 3;
/// A shorter range may be a cough.
constexpr double unknown_seconds_min = 1.0;
constexpr std::string_view note = "\u266a";

/// Measured on 400 clips of beeps, sirens, noise and thumps and 150 of speech.
constexpr double tone_share_max = 0.9;
/// Difference of the loud and the quiet frames of an utterance. A voice alone has 33 and more,
/// because it pauses; over music that is 15 dB quieter it has about 20.
constexpr double alone_contrast_db = 30.0;
constexpr double quiet_share = 0.15;

bool is_letter(char byte) {
    const auto unsigned_byte = static_cast<unsigned char>(byte);
    return std::isalnum(unsigned_byte) != 0 || byte == '\'' || unsigned_byte >= 0x80;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    bool in_word = false;
    for (const char byte : text) {
        if (is_letter(byte)) {
            if (!in_word) words.emplace_back();
            words.back() += ascii_lower(byte);
        }
        in_word = is_letter(byte);
    }
    return words;
}

bool is_sung(const decoding& heard) {
    return heard.text.find(note) != std::string::npos;
}

bool is_sung_or_repeated(const utterance& utterance, std::span<const std::string> words) {
    if (is_sung(utterance.heard)) return true;
    const std::set<std::string> different{words.begin(), words.end()};
    const bool is_long = words.size() >= repeated_words_min || !utterance.heard.ended;
    return is_long && different.size() * repeats_max <= words.size();
}

double seconds_of(const utterance& utterance) {
    return utterance.end_seconds - utterance.start_seconds;
}

bool expects_speech(const decoding& heard) {
    return heard.no_speech_log_probability < no_speech_max;
}

/// Whether someone speaks in the range, with words that the model does not know.
bool is_unknown_speech(const utterance& utterance) {
    return expects_speech(utterance.heard) && !is_speech(utterance) && !is_sung(utterance.heard) &&
           seconds_of(utterance) >= unknown_seconds_min;
}

voice_evidence evidence_of(const utterance& utterance) {
    if (is_speech(utterance)) return voice_evidence::recognized;
    return utterance.alone ? voice_evidence::alone : voice_evidence::possible;
}

/// Includes the passages before and after the loud part.
voice_span span_of(const utterance& utterance) {
    voice_span span{utterance.start_seconds, utterance.end_seconds, evidence_of(utterance)};
    if (utterance.passages.empty()) return span;
    span.start_seconds = std::min(span.start_seconds, utterance.passages.front().start_seconds);
    span.end_seconds = std::max(span.end_seconds, utterance.passages.back().end_seconds);
    return span;
}

double contrast_db(std::span<const float> levels) {
    return static_cast<double>(
        level_at_share_db(levels, loud_share) - level_at_share_db(levels, quiet_share));
}

std::vector<std::string> space_separated(std::string_view text) {
    std::vector<std::string> words;
    while (!(text = trimmed(text)).empty()) {
        const auto end = std::min(text.find(' '), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

/// Whether `text` ends with the mark of a sentence: not with "Mr.", "U.S." or an initial.
bool ends_sentence(std::string_view text) {
    const auto last = text.find_last_not_of("\"')");
    if (last == std::string_view::npos || last < 2) return false;
    const bool is_mark = std::string_view{".!?"}.find(text[last]) != std::string_view::npos;
    return is_mark && is_letter(text[last - 1]) && is_letter(text[last - 2]) &&
           !ends_with_abbreviation(text.substr(0, last + 1));
}

/// Where the first sentence of `text` ends, one past its mark.
std::size_t sentence_end(std::string_view text) {
    for (auto at = text.find(' '); at != std::string_view::npos; at = text.find(' ', at + 1)) {
        if (ends_sentence(text.substr(0, at))) return at;
    }
    return text.size();
}

char upper(char letter) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
}

/// "i", "i'm", "i,".
bool is_pronoun_i(std::string_view word) {
    return word.front() == 'i' && (word.size() == 1 || !is_alphanumeric(word[1]));
}

std::string joined(std::span<const std::string> words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// Aligns two texts with the fewest changes of words. The result has, for each number of words at
/// the start of `left`, the number of words at the start of `right` that they correspond to.
std::vector<std::size_t> aligned(
    std::span<const std::string> left, std::span<const std::string> right) {
    const std::size_t width = right.size() + 1;
    std::vector<std::size_t> changes((left.size() + 1) * width);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
        return changes[i * width + j];
    };
    const auto differ = [&](std::size_t i, std::size_t j) -> std::size_t {
        return words_of(left[i - 1]) == words_of(right[j - 1]) ? 0 : 1;
    };
    for (std::size_t j = 0; j <= right.size(); ++j) at(0, j) = j;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        at(i, 0) = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            at(i, j) =
                std::min({at(i - 1, j - 1) + differ(i, j), at(i - 1, j) + 1, at(i, j - 1) + 1});
        }
    }
    std::vector<std::size_t> matches(left.size() + 1);
    std::size_t j = right.size();
    for (std::size_t i = left.size(); i > 0; --i) {
        matches[i] = j;
        while (j > 0 && at(i, j) == at(i, j - 1) + 1) --j;
        if (j > 0 && at(i, j) == at(i - 1, j - 1) + differ(i, j)) --j;
    }
    return matches;
}

std::vector<float> scaled(std::span<const std::int16_t> samples, double gain) {
    constexpr double full_scale = 32768.0;
    std::vector<float> values;
    values.reserve(samples.size());
    for (const std::int16_t sample : samples) {
        const double value = static_cast<double>(sample) * gain / full_scale;
        values.push_back(static_cast<float>(std::clamp(value, -1.0, 1.0)));
    }
    return values;
}

}  // namespace

bool is_speech(const utterance& utterance) {
    const decoding& heard = utterance.heard;
    const auto words = words_of(heard.text);
    if (words.empty() || is_sung_or_repeated(utterance, words)) return false;
    if (expects_speech(heard) && heard.log_probability > probable_text) {
        constexpr std::size_t few_words = 2;
        return words.size() > few_words ||
               heard.no_speech_log_probability < no_speech_of_few_words_max;
    }
    return heard.log_probability > certain_text && words.size() >= certain_words_min &&
           static_cast<double>(words.size()) >= words_per_second_min * seconds_of(utterance);
}

std::string as_sentences(const decoding& heard) {
    std::string text;
    bool begins = true;
    for (std::string& word : space_separated(heard.text)) {
        if (begins || is_pronoun_i(word)) word.front() = upper(word.front());
        text += (text.empty() ? "" : " ") + word;
        begins = ends_sentence(text);
    }
    while (!text.empty() && std::string_view{" ,;:-"}.find(text.back()) != std::string::npos)
        text.pop_back();
    if (heard.ended && !text.empty() && is_letter(text.back())) text += '.';
    return text;
}

std::vector<timed_text> divide(std::string_view text, std::span<const utterance> parts) {
    const auto words = space_separated(text);
    std::vector<std::string> parts_words;
    std::vector<std::size_t> ends;
    for (const utterance& part : parts) {
        for (std::string& word : space_separated(part.heard.text))
            parts_words.push_back(std::move(word));
        ends.push_back(parts_words.size());
    }
    const auto matches = aligned(parts_words, words);
    std::vector<timed_text> passages;
    std::size_t from = 0;
    bool begins = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t end = i + 1 < parts.size() ? matches[ends[i]] : words.size();
        if (from >= end) continue;
        std::string passage = joined(std::span{words}.subspan(from, end - from));
        from = end;
        if (begins) passage.front() = upper(passage.front());
        // The network often leaves out the full stop before a pause, but seldom a comma.
        begins = from < words.size() && is_letter(passage.back());
        if (begins) passage += '.';
        passages.push_back({std::move(passage), parts[i].start_seconds, parts[i].end_seconds});
    }
    return passages;
}

std::vector<timed_text> sentences(std::span<const timed_text> passages) {
    std::vector<timed_text> result;
    bool is_open = false;
    for (const timed_text& passage : passages) {
        const std::string_view text = passage.text;
        const double seconds_per_byte =
            (passage.end_seconds - passage.start_seconds) / static_cast<double>(text.size());
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t end = from + sentence_end(text.substr(from));
            const std::string piece{trimmed(text.substr(from, end - from))};
            const auto time_at = [&](std::size_t at) {
                return passage.start_seconds + seconds_per_byte * static_cast<double>(at);
            };
            if (is_open) {
                result.back().text += ' ' + piece;
                result.back().end_seconds = time_at(end);
            } else {
                result.push_back({piece, time_at(from), time_at(end)});
            }
            is_open = !ends_sentence(piece);
            from = end;
        }
    }
    return result;
}

speech_report to_report(std::span<const utterance> utterances) {
    speech_report report;
    double known_seconds = 0;
    double unknown_seconds = 0;
    double log_probability = 0;
    for (const utterance& utterance : utterances) {
        const double seconds = seconds_of(utterance);
        report.voice.push_back(span_of(utterance));
        if (is_unknown_speech(utterance)) unknown_seconds += seconds;
        if (!is_speech(utterance)) continue;
        known_seconds += seconds;
        log_probability += utterance.heard.log_probability * seconds;
        std::ranges::move(sentences(utterance.passages), std::back_inserter(report.segments));
    }
    report.doubtful =
        unknown_seconds > known_seconds || log_probability < doubtful_text * known_seconds;
    return report;
}

struct speech_recognizer::models {
    std::unique_ptr<voice_activity> voice;
    speech_model words;
};

result<std::unique_ptr<speech_recognizer>> speech_recognizer::load(const std::string& models_dir) {
    auto voice = voice_activity::create();
    if (!voice) return voice.error();
    auto words = speech_model::load(models_dir);
    if (!words) return words.error();
    return std::unique_ptr<speech_recognizer>{new speech_recognizer{
        std::make_unique<models>(models{std::move(*voice), std::move(*words)})}};
}

speech_recognizer::speech_recognizer(std::unique_ptr<models> loaded) : models_{std::move(loaded)} {}

speech_recognizer::~speech_recognizer() = default;

speech_report speech_recognizer::recognize(std::span<const std::int16_t> samples) {
    if (is_silent(samples)) return {};
    return to_report(listen(samples));
}

std::vector<utterance> speech_recognizer::listen(std::span<const std::int16_t> samples) {
    std::vector<utterance> utterances;
    const auto sound = find_voice(*models_->voice, samples);
    const auto levels = frame_levels_db(samples);
    for (const frame_range range : sound.utterances) {
        utterance whole = hear(range, sound, samples);
        const auto pauses = split_at_pauses(range, levels);
        if (pauses.size() == 1 || whole.heard.text.empty()) {
            utterances.push_back(std::move(whole));
            continue;
        }
        // The whole utterance gives better words, and its parts give their times.
        std::vector<utterance> parts;
        parts.reserve(pauses.size());
        for (const frame_range part : pauses) parts.push_back(hear(part, sound, samples));
        if (is_speech(whole)) {
            whole.passages = divide(as_sentences(whole.heard), parts);
            utterances.push_back(std::move(whole));
        } else {
            std::ranges::move(parts, std::back_inserter(utterances));
        }
    }
    return utterances;
}

/// The gain of the track fits its loudest parts, or its noise if speech is rare. It would distort a
/// louder range.
utterance speech_recognizer::hear(
    frame_range range, const voiced_sound& sound, std::span<const std::int16_t> samples) {
    const auto part =
        samples.subspan(range.begin * frame_samples, (range.end - range.begin) * frame_samples);
    const auto levels = frame_levels_db(part);
    const frame_range loud = loud_range(levels);
    utterance heard;
    heard.start_seconds = static_cast<double>(range.begin + loud.begin) * frame_seconds;
    heard.end_seconds = static_cast<double>(range.begin + loud.end) * frame_seconds;
    heard.alone = contrast_db(levels) > alone_contrast_db;
    if (tone_share(part) <= tone_share_max) {
        auto values =
            scaled(part, std::min(sound.gain, gain_of(level_at_share_db(levels, loud_share))));
        heard.heard = models_->words.decode(values);
    }
    heard.passages = {{as_sentences(heard.heard), heard.start_seconds, heard.end_seconds}};
    return heard;
}

}  // namespace reelsd::media::sound
