#include "../local_checks.hpp"
#include "corpus.hpp"
#include "description.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/local_analyzer.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::model {
namespace {

/// Says what only a model could have done.
void note_ignored_options(const analysis_options& options, findings& conclusions) {
    if (!options.schema.empty())
        conclusions.extract_error =
            "The local analyzer cannot extract data; only a model can. It analysed this video.";
    if (!options.language.empty())
        conclusions.warnings.emplace_back(
            "language was ignored: the local analyzer writes English");
    if (!options.instructions.empty())
        conclusions.warnings.emplace_back(
            "instructions were ignored: the local analyzer does not follow any");
}

std::vector<key_moment> moments_of(
    const media::analysis_report& report, const std::vector<timed_text>& blocks) {
    const auto& music = report.audio.music;
    return key_moments_from(
        {.cuts = report.picture.cuts,
         .texts = blocks,
         .speech = report.audio.speech.segments,
         .music_start = music.present ? music.start_seconds : std::optional<double>{}});
}

/// Ascending.
std::vector<double> picture_seconds_of(const std::vector<key_moment>& moments) {
    std::vector<double> seconds;
    for (const auto& moment : moments) {
        const double least = seconds.empty() ? 0 : seconds.back();
        seconds.push_back(std::max(least, moment.still_seconds.value_or(moment.seconds)));
    }
    return seconds;
}

std::vector<double> choose_moments(const media::analysis_report& report) {
    return picture_seconds_of(moments_of(report, joined_lines(report.texts)));
}

}  // namespace

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
    // The recogniser knows only English. Its words for another language have low confidence.
    if (!speech.segments.empty() && !speech.doubtful) spoken.language = "en";
    return spoken;
}

std::string transcriber_suffix(std::string_view transcriber_name) {
    if (transcriber_name == local_transcriber{}.name()) return {};
    return "/" + std::string{transcriber_name};
}

analysis local_analyzer::analyze(
    const video_input& video, call_ledger& calls, const deadline& by,
    const std::stop_token& stop) const {
    // With a speech server, the moments are unknown until it has answered.
    const bool has_own_speech = name_ == local_analyzer_name;
    auto report = media_.analyze(
        video.file,
        by.at_most(bounds::local_analysis_time_max),
        stop,
        video.wants_stills && has_own_speech ? choose_moments : media::moment_chooser{});
    if (!report) return analysis_failure{report.error()};
    auto measured = video;
    measured.probe = report->probe;
    const auto spoken = speech_.transcribe(measured, report->audio, calls, by, stop);
    if (!spoken) return analysis_failure{spoken.error()};
    if (!spoken->is_built_in) {
        report->audio.speech.segments = spoken->segments;
        report->audio.speech.doubtful = false;  // The built-in recogniser's confidence.
    }
    auto conclusions =
        findings_from(*report, *spoken, {.caption = video.caption, .hashtags = video.hashtags});
    // With the built-in transcript it is the analysis of a server without another transcriber.
    if (!spoken->is_built_in) conclusions.analyzer = name_;
    conclusions.probe = std::move(report->probe);
    conclusions.thumbnail = std::move(report->thumbnail);
    conclusions.stills = std::move(report->stills);
    // With a speech server, or after a failure of the child, there are none yet.
    const auto moments = picture_seconds_of(conclusions.content.key_moments);
    if (video.wants_stills && conclusions.stills.size() != moments.size()) {
        auto taken = media_.stills(video.file, moments, by.at_most(bounds::frames_time_max), stop);
        if (taken) conclusions.stills = std::move(taken->jpegs);
    }
    note_ignored_options(video.options, conclusions);
    return conclusions;
}

findings findings_from(
    const media::analysis_report& report, const transcript& spoken, const post_text& post) {
    const auto& audio = report.audio;
    const auto blocks = joined_lines(report.texts);
    const auto text = corpus_of(blocks, audio.speech, post.caption, post.hashtags);

    findings conclusions;
    conclusions.provider = local_provider;
    conclusions.model_name = local_model_name;
    conclusions.analyzer = local_analyzer_name;
    conclusions.visual.description = describe_video(report);
    conclusions.visual.texts = report.texts;
    conclusions.audio.segments = spoken.segments;
    conclusions.audio.words = spoken.words;
    conclusions.audio.language = spoken.language;
    conclusions.audio.has_music = audio.music.present;
    conclusions.audio.music_description = describe_music(audio.music);
    conclusions.content.summary = central_sentence(text);
    if (text.sentences.empty()) conclusions.content.summary = describe_in_short(report);
    conclusions.content.topics = key_phrases(text);
    conclusions.content.hooks = opening_lines(text);
    conclusions.content.call_to_action = call_to_action(text);
    conclusions.content.key_moments = moments_of(report, blocks);
    // Mood and audience cannot be measured.
    conclusions.metadata.format = format_of(text);
    conclusions.warnings = spoken.warnings;
    for (auto& warning : local_warnings(conclusions, evidence_of(report)))
        conclusions.warnings.push_back(std::move(warning));
    return conclusions;
}

}  // namespace reelsd::model
