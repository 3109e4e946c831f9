#include "local_checks.hpp"

#include "answer/repetition.hpp"
#include "seen_texts.hpp"
#include "spoken_language.hpp"
#include "time_signs.hpp"
#include "words.hpp"
#include <reelsd/model/local_analyzer.hpp>

#include <algorithm>
#include <cstddef>

namespace reelsd::model {

namespace {

// Auctioneers reach 7 words a second for a while, over a whole reel nobody does.
constexpr double words_per_second_max = 6;
// Of a short video the first seconds may hold all there is, and from few entries nothing follows.
constexpr double early_duration_seconds_min = 20;
constexpr std::size_t early_entries_min = 5;
constexpr double early_part = 0.1;

void check_sound(
    std::vector<std::string>& warnings, const findings& said, const local_evidence& measured) {
    const bool transcript = !said.audio.segments.empty();
    if (!measured.audio_track) {
        warnings.emplace_back(
            transcript ? "there is no audio track but a transcript was given"
                       : "the video has no audio track");
        if (said.audio.has_music) {
            warnings.emplace_back("there is no audio track but music was reported");
        }
        return;
    }
    if (!measured.silent) return;
    if (*measured.silent) {
        warnings.emplace_back(
            transcript ? "audio is silent but a transcript was given" : "audio is silent");
        if (said.audio.has_music) warnings.emplace_back("audio is silent but music was reported");
    }
}

void check_music(
    std::vector<std::string>& warnings, const findings& said, const local_evidence& measured) {
    const bool audible = measured.audio_track && !measured.silent.value_or(false);
    if (!audible || !measured.music || *measured.music == said.audio.has_music) return;
    warnings.emplace_back(
        said.audio.has_music ? "music was reported but none was measured"
                             : "music was measured but none was reported");
}

void check_speech(
    std::vector<std::string>& warnings, const findings& said, const local_evidence& measured) {
    const auto& segments = said.audio.segments;
    if (segments.empty()) return;
    // Another recogniser's doubt says nothing about this transcript.
    if (said.provider == local_provider && measured.speech_doubtful.value_or(false)) {
        warnings.emplace_back("speech was hard to recognise: the transcript may be wrong");
    }
    const auto words = static_cast<double>(words_of(transcript_of(segments)).size());
    if (words > words_per_second_max * std::max(measured.duration_seconds, 1.0)) {
        warnings.emplace_back("the transcript has more words than can be spoken in the time");
    }
    std::size_t repeats = 1;
    for (std::size_t at = 1; at < segments.size(); ++at) {
        repeats = segments[at].text == segments[at - 1].text ? repeats + 1 : 1;
        if (repeats <= repeats_max) continue;
        warnings.emplace_back("the transcript repeats itself");
        return;
    }
}

void check_voice(
    std::vector<std::string>& warnings, const findings& said, const local_evidence& measured) {
    const bool audible = measured.audio_track && !measured.silent.value_or(false);
    if (!audible || said.audio.segments.empty() || measured.speech.value_or(true)) return;
    warnings.emplace_back("speech was reported but no voice was heard");
}

std::vector<double> times_of(const findings& said) {
    std::vector<double> times;
    for (const auto* const entries : {&said.visual.texts, &said.audio.segments}) {
        for (const auto& entry : *entries) {
            times.insert(times.end(), {entry.start_seconds, entry.end_seconds});
        }
    }
    for (const auto& moment : said.content.key_moments) times.push_back(moment.seconds);
    return times;
}

void check_times(
    std::vector<std::string>& warnings, const findings& said, const local_evidence& measured) {
    const auto duration = measured.duration_seconds;
    const auto times = times_of(said);
    const auto count_past = [&times](const auto& is_past) {
        return static_cast<std::size_t>(std::count_if(times.begin(), times.end(), is_past));
    };
    const auto past =
        count_past([=](double seconds) { return seconds > duration + past_end_seconds_tolerated; });
    const auto far = count_past([=](double seconds) { return is_far_past_end(seconds, duration); });
    if (past > 0) warnings.emplace_back(times_moved_warning);
    if (far >= far_times_min) warnings.emplace_back(far_times_warning);

    // The local analyzer looks at every frame: what it does not find later is not there.
    if (said.provider == local_provider || duration < early_duration_seconds_min) return;
    const auto late = count_past([=](double seconds) { return seconds > duration * early_part; });
    const auto entries =
        said.visual.texts.size() + said.audio.segments.size() + said.content.key_moments.size();
    if (late == 0 && entries >= early_entries_min) {
        warnings.emplace_back(
            "all that was reported lies in the first tenth of the video: the rest may not have "
            "been looked at");
    }
}

void check_language(std::vector<std::string>& warnings, const findings& said) {
    if (!said.audio.language || said.audio.segments.empty()) return;
    auto objection = language_objection(transcript_of(said.audio.segments), *said.audio.language);
    if (!objection.empty()) warnings.push_back(std::move(objection));
}

void check_screen(
    std::vector<std::string>& warnings, const findings& said, const local_evidence& measured) {
    if (!measured.read_texts) return;
    for (auto& sentence : unseen_texts(said, *measured.read_texts)) {
        warnings.push_back(std::move(sentence));
    }
}

}  // namespace

local_evidence evidence_of(const media::probe_report& probe) {
    return {
        .duration_seconds = probe.duration_seconds,
        .audio_track = probe.audio_codec.has_value(),
        .silent = std::nullopt,
        .music = std::nullopt,
        .speech_doubtful = std::nullopt,
        .speech = std::nullopt,
        .read_texts = std::nullopt};
}

local_evidence evidence_of(const media::analysis_report& report) {
    auto measured = evidence_of(report.probe);
    measured.silent = report.audio.silent;
    measured.music = report.audio.music.present;
    measured.speech_doubtful = report.audio.speech.doubtful;
    // What the recogniser makes out was spoken; what it does not may be in another language.
    if (!report.audio.speech.segments.empty()) measured.speech = true;
    return measured;
}

std::vector<std::string> local_warnings(const findings& said, const local_evidence& measured) {
    std::vector<std::string> warnings;
    check_sound(warnings, said, measured);
    check_music(warnings, said, measured);
    check_voice(warnings, said, measured);
    check_speech(warnings, said, measured);
    check_times(warnings, said, measured);
    check_language(warnings, said);
    check_screen(warnings, said, measured);
    return warnings;
}

}  // namespace reelsd::model
