#include <reelsd/base/base64.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <cmath>

namespace reelsd::media {
namespace {

/// Three decimals, which for seconds is finer than a frame.
double rounded(double value) {
    return std::round(value * 1000.0) / 1000.0;
}

json or_null(const std::optional<double>& value) {
    return value ? json(rounded(*value)) : json(nullptr);
}

template <class Element, class Write>
json list_of(const std::vector<Element>& elements, Write write) {
    json list = json::array();
    for (const auto& element : elements) list.push_back(write(element));
    return list;
}

json to_json(const timed_text& text) {
    return {
        {"text", text.text},
        {"start_seconds", rounded(text.start_seconds)},
        {"end_seconds", rounded(text.end_seconds)}};
}

json to_json(const std::vector<timed_text>& texts) {
    return list_of(texts, [](const timed_text& text) { return to_json(text); });
}

json to_json(const music_report& music) {
    return {
        {"present", music.present},
        {"start_seconds", or_null(music.start_seconds)},
        {"tempo_bpm", or_null(music.tempo_bpm)},
        {"strong_beat", music.strong_beat},
        {"under_speech", music.under_speech},
        {"level", music.level},
        {"brightness", music.brightness}};
}

json to_json(const voice_span& span) {
    return {
        {"start_seconds", rounded(span.start_seconds)},
        {"end_seconds", rounded(span.end_seconds)},
        {"evidence", name_of(span.evidence)}};
}

json to_json(const speech_report& speech) {
    return {
        {"segments", to_json(speech.segments)},
        {"doubtful", speech.doubtful},
        {"voice", list_of(speech.voice, [](const voice_span& span) { return to_json(span); })}};
}

json to_json(const picture_report& picture) {
    return {
        {"cuts", list_of(picture.cuts, rounded)},
        {"motion", rounded(picture.motion)},
        {"brightness", rounded(picture.brightness)},
        {"saturation", rounded(picture.saturation)},
        {"colours", picture.colours}};
}

}  // namespace

json to_json(const probe_report& report) {
    return {
        {"duration_seconds", rounded(report.duration_seconds)},
        {"width", report.width},
        {"height", report.height},
        {"frame_rate", rounded(report.frame_rate)},
        {"video_codec", report.video_codec},
        {"audio_codec", report.audio_codec ? json(*report.audio_codec) : json(nullptr)}};
}

json to_json(const thumbnail_report& report) {
    return {
        {"jpeg", base64_encoded(report.jpeg)}, {"small_jpeg", base64_encoded(report.small_jpeg)}};
}

json to_json(const audio_report& report) {
    return {
        {"silent", report.silent},
        {"speech", to_json(report.speech)},
        {"music", to_json(report.music)}};
}

json to_json(const analysis_report& report) {
    return {
        {"probe", to_json(report.probe)},
        {"texts", to_json(report.texts)},
        {"audio", to_json(report.audio)},
        {"picture", to_json(report.picture)},
        {"thumbnail", report.thumbnail ? to_json(*report.thumbnail) : json(nullptr)}};
}

json to_json(const frames_report& report) {
    return {{"frames", list_of(report.frames, [](const stored_frame& frame) {
                 return json{
                     {"seconds", rounded(frame.seconds)},
                     {"offset", frame.offset},
                     {"bytes", frame.bytes}};
             })}};
}

json to_json(const stills_report& report) {
    return {{"jpegs", list_of(report.jpegs, [](const std::vector<std::byte>& jpeg) {
                 return json(base64_encoded(jpeg));
             })}};
}

json to_json(const std::optional<sound_report>& report) {
    if (!report) return {{"sound", nullptr}};
    return {{"sound", {{"seconds", rounded(report->seconds)}, {"bytes", report->bytes}}}};
}

json to_json(const check_report& report) {
    return {
        {"silent", report.silent},
        {"speech", report.speech ? json(*report.speech) : json(nullptr)},
        {"silences",
         list_of(
             report.silences,
             [](const time_range& silence) {
                 return json{
                     {"start_seconds", rounded(silence.start_seconds)},
                     {"end_seconds", rounded(silence.end_seconds)}};
             })},
        {"texts", list_of(report.texts, [](const timed_text& text) {
             return json{{"text", text.text}, {"at_seconds", rounded(text.start_seconds)}};
         })}};
}

json to_json(const output_report& report) {
    return {{"bytes", report.bytes}};
}

}  // namespace reelsd::media
