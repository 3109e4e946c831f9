#include "description.hpp"

#include "words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

namespace reelsd::model {

namespace {

/// The name of the first step that `value` stays below; the last name has no upper end.
struct step {
    double below;
    std::string_view name;
};

std::string_view name_in(std::span<const step> steps, double value) {
    for (const auto& one : steps) {
        if (value < one.below) return one.name;
    }
    return steps.back().name;
}

constexpr auto motions = std::to_array<step>(
    {{0.002, "The picture hardly moves"},
     {0.01, "There is little motion"},
     {0.04, "There is moderate motion"},
     {2, "There is much motion"}});
constexpr auto lights = std::to_array<step>(
    {{0.25, "dark"}, {0.40, "rather dark"}, {0.60, "evenly lit"}, {2, "bright"}});
constexpr auto colourfulness = std::to_array<step>(
    {{0.08, "almost without colour"},
     {0.25, "muted"},
     {0.50, "colourful"},
     {2, "strongly colourful"}});

std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (std::size_t at = 0; at < items.size(); ++at) {
        if (at > 0) text += at + 1 == items.size() ? " and " : ", ";
        text += items[at];
    }
    return text;
}

std::string_view orientation_of(const media::probe_report& probe) {
    // A square is one within 3 %: encoders round to even pixels.
    const auto aspect = static_cast<double>(probe.width) / std::max(probe.height, 1);
    if (aspect > 1.03) return "horizontal";
    return aspect < 0.97 ? "vertical" : "square";
}

std::string whole_seconds(double seconds) {
    const auto whole = std::max(1L, std::lround(seconds));
    return std::to_string(whole) + (whole == 1 ? " second" : " seconds");
}

std::string shape_sentence(const media::analysis_report& report) {
    const auto& probe = report.probe;
    const auto scenes = report.picture.cuts.size() + 1;
    return "A " + std::string{orientation_of(probe)} + " video of " +
           whole_seconds(probe.duration_seconds) + " in " +
           (scenes == 1 ? "one scene" : std::to_string(scenes) + " scenes") + ".";
}

std::string picture_sentence(const media::picture_report& picture) {
    auto text = std::string{name_in(motions, picture.motion)} + "; the picture is " +
                std::string{name_in(lights, picture.brightness)} + " and " +
                std::string{name_in(colourfulness, picture.saturation)};
    if (!picture.colours.empty()) text += ", mostly " + joined(picture.colours);
    return text + ".";
}

double spoken_seconds(const std::vector<media::timed_text>& segments) {
    double seconds = 0;
    for (const auto& segment : segments) seconds += segment.end_seconds - segment.start_seconds;
    return seconds;
}

/// "1 line of text is shown", "3 lines of text are shown".
std::string text_clause(std::size_t lines) {
    if (lines == 0) return "no text is shown";
    if (lines == 1) return "one line of text is shown";
    return std::to_string(lines) + " lines of text are shown";
}

std::string content_sentence(const media::analysis_report& report) {
    std::vector<std::string> clauses{text_clause(report.texts.size())};
    const auto& audio = report.audio;
    if (!report.probe.audio_codec) {
        clauses.emplace_back("there is no sound track");
    } else if (audio.silent) {
        clauses.emplace_back("the sound track is silent");
    } else {
        const auto& segments = audio.speech.segments;
        clauses.push_back(
            segments.empty() ? "no speech was recognised"
                             : "somebody speaks for " + whole_seconds(spoken_seconds(segments)));
        clauses.emplace_back(audio.music.present ? "music plays" : "no music plays");
    }
    return as_sentence(joined(clauses));
}

}  // namespace

std::string describe_video(const media::analysis_report& report) {
    return shape_sentence(report) + ' ' + picture_sentence(report.picture) + ' ' +
           content_sentence(report);
}

std::string describe_music(const media::music_report& music) {
    if (!music.present) return {};
    std::string text = music.level.empty() ? "music" : music.level + " music";
    if (!music.brightness.empty()) text += " with a " + music.brightness + " sound";
    if (music.tempo_bpm) {
        text += ", about " + std::to_string(std::lround(*music.tempo_bpm)) + " beats per minute";
    }
    if (music.strong_beat) text += ", with a strong beat";
    if (!music.strong_beat && music.tempo_bpm) text += ", with a soft beat";
    if (music.under_speech) text += "; it goes on under the speech";
    return as_sentence(text);
}

std::string describe_in_short(const media::analysis_report& report) {
    auto text = shape_sentence(report);
    text.pop_back();
    if (report.audio.music.present) return text + " with music, without text or speech.";
    return text + " without text, speech or music.";
}

}  // namespace reelsd::model
