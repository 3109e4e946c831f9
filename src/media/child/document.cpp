#include "commands.hpp"
#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace reelsd::media {
namespace {

constexpr std::size_t detail_bytes_max = 500;
constexpr std::size_t sequence_bytes_max = 4;

/// Length of the clean character at the start of `text`; 0 for none.
std::size_t clean_length(std::string_view text) {
    const std::size_t longest = std::min(text.size(), sequence_bytes_max);
    for (std::size_t length = 1; length <= longest; ++length) {
        if (is_clean_text(text.substr(0, length))) return length;
    }
    return 0;
}

double within(double seconds, double least, double most) {
    return std::isfinite(seconds) ? std::clamp(seconds, least, most) : least;
}

void tidy(std::vector<timed_text>& texts, double duration) {
    for (auto& [text, start_seconds, end_seconds] : texts) {
        text = clean_text(text, report_bounds::text_bytes_max);
        start_seconds = within(start_seconds, 0, duration);
        end_seconds = within(end_seconds, start_seconds, duration);
    }
    std::erase_if(texts, [](const timed_text& line) { return line.text.empty(); });
    if (texts.size() > report_bounds::texts_max) texts.resize(report_bounds::texts_max);
}

void tidy(music_report& music, double duration) {
    if (music.start_seconds) music.start_seconds = within(*music.start_seconds, 0, duration);
    const bool is_valid = music.tempo_bpm && *music.tempo_bpm >= 1 &&
                          *music.tempo_bpm <= report_bounds::tempo_bpm_max;
    if (!is_valid) music.tempo_bpm.reset();
}

void tidy(std::vector<voice_span>& voice, double duration) {
    double previous = 0;
    for (auto& span : voice) {
        previous = span.start_seconds = within(span.start_seconds, previous, duration);
        span.end_seconds = within(span.end_seconds, span.start_seconds, duration);
    }
    if (voice.size() > report_bounds::texts_max) voice.resize(report_bounds::texts_max);
}

bool write_document(const char* kind, const json& value) {
    json document;
    document[kind] = value;
    const auto line = dumped(document) + "\n";
    return write_all(STDOUT_FILENO, line) == line.size();
}

}  // namespace

std::string clean_text(std::string_view text, std::size_t bytes_max) {
    std::string clean;
    while (!text.empty()) {
        const std::size_t length = clean_length(text);
        if (clean.size() + std::max<std::size_t>(length, 1) > bytes_max) break;
        clean.append(length == 0 ? std::string_view{" "} : text.substr(0, length));
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return clean;
}

void tidy(audio_report& report, double duration) {
    tidy(report.speech.segments, duration);
    tidy(report.speech.voice, duration);
    tidy(report.music, duration);
}

void tidy(analysis_report& report) {
    const double duration = report.probe.duration_seconds;
    tidy(report.texts, duration);
    tidy(report.audio, duration);
    auto& cuts = report.picture.cuts;
    std::erase_if(cuts, [duration](double at) { return !(at >= 0 && at <= duration); });
    if (cuts.size() > report_bounds::cuts_max) cuts.resize(report_bounds::cuts_max);
}

void tidy(check_report& report) {
    tidy(report.texts, report_bounds::duration_seconds_max);
    if (report.texts.size() > report_bounds::checked_texts_max) {
        report.texts.resize(report_bounds::checked_texts_max);
    }
}

bool write_ok(const json& value) {
    return write_document("ok", value);
}

bool write_error(const error& why) {
    return write_document(
        "error",
        {{"code", std::string{name_of(why.code())}},
         {"detail", clean_text(why.detail(), detail_bytes_max)}});
}

}  // namespace reelsd::media
