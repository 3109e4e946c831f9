#include "description.hpp"
#include "moments.hpp"
#include "reading.hpp"
#include <reelsd/model/local_analyzer.hpp>
#include <reelsd/model/local_checks.hpp>

namespace reelsd::model {

namespace {

content_findings content_from(
    const media::analysis_report& report, const std::vector<timed_text>& blocks,
    const reading& text) {
    const auto& audio = report.audio;
    auto summary = central_sentence(text);
    if (summary.empty() && text.sentences.empty()) summary = describe_in_short(report);
    return {
        .summary = std::move(summary),
        .topics = key_phrases(text),
        .hooks = opening_lines(text),
        .call_to_action = call_to_action(text),
        .key_moments = key_moments_from(
            {.cuts = report.picture.cuts,
             .texts = blocks,
             .speech = audio.speech.segments,
             .music_start =
                 audio.music.present ? audio.music.start_seconds : std::optional<double>{}})};
}

}  // namespace

findings findings_from(const media::analysis_report& report, const post_text& post) {
    const auto& speech = report.audio.speech.segments;
    const auto blocks = joined_lines(report.texts);
    const auto text = read_text(blocks, report.audio.speech, post.caption, post.hashtags);

    findings found;
    found.provider = local_provider;
    found.model_name = local_model_name;
    found.analyzer = "local/reelsd-local-1";
    found.visual.description = describe_video(report);
    found.visual.texts = report.texts;
    found.audio.segments = speech;
    // The recogniser knows English alone: what it could make out is English.
    if (!speech.empty()) found.audio.language = "en";
    found.audio.has_music = report.audio.music.present;
    found.audio.music_description = describe_music(report.audio.music);
    found.content = content_from(report, blocks, text);
    found.metadata = {
        .format = format_of(text), .mood = mood_of(text), .target_audience = audience_of(text)};
    found.warnings = local_warnings(found, evidence_of(report));
    return found;
}

}  // namespace reelsd::model
