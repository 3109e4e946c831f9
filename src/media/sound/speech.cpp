#include "speech.hpp"

#include "sound.hpp"
#include "voice.hpp"
#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <pocketsphinx.h>
#include <sphinxbase/cmd_ln.h>
#include <sphinxbase/err.h>
#include <sphinxbase/logmath.h>
#include <sphinxbase/ngram_model.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

namespace reelsd::media::sound {
namespace {

constexpr double words_per_second_min = 1.5;
constexpr double long_words_per_second_min = 0.6;
constexpr std::size_t long_word_letters = 4;
/// From here on few words were wrong.
constexpr double certain_posterior = 0.6;
/// Measured: speech has 0.11 and more, thumps 0.07 and less.
constexpr double plausible_posterior = 0.1;
/// Repeated sounds become one word over and over: so many words, at most a third of them different.
constexpr std::size_t repeated_words_min = 5;
constexpr std::size_t repeats = 3;
constexpr double phrase_pause_seconds = 0.5;
/// Measured on 2,471 recognised words of 92 clips: below this level, 25 words were wrong and one
/// was right.
constexpr float unvoiced_db = -15.0F;
/// Half of a short vowel.
constexpr std::size_t voice_frames = 5;

std::vector<std::string_view> long_words(std::span<const transcript_word> words) {
    std::vector<std::string_view> result;
    for (const transcript_word& word : words) {
        if (word.text.size() >= long_word_letters) result.push_back(word.text);
    }
    return result;
}

struct decoder_closer {
    void operator()(ps_decoder_t* decoder) const { ps_free(decoder); }
};
struct options_closer {
    void operator()(cmd_ln_t* options) const { cmd_ln_free_r(options); }
};
struct logarithm_closer {
    void operator()(logmath_t* logarithm) const { logmath_free(logarithm); }
};
struct language_closer {
    void operator()(ngram_model_t* language) const { ngram_model_free(language); }
};
using decoder_handle = std::unique_ptr<ps_decoder_t, decoder_closer>;
using options_handle = std::unique_ptr<cmd_ln_t, options_closer>;
using logarithm_handle = std::unique_ptr<logmath_t, logarithm_closer>;
using language_handle = std::unique_ptr<ngram_model_t, language_closer>;

/// Pocketsphinx with its English model. One thread.
class decoder {
public:
    /// Reads all model files and opens none afterwards. `media_failed` names what is missing.
    static result<decoder> load(const std::string& model_dir);

    /// The words of one utterance of at most about 12 s, with times from its start, without
    /// fillers. `samples`: mono, 16 kHz, conditioned.
    std::vector<transcript_word> decode(std::span<const std::int16_t> samples) {
        std::vector<transcript_word> words;
        if (samples.empty() || ps_start_utt(handle_.get()) < 0) return words;
        // The whole utterance in one call, so that the cepstral means are its own.
        constexpr int search = 0;
        constexpr int whole_utterance = 1;
        const int frames =
            ps_process_raw(handle_.get(), samples.data(), samples.size(), search, whole_utterance);
        const int ended = ps_end_utt(handle_.get());
        if (frames < 0 || ended < 0) return words;
        logmath_t* const logarithm = ps_get_logmath(handle_.get());
        for (ps_seg_t* part = ps_seg_iter(handle_.get()); part != nullptr;
             part = ps_seg_next(part)) {
            std::string text = spoken_text(ps_seg_word(part));
            if (text.empty()) continue;
            int first = 0;
            int last = 0;
            ps_seg_frames(part, &first, &last);
            const int posterior = ps_seg_prob(part, nullptr, nullptr, nullptr);
            words.push_back(
                {.text = std::move(text),
                 .start_seconds = first * frame_seconds,
                 .end_seconds = (last + 1) * frame_seconds,
                 .posterior = logmath_exp(logarithm, posterior)});
        }
        return words;
    }

private:
    explicit decoder(decoder_handle handle) : handle_{std::move(handle)} {}

    decoder_handle handle_;
};

bool is_repetitive(std::span<const transcript_word> words) {
    std::set<std::string_view> different;
    for (const transcript_word& word : words) different.insert(word.text);
    return words.size() >= repeated_words_min && different.size() * repeats <= words.size();
}

/// A file without a name, with the dictionary's lines of words that the language model has: no
/// other word can be recognised, and the others would need 14 MiB.
unique_fd known_words(const std::string& dictionary, ngram_model_t* language) {
    std::ifstream lines{dictionary, std::ios::binary};
    std::string known;
    const auto unknown = ngram_unknown_wid(language);
    for (std::string line; std::getline(lines, line);) {
        // "word PHONE...", or "word(2) PHONE..." for another pronunciation.
        const std::string word = line.substr(0, line.find_first_of("( \t"));
        if (ngram_wid(language, word.c_str()) != unknown) known.append(line).append("\n");
    }
    unique_fd file{memfd_create("dictionary", MFD_CLOEXEC)};
    if (!file || write_all(file.get(), known) != known.size()) return {};
    return file;
}

options_handle parse_options(const std::string& model_dir) {
    // The parser takes writable strings and copies them.
    std::array<std::string, 9> values{
        "reelsd-media",
        "-hmm",
        model_dir + "/en-us",
        // A tenth of the default: the same errors, a quarter of the time, and an upper bound in
        // music. Measured: 2,000 adds a fifth to the errors.
        "-maxhmmpf",
        "3000",
        // Removing frames would shift word times.
        "-remove_silence",
        "no",
        "-remove_noise",
        "no"};
    std::array<char*, values.size()> arguments{};
    for (std::size_t i = 0; i < values.size(); ++i) arguments[i] = values[i].data();
    constexpr int strict = 1;
    return options_handle{cmd_ln_parse_r(
        nullptr, ps_args(), static_cast<int>(arguments.size()), arguments.data(), strict)};
}

result<decoder> decoder::load(const std::string& model_dir) {
    const std::string language_file = model_dir + "/en-us.lm.bin";
    const std::string dictionary = model_dir + "/cmudict-en-us.dict";
    for (const std::string& part : {model_dir + "/en-us/mdef", language_file, dictionary}) {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(part, ignored))
            return error{errc::media_failed, "speech model lacks " + part};
    }
    // The library's log is global and would go to standard error.
    err_set_logfp(nullptr);
    const options_handle options = parse_options(model_dir);
    if (options == nullptr) return error{errc::media_failed, "pocketsphinx rejects its options"};
    const error not_loaded{errc::media_failed, "cannot load the speech model"};
    const logarithm_handle logarithm{
        logmath_init(cmd_ln_float32_r(options.get(), "-logbase"), 0, 0)};
    const language_handle language{
        ngram_model_read(options.get(), language_file.c_str(), NGRAM_AUTO, logarithm.get())};
    if (language == nullptr) return not_loaded;
    const unique_fd words = known_words(dictionary, language.get());
    if (!words) return not_loaded;
    const std::string words_path = "/proc/self/fd/" + std::to_string(words.get());
    cmd_ln_set_str_r(options.get(), "-dict", words_path.c_str());
    decoder_handle handle{ps_init(options.get())};
    constexpr const char* search = "words";
    if (handle == nullptr || ps_set_lm(handle.get(), search, language.get()) != 0 ||
        ps_set_search(handle.get(), search) != 0) {
        return not_loaded;
    }
    return decoder{std::move(handle)};
}

/// Below this mean posterior about half of the words were wrong.
constexpr double posterior_min = 0.45;
/// Measured on 400 clips of beeps, sirens, noise and thumps and 150 of speech.
constexpr double tone_share_max = 0.9;
constexpr double agreement_min = 0.3;
/// When the track certainly contains speech elsewhere, an utterance needs less agreement.
constexpr double certain_agreement = 0.5;
constexpr std::size_t certain_words = 5;
constexpr double agreement_beside_speech_min = 0.2;
/// Speed of the second decoding, which sounds like another speaker.
constexpr double second_speed = 1.0 / 0.95;
/// Difference of the loud and the quiet frames of an utterance. A voice alone has 33 and more,
/// because it pauses; over music that is 15 dB quieter it has about 20.
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

voice_evidence evidence_of(const utterance& utterance, bool is_speech) {
    if (is_speech) return voice_evidence::recognized;
    return utterance.alone ? voice_evidence::alone : voice_evidence::possible;
}

std::size_t frame_at(double seconds) {
    return static_cast<std::size_t>(std::max(std::lround(seconds / frame_seconds), 0L));
}

/// Level of the loudest stretch of `voice_frames`, or of all frames if they are fewer.
float loudest_db(std::span<const float> levels_db) {
    const std::size_t length = std::min(voice_frames, levels_db.size());
    if (length == 0) return level_db_min;
    double most = 0;
    for (std::size_t at = 0; at + length <= levels_db.size(); ++at) {
        double power = 0;
        for (const float level : levels_db.subspan(at, length)) power += std::pow(10.0, level / 10);
        most = std::max(most, power);
    }
    return static_cast<float>(10 * std::log10(most / static_cast<double>(length)));
}

/// The pronoun "I" is the only word that is always a capital.
std::string written(std::string word) {
    if (word == "i" || word.starts_with("i'")) word.front() = 'I';
    return word;
}

}  // namespace

std::string spoken_text(std::string_view word) {
    if (word.empty() || word.front() == '<' || word.front() == '[' || word.front() == '+')
        return {};
    return ascii_lower(word.substr(0, word.find('(')));
}

bool plausible_speech(std::span<const transcript_word> words, double seconds) {
    if (seconds <= 0) return false;
    const double posterior = mean_posterior(words);
    if (posterior < plausible_posterior) return false;
    if (posterior <= certain_posterior && (words.size() < 2 || is_repetitive(words))) return false;
    return static_cast<double>(words.size()) >= words_per_second_min * seconds &&
           static_cast<double>(long_words(words).size()) >= long_words_per_second_min * seconds;
}

double mean_posterior(std::span<const transcript_word> words) {
    if (words.empty()) return 0;
    double sum = 0;
    for (const transcript_word& word : words) sum += word.posterior;
    return sum / static_cast<double>(words.size());
}

double agreement(std::span<const transcript_word> first, std::span<const transcript_word> second) {
    const auto left = long_words(first);
    const auto right = long_words(second);
    if (left.empty() || right.empty()) return 0;
    // common[j]: length of the longest common sequence so far with the first j words on the right.
    std::vector<std::size_t> common(right.size() + 1, 0);
    for (const std::string_view word : left) {
        std::size_t diagonal = 0;
        for (std::size_t j = 0; j < right.size(); ++j) {
            const std::size_t above = common[j + 1];
            common[j + 1] = word == right[j] ? diagonal + 1 : std::max(above, common[j]);
            diagonal = above;
        }
    }
    return static_cast<double>(common.back()) /
           static_cast<double>(std::max(left.size(), right.size()));
}

void remove_unvoiced_words(std::vector<transcript_word>& words, std::span<const float> levels_db) {
    const float least_db = level_at_share_db(levels_db, loud_share) + unvoiced_db;
    std::erase_if(words, [&](const transcript_word& word) {
        const auto begin = std::min(frame_at(word.start_seconds), levels_db.size());
        const auto end = std::clamp(frame_at(word.end_seconds), begin, levels_db.size());
        return loudest_db(levels_db.subspan(begin, end - begin)) < least_db;
    });
}

std::vector<timed_text> phrases(std::span<const transcript_word> words) {
    std::vector<timed_text> result;
    for (const transcript_word& word : words) {
        const bool continues = !result.empty() && word.start_seconds - result.back().end_seconds <=
                                                      phrase_pause_seconds;
        if (continues) {
            result.back().text += ' ' + written(word.text);
            result.back().end_seconds = word.end_seconds;
        } else {
            result.push_back({written(word.text), word.start_seconds, word.end_seconds});
        }
    }
    for (timed_text& phrase : result) {
        char& first = phrase.text.front();
        first = static_cast<char>(std::toupper(static_cast<unsigned char>(first)));
        if (phrase.text.back() != '.') phrase.text += '.';  // Abbreviations have one: "p.m."
    }
    return result;
}

speech_report to_report(std::span<const utterance> utterances) {
    speech_report report;
    std::vector<transcript_word> words;
    const bool has_speech = std::any_of(utterances.begin(), utterances.end(), is_certain);
    for (const utterance& utterance : utterances) {
        const bool is_speech =
            utterance.plausible || (has_speech && is_likely_beside_speech(utterance));
        report.voice.push_back(
            {utterance.start_seconds, utterance.end_seconds, evidence_of(utterance, is_speech)});
        if (!is_speech) continue;
        words.insert(words.end(), utterance.words.begin(), utterance.words.end());
    }
    report.segments = phrases(words);
    report.doubtful = !words.empty() && mean_posterior(words) < posterior_min;
    return report;
}

struct speech_recognizer::models {
    std::unique_ptr<voice_activity> voice;
    decoder words;
};

result<std::unique_ptr<speech_recognizer>> speech_recognizer::load(const std::string& model_dir) {
    auto voice = voice_activity::create();
    if (!voice) return voice.error();
    auto words = decoder::load(model_dir);
    if (!words) return words.error();
    // The library's lazy initialisation happens now, before the jail is sealed.
    static_cast<void>(
        words->decode(conditioned(std::vector<std::int16_t>(speech_rate_hz / 4), level_db_min)));
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
    const auto [sound, ranges] = find_voice(*models_->voice, samples);
    for (const frame_range range : ranges) {
        utterance next;
        next.start_seconds = static_cast<double>(range.begin) * frame_seconds;
        next.end_seconds = static_cast<double>(range.end) * frame_seconds;
        const auto part = std::span{sound}.subspan(
            range.begin * frame_samples, (range.end - range.begin) * frame_samples);
        if (tone_share(part) <= tone_share_max) recognize_words(next, part);
        utterances.push_back(std::move(next));
    }
    return utterances;
}

void speech_recognizer::recognize_words(utterance& utterance, std::span<const std::int16_t> sound) {
    utterance.words = models_->words.decode(sound);
    check(utterance, sound);
    remove_unvoiced_words(utterance.words, frame_levels_db(sound));
    for (transcript_word& word : utterance.words) {
        word.start_seconds += utterance.start_seconds;
        word.end_seconds += utterance.start_seconds;
    }
}

/// In music the recogniser invents words, sometimes as many as in speech. Invented words change
/// when the sound changes a little; spoken ones do not. Of two decodings of speech the one with the
/// higher posterior is kept.
void speech_recognizer::check(utterance& utterance, std::span<const std::int16_t> sound) {
    utterance.alone = contrast_db(sound) > alone_contrast_db;
    const double seconds = utterance.end_seconds - utterance.start_seconds;
    utterance.plausible = plausible_speech(utterance.words, seconds);
    const double posterior = mean_posterior(utterance.words);
    if (!utterance.plausible || posterior > certain_posterior) return;
    auto again = models_->words.decode(quickened(sound));
    for (transcript_word& word : again) {
        word.start_seconds *= second_speed;
        word.end_seconds *= second_speed;
    }
    utterance.agreement = agreement(utterance.words, again);
    if (mean_posterior(again) > posterior) utterance.words = std::move(again);
    utterance.plausible = plausible_speech(utterance.words, seconds) &&
                          (utterance.alone || utterance.agreement > agreement_min);
}

}  // namespace reelsd::media::sound
