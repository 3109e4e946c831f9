#include "corpus.hpp"
#include "description.hpp"
#include "local_checks.hpp"
#include "moments.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/local_analyzer.hpp>

namespace reelsd::model {

analysis local_analyzer::analyze(
    const video_input& video, call_ledger& /*calls*/, const deadline& by,
    const std::stop_token& stop) const {
    auto report = media_.analyze(video.file, by.at_most(bounds::local_analysis_time_max), stop);
    if (!report) return analysis_failure{report.error()};
    auto found = findings_from(*report, {.caption = video.caption, .hashtags = video.hashtags});
    found.thumbnail = std::move(report->thumbnail);
    return found;
}

findings findings_from(const media::analysis_report& report, const post_text& post) {
    const auto& audio = report.audio;
    const auto blocks = joined_lines(report.texts);
    const auto text = corpus_of(blocks, audio.speech, post.caption, post.hashtags);

    findings found;
    found.provider = local_provider;
    found.model_name = local_model_name;
    found.analyzer = local_analyzer_name;
    found.visual.description = describe_video(report);
    found.visual.texts = report.texts;
    found.audio.segments = audio.speech.segments;
    // The recogniser knows only English: recognised speech is English.
    if (!audio.speech.segments.empty()) found.audio.language = "en";
    found.audio.has_music = audio.music.present;
    found.audio.music_description = describe_music(audio.music);
    found.content.summary = central_sentence(text);
    if (text.sentences.empty()) found.content.summary = describe_in_short(report);
    found.content.topics = key_phrases(text);
    found.content.hooks = opening_lines(text);
    found.content.call_to_action = call_to_action(text);
    found.content.key_moments = key_moments_from(
        {.cuts = report.picture.cuts,
         .texts = blocks,
         .speech = audio.speech.segments,
         .music_start = audio.music.present ? audio.music.start_seconds : std::optional<double>{}});
    // Mood and audience stay unknown: no measurement tells them.
    found.metadata.format = format_of(text);
    found.warnings = local_warnings(found, evidence_of(report));
    return found;
}

}  // namespace reelsd::model
