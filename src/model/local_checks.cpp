#include "words.hpp"
#include <reelsd/model/local_analyzer.hpp>
#include <reelsd/model/local_checks.hpp>

#include <algorithm>

namespace reelsd::model {

namespace {

// Auctioneers reach 7 words a second for a while, over a whole reel nobody does.
constexpr double words_per_second_max = 6;
// A chorus says a line up to three times in a row; more is a model in a loop.
constexpr std::size_t repeats_max = 3;
// Rounding to a frame is no mistake.
constexpr double past_end_seconds = 0.5;

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

void check_times(
    std::vector<std::string>& warnings, const findings& said, const local_evidence& measured) {
    const auto past_end = [end = measured.duration_seconds + past_end_seconds](const auto& entry) {
        return entry > end;
    };
    const auto text_past_end = [&](const timed_text& text) {
        return past_end(text.start_seconds) || past_end(text.end_seconds);
    };
    const auto& texts = said.visual.texts;
    const auto& segments = said.audio.segments;
    const auto& moments = said.content.key_moments;
    const bool any = std::any_of(texts.begin(), texts.end(), text_past_end) ||
                     std::any_of(segments.begin(), segments.end(), text_past_end) ||
                     std::any_of(moments.begin(), moments.end(), [&](const key_moment& moment) {
                         return past_end(moment.seconds);
                     });
    if (any) warnings.emplace_back("times past the end of the video were moved to its end");
}

}  // namespace

local_evidence evidence_of(const media::probe_report& probe) {
    return {
        .duration_seconds = probe.duration_seconds,
        .audio_track = probe.audio_codec.has_value(),
        .silent = std::nullopt,
        .music = std::nullopt,
        .speech_doubtful = std::nullopt};
}

local_evidence evidence_of(const media::analysis_report& report) {
    auto measured = evidence_of(report.probe);
    measured.silent = report.audio.silent;
    measured.music = report.audio.music.present;
    measured.speech_doubtful = report.audio.speech.doubtful;
    return measured;
}

std::vector<std::string> local_warnings(const findings& said, const local_evidence& measured) {
    std::vector<std::string> warnings;
    check_sound(warnings, said, measured);
    check_music(warnings, said, measured);
    check_speech(warnings, said, measured);
    check_times(warnings, said, measured);
    return warnings;
}

}  // namespace reelsd::model
