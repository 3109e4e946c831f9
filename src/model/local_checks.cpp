#include "local_checks.hpp"

#include "answer/answer_values.hpp"
#include "answer/repetition.hpp"
#include "clean_text.hpp"
#include "words.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/model/local_analyzer.hpp>

#include <cld2/public/compact_lang_det.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>  // FILE, for compact_lang_det.h.
#include <set>

namespace reelsd::model {

namespace {

// Auctioneers reach 7 words a second for a while, but not over a whole reel.
constexpr double words_per_second_max = 6;
// The first seconds of a short video may contain everything, and few entries prove nothing.
constexpr double early_duration_seconds_min = 20;
constexpr std::size_t early_entries_min = 5;
constexpr double early_part = 0.1;

class checker {
public:
    checker(const findings& reported, const local_evidence& measured)
        : reported_{reported}, measured_{measured} {}

    std::vector<std::string> run() {
        check_length();
        check_sound();
        check_speech();
        check_times();
        check_language();
        if (measured_.read_texts) add(unseen_texts(reported_, *measured_.read_texts));
        return std::move(warnings_);
    }

private:
    void warn_if(bool condition, std::string_view warning) {
        if (condition) warnings_.emplace_back(warning);
    }

    void add(const std::vector<std::string>& warnings) {
        warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
    }

    void check_length() {
        const auto read = measured_.duration_seconds;
        const auto missing = measured_.missing_seconds;
        if (missing <= 0) return;
        warnings_.push_back(
            fmt::format("only the first {:.1f} of {:.1f} s could be read", read, read + missing));
    }

    void check_sound() {
        const bool transcript = !reported_.audio.segments.empty();
        const bool music = reported_.audio.has_music;
        if (!measured_.audio_track) {
            warn_if(transcript, "there is no audio track but a transcript was given");
            warn_if(!transcript, "the video has no audio track");
            warn_if(music, "there is no audio track but music was reported");
        } else if (!measured_.undecodable_codec.empty()) {
            const auto& codec = measured_.undecodable_codec;
            warnings_.push_back("the sound (" + codec + ") cannot be decoded");
        } else if (measured_.silent.value_or(false)) {
            warn_if(transcript, "audio is silent but a transcript was given");
            warn_if(!transcript, "audio is silent");
            warn_if(music, "audio is silent but music was reported");
        } else {
            warn_if(
                music && !measured_.music.value_or(true),
                "music was reported but none was measured");
            warn_if(
                !music && measured_.music.value_or(false),
                "music was measured but none was reported");
            warn_if(
                transcript && !measured_.speech.value_or(true),
                "speech was reported but no voice was heard");
        }
    }

    void check_speech() {
        const auto& segments = reported_.audio.segments;
        // The confidence of another recogniser says nothing about this transcript.
        warn_if(
            reported_.provider == local_provider && measured_.speech_doubtful.value_or(false),
            doubtful_speech_warning);
        if (segments.empty()) return;
        const auto words = static_cast<double>(words_of(transcript_of(segments)).size());
        warn_if(
            words > words_per_second_max * std::max(measured_.duration_seconds, 1.0),
            "the transcript has more words than can be spoken in the time");
        std::size_t repeats = 1;
        std::size_t repeats_most = 1;
        for (std::size_t at = 1; at < segments.size(); ++at) {
            repeats = segments[at].text == segments[at - 1].text ? repeats + 1 : 1;
            repeats_most = std::max(repeats, repeats_most);
        }
        warn_if(repeats_most > repeats_max, "the transcript repeats itself");
    }

    [[nodiscard]] std::vector<double> reported_times() const {
        std::vector<double> times;
        for (const auto* const entries : {&reported_.visual.texts, &reported_.audio.segments}) {
            for (const auto& entry : *entries) {
                times.insert(times.end(), {entry.start_seconds, entry.end_seconds});
            }
        }
        for (const auto& moment : reported_.content.key_moments) times.push_back(moment.seconds);
        return times;
    }

    void check_times() {
        const auto duration = measured_.duration_seconds;
        const auto times = reported_times();
        const auto far = std::ranges::count_if(
            times, [=](double seconds) { return is_far_past_end(seconds, duration); });
        const auto latest = times.empty() ? 0 : *std::ranges::max_element(times);
        warn_if(!fits_within(latest, duration), times_moved_warning);
        warn_if(far >= far_times_min, far_times_warning);

        // The local analyzer reads every frame.
        if (reported_.provider == local_provider || duration < early_duration_seconds_min) return;
        const auto entries = reported_.visual.texts.size() + reported_.audio.segments.size() +
                             reported_.content.key_moments.size();
        warn_if(
            latest <= duration * early_part && entries >= early_entries_min,
            "everything reported is in the first tenth of the video: the rest may not have "
            "been analysed");
    }

    void check_language() {
        const auto& audio = reported_.audio;
        if (!audio.language || audio.segments.empty()) return;
        const auto objection = language_objection(transcript_of(audio.segments), *audio.language);
        warn_if(!objection.empty(), objection);
    }

    const findings& reported_;
    const local_evidence& measured_;
    std::vector<std::string> warnings_;
};

// Models report times to about a second.
constexpr double heard_seconds_tolerated = 1;
static_assert(2 * heard_seconds_tolerated <= media::report_bounds::silence_seconds_min);

/// Whether a silence contains the segment and the tolerance around it. Nothing is known about times
/// outside of the video.
bool is_unheard(const timed_text& segment, const local_evidence& measured) {
    const auto duration = measured.duration_seconds;
    return std::ranges::any_of(measured.silences, [&](const media::time_range& silence) {
        const auto earliest =
            silence.start_seconds > 0 ? silence.start_seconds + heard_seconds_tolerated : 0;
        const bool is_last = silence.end_seconds >= duration;
        const auto latest = is_last ? duration + heard_seconds_tolerated
                                    : silence.end_seconds - heard_seconds_tolerated;
        return segment.start_seconds >= earliest && segment.end_seconds <= latest;
    });
}

// Each frame costs a decode and an OCR run, about half a second together.
constexpr std::size_t times_max = 8;
constexpr std::ptrdiff_t word_letters_min = 4;
// The start of a long text is enough to recognise it.
constexpr std::size_t words_compared_max = 20;
constexpr std::size_t texts_named_max = 3;
constexpr std::size_t quoted_words_max = 6;
constexpr std::size_t quoted_characters_max = 60;

/// A reported text that OCR should be able to read.
struct readable_text {
    const timed_text* text = nullptr;
    std::vector<std::string> words;  ///< Those to look for, folded.
    std::size_t letters = 0;         ///< Letters of these words.
};

std::vector<readable_text> readable_texts(const findings& reported) {
    std::vector<readable_text> texts;
    for (const auto& text : reported.visual.texts) {
        if (!std::isfinite(text.start_seconds) || !std::isfinite(text.end_seconds)) continue;
        if (!is_mostly_latin(text.text)) continue;
        readable_text readable{.text = &text, .words = folded_words_of(text.text)};
        std::erase_if(readable.words, [](const std::string& word) {
            return std::ranges::count_if(word, is_alpha) < word_letters_min;
        });
        if (readable.words.empty()) continue;
        readable.words.resize(std::min(readable.words.size(), words_compared_max));
        for (const auto& word : readable.words) readable.letters += word.size();
        texts.push_back(std::move(readable));
    }
    return texts;
}

bool covers(const timed_text& text, const std::vector<double>& times) {
    return std::ranges::any_of(times, [&text](double seconds) {
        return seconds >= text.start_seconds && seconds <= text.end_seconds;
    });
}

class ocr_words {
public:
    explicit ocr_words(const std::vector<timed_text>& texts) {
        for (const auto& text : texts) {
            for (auto& word : folded_words_of(text.text)) {
                joined_ += word;
                words_.insert(std::move(word));
            }
            joined_ += ' ';
        }
    }

    [[nodiscard]] bool show(const readable_text& text) const {
        const auto shown =
            std::ranges::count_if(text.words, [this](const auto& word) { return has(word); });
        const auto needed = std::max<std::size_t>(text.words.size() / 3, 1);
        return static_cast<std::size_t>(shown) >= needed;
    }

private:
    /// OCR loses spaces between words, so a word may be part of another one.
    [[nodiscard]] bool has(const std::string& word) const {
        if (joined_.find(word) != std::string::npos) return true;
        return std::ranges::any_of(
            words_, [&word](const std::string& read) { return is_nearly(read, word); });
    }

    std::set<std::string> words_;
    std::string joined_;
};

std::string quoted(const timed_text& text) {
    return '"' + clean_text(first_words(text.text, quoted_words_max), quoted_characters_max) + '"';
}

// A shorter text may be a quotation or a name.
constexpr int bytes_min = 48;
// Score per KiB of text. Measured on transcripts of reels: the right language scores from 830 on, a
// wrong one that the detector calls reliable up to 500. English words are common in the speech of
// other languages, and such a mix scores up to 950 as English.
constexpr double score_min = 600;
constexpr double english_score_min = 1200;

std::string display_name_of(CLD2::Language language) {
    const std::string_view name = CLD2::LanguageName(language);
    return std::string{name.substr(0, 1)} + ascii_lower(name.substr(1));
}

/// The detector distinguishes scripts of Chinese, its codes do not.
CLD2::Language without_script(CLD2::Language language) {
    return language == CLD2::CHINESE_T ? CLD2::CHINESE : language;
}

/// Whether the two share enough words that the detector may take one for the other.
bool are_related(CLD2::Language left, CLD2::Language right) {
    left = without_script(left);
    right = without_script(right);
    const auto set = CLD2::LanguageCloseSet(left);
    return left == right || (set != 0 && set == CLD2::LanguageCloseSet(right));
}

}  // namespace

local_evidence evidence_of(const media::probe_report& probe) {
    return {
        .duration_seconds = probe.duration_seconds,
        .missing_seconds = probe.missing_seconds,
        .audio_track = probe.audio_codec.has_value(),
        .undecodable_codec = probe.audio_is_decodable ? "" : probe.audio_codec.value_or("")};
}

local_evidence evidence_of(const media::analysis_report& report) {
    auto measured = evidence_of(report.probe);
    measured.silent = report.audio.silent;
    measured.music = report.audio.music.present;
    measured.speech_doubtful = report.audio.speech.doubtful;
    // Recognised words were spoken; unrecognised speech may be in another language.
    if (!report.audio.speech.segments.empty()) measured.speech = true;
    return measured;
}

std::vector<std::string> local_warnings(const findings& reported, const local_evidence& measured) {
    return checker{reported, measured}.run();
}

void remove_unheard_speech(findings& reported, const local_evidence& measured) {
    // A transcript without any sound is kept, with the warning of check_sound(): the file may be
    // another one than the model saw.
    if (!measured.audio_track || measured.silent.value_or(false)) return;
    auto& segments = reported.audio.segments;
    const auto count = segments.size();
    while (!segments.empty() && is_unheard(segments.back(), measured)) segments.pop_back();
    if (segments.size() < count)
        reported.warnings.emplace_back(
            "speech was reported after the last sound: it was removed from the transcript");
}

std::vector<double> times_to_check(const findings& reported) {
    auto texts = readable_texts(reported);
    std::ranges::stable_sort(texts, std::greater{}, &readable_text::letters);
    std::vector<double> times;
    for (const auto& readable : texts) {
        if (times.size() == times_max) break;
        if (covers(*readable.text, times)) continue;
        times.push_back((readable.text->start_seconds + readable.text->end_seconds) / 2);
    }
    std::ranges::sort(times);
    return times;
}

std::vector<std::string> unseen_texts(
    const findings& reported, const std::vector<timed_text>& read_texts) {
    const auto times = times_to_check(reported);
    const ocr_words words{read_texts};
    std::vector<const timed_text*> unseen;
    std::size_t checked = 0;
    for (const auto& readable : readable_texts(reported)) {
        if (!covers(*readable.text, times)) continue;
        ++checked;
        if (!words.show(readable)) unseen.push_back(readable.text);
    }
    const auto seen = checked - unseen.size();
    if (unseen.empty()) return {};
    if (seen == 0) return {"text was reported on screen but none of it was found in the frames"};
    if (seen * 2 < checked - 1) return {};

    unseen.resize(std::min(unseen.size(), texts_named_max));
    std::vector<std::string> warnings;
    for (const auto* const text : unseen) {
        warnings.push_back(
            "the text " + quoted(*text) + " was reported on screen but not found in the frames");
    }
    return warnings;
}

std::string language_objection(std::string_view transcript, std::string_view code) {
    const auto given = CLD2::GetLanguageFromName(std::string{code}.c_str());
    if (given == CLD2::UNKNOWN_LANGUAGE) return {};
    std::array<CLD2::Language, 3> languages{};
    std::array<int, 3> percents{};
    std::array<double, 3> scores{};
    int bytes = 0;
    bool is_reliable = false;
    const CLD2::CLDHints no_hints{nullptr, nullptr, 0, CLD2::UNKNOWN_LANGUAGE};
    const auto detected = CLD2::ExtDetectLanguageSummary(
        transcript.data(),
        static_cast<int>(transcript.size()),
        true,
        &no_hints,
        0,
        languages.data(),
        percents.data(),
        scores.data(),
        nullptr,
        &bytes,
        &is_reliable);
    const bool is_plain = is_reliable && detected == languages[0] && bytes >= bytes_min &&
                          scores[0] >= (detected == CLD2::ENGLISH ? english_score_min : score_min);
    const bool is_related = std::ranges::any_of(
        languages, [given](CLD2::Language language) { return are_related(language, given); });
    if (!is_plain || is_related) return {};
    return "the transcript reads as " + display_name_of(detected) +
           " but its language was given as " + std::string{code};
}

}  // namespace reelsd::model
