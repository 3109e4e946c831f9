#include "document_number.hpp"
#include "object_reader.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace reelsd::media {
namespace {

json to_json(const timed_text& one) {
    return {
        {"text", one.text},
        {"start_seconds", rounded(one.start_seconds)},
        {"end_seconds", rounded(one.end_seconds)}};
}

json to_json(const std::vector<timed_text>& texts) {
    json list = json::array();
    for (const auto& one : texts) list.push_back(to_json(one));
    return list;
}

json or_null(const std::optional<double>& value) {
    return value ? json(rounded(*value)) : json(nullptr);
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

json to_json(const picture_report& picture) {
    json cuts = json::array();
    for (const double at : picture.cuts) cuts.push_back(rounded(at));
    return {
        {"cuts", std::move(cuts)},
        {"motion", rounded(picture.motion)},
        {"brightness", rounded(picture.brightness)},
        {"saturation", rounded(picture.saturation)},
        {"colours", picture.colours}};
}

/// Whether a sequence may open so: as no overlong form, no surrogate and nothing over U+10FFFF.
bool opens_code_point(std::uint8_t lead, std::uint8_t second) {
    const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool beyond = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
    return !overlong && !beyond;
}

/// The length of the UTF-8 sequence that opens `text`, or 0 when it is none (RFC 3629).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [text](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xc0U) != 0x80) return 0;
    }
    return opens_code_point(lead, byte(1)) ? length : 0;
}

probe_report read_probe(object_reader from) {
    probe_report report;
    report.duration_seconds =
        from.number("duration_seconds", 0, report_bounds::duration_seconds_max);
    report.width = from.whole_number("width", 1, report_bounds::side_pixels_max);
    report.height = from.whole_number("height", 1, report_bounds::side_pixels_max);
    report.frame_rate = from.number("frame_rate", 0, report_bounds::frame_rate_max);
    report.video_codec = from.text("video_codec", report_bounds::codec_bytes_max);
    report.audio_codec = from.text_or_null("audio_codec", report_bounds::codec_bytes_max);
    from.done();
    return report;
}

timed_text read_timed_text(object_reader from, double duration) {
    timed_text one;
    one.text = from.text("text", report_bounds::text_bytes_max);
    one.start_seconds = from.number("start_seconds", 0, duration);
    one.end_seconds = from.number("end_seconds", one.start_seconds, duration);
    from.done();
    return one;
}

std::vector<timed_text> read_texts(
    object_reader& from, const char* name, double duration, std::string& fault) {
    std::vector<timed_text> texts;
    from.each(name, report_bounds::texts_max, [&](const json& element, const std::string& place) {
        texts.push_back(read_timed_text({element, place, fault}, duration));
    });
    return texts;
}

music_report read_music(object_reader from, double duration) {
    static constexpr auto levels = std::to_array<std::string_view>({"", "quiet", "medium", "loud"});
    static constexpr auto brightnesses =
        std::to_array<std::string_view>({"", "dark", "balanced", "bright"});
    music_report music;
    music.present = from.truth("present");
    music.start_seconds = from.number_or_null("start_seconds", 0, duration);
    music.tempo_bpm = from.number_or_null("tempo_bpm", 1, report_bounds::tempo_bpm_max);
    music.strong_beat = from.truth("strong_beat");
    music.under_speech = from.truth("under_speech");
    music.level = from.word("level", levels);
    music.brightness = from.word("brightness", brightnesses);
    from.done();
    return music;
}

speech_report read_speech(object_reader from, double duration, std::string& fault) {
    speech_report speech;
    speech.segments = read_texts(from, "segments", duration, fault);
    speech.doubtful = from.truth("doubtful");
    from.done();
    return speech;
}

audio_report read_audio(object_reader from, double duration, std::string& fault) {
    audio_report audio;
    audio.silent = from.truth("silent");
    audio.speech = read_speech(from.object("speech"), duration, fault);
    audio.music = read_music(from.object("music"), duration);
    from.done();
    return audio;
}

picture_report read_picture(object_reader from, double duration) {
    picture_report picture;
    double previous = 0;
    from.each("cuts", report_bounds::cuts_max, [&](const json& element, const std::string&) {
        const double at = element.is_number() ? element.get<double>() : -1;
        if (!(at >= previous && at <= duration)) from.complain("cuts", "is out of order or range");
        picture.cuts.push_back(at);
        previous = at;
    });
    picture.motion = from.number("motion", 0, 1);
    picture.brightness = from.number("brightness", 0, 1);
    picture.saturation = from.number("saturation", 0, 1);
    from.each("colours", report_bounds::colours_max, [&](const json& element, const std::string&) {
        picture.colours.push_back(from.checked_text(element, "colours", 16));
    });
    from.done();
    return picture;
}

}  // namespace

bool is_clean_text(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) return false;
        const auto lead = static_cast<std::uint8_t>(text[0]);
        if (lead < 0x20 || lead == 0x7f) return false;
        text.remove_prefix(length);
    }
    return true;
}

json to_json(const probe_report& report) {
    return {
        {"duration_seconds", rounded(report.duration_seconds)},
        {"width", report.width},
        {"height", report.height},
        {"frame_rate", rounded(report.frame_rate)},
        {"video_codec", report.video_codec},
        {"audio_codec", report.audio_codec ? json(*report.audio_codec) : json(nullptr)}};
}

json to_json(const analysis_report& report) {
    json speech{
        {"segments", to_json(report.audio.speech.segments)},
        {"doubtful", report.audio.speech.doubtful}};
    json audio{
        {"silent", report.audio.silent},
        {"speech", std::move(speech)},
        {"music", to_json(report.audio.music)}};
    return {
        {"probe", to_json(report.probe)},
        {"texts", to_json(report.texts)},
        {"audio", std::move(audio)},
        {"picture", to_json(report.picture)}};
}

result<probe_report> probe_report_from_json(const json& document) {
    std::string fault;
    auto report = read_probe({document, "probe", fault});
    if (!fault.empty()) return malformed_document(fault);
    return report;
}

result<analysis_report> analysis_report_from_json(const json& document) {
    std::string fault;
    object_reader from{document, "analysis", fault};
    analysis_report report;
    report.probe = read_probe(from.object("probe"));
    const double duration = report.probe.duration_seconds;
    report.texts = read_texts(from, "texts", duration, fault);
    report.audio = read_audio(from.object("audio"), duration, fault);
    report.picture = read_picture(from.object("picture"), duration);
    from.done();
    if (!fault.empty()) return malformed_document(fault);
    return report;
}

}  // namespace reelsd::media
