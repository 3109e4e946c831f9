#include "description.hpp"

#include "../words.hpp"
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace reelsd::model {

namespace {

struct step {
    double below;
    std::string_view name;
};

/// The name of the first step above `value`; the last step has no upper bound.
std::string_view name_in(std::span<const step> steps, double value) {
    for (const auto& step : steps.first(steps.size() - 1)) {
        if (value < step.below) return step.name;
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

/// "one, two and three"
std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (std::size_t at = 0; at < items.size(); ++at) {
        if (at > 0) text += at + 1 == items.size() ? " and " : ", ";
        text += items[at];
    }
    return text;
}

std::string_view orientation_of(const media::probe_report& probe) {
    // Square within 3 %: encoders round to even pixels.
    const auto aspect = static_cast<double>(probe.width) / std::max(probe.height, 1);
    if (aspect > 1.03) return "horizontal";
    return aspect < 0.97 ? "vertical" : "square";
}

std::string whole_seconds(double seconds) {
    if (seconds < 1) return "less than a second";
    const auto whole = std::lround(seconds);
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
    } else if (!report.probe.audio_is_decodable) {
        clauses.emplace_back("the sound track cannot be decoded");
    } else if (audio.silent) {
        clauses.emplace_back("the sound track is silent");
    } else {
        const auto& segments = audio.speech.segments;
        clauses.push_back(
            segments.empty() ? "no speech was recognised"
                             : "a voice speaks for " + whole_seconds(spoken_seconds(segments)));
        clauses.emplace_back(audio.music.present ? "music plays" : "no music plays");
    }
    return as_sentence(joined(clauses));
}

// Longer than a breath: after it a new utterance begins.
constexpr double pause_seconds = 0.6;
// Passages of a speech server often have no pauses between them.
constexpr double sentences_apart_seconds = 4;
constexpr std::size_t line_words_max = 12;

// How much an event says about the video: a text names its subject, a cut nothing.
constexpr int cut_weight = 1;
constexpr int music_weight = 2;
constexpr int speech_weight = 3;
constexpr int text_weight = 4;
/// The text reader dates a text half a sampling interval before the first picture that shows it.
constexpr double text_delay_seconds = 0.125;

struct event {
    double seconds = 0;
    int weight = 0;
    std::string clause;                   ///< Of a text, only its quotation.
    std::vector<std::string> words = {};  ///< Of a text or speech: sorted, each once.
    bool is_text = false;
};

// The start of a long text is enough to recognise it.
constexpr std::size_t event_words_max = 40;
// The recogniser and people spell a quarter of the words differently: "3" and "three".
constexpr std::size_t new_words_divisor = 4;
// OCR misreads letters, but a shorter word with another letter is another word.
constexpr std::ptrdiff_t misread_letters_min = 4;

std::vector<std::string> compared_words(std::string_view text) {
    auto words = words_of(text);
    words.resize(std::min(words.size(), event_words_max));
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

std::string in_quotes(std::string line) {
    std::ranges::replace(line, '\n', ' ');
    if (line.ends_with('.') && !line.ends_with("..")) line.pop_back();
    return '"' + first_words(line, line_words_max) + '"';
}

void add_cuts(std::vector<event>& events, const std::vector<double>& cuts) {
    auto scene = std::size_t{2};
    for (const auto seconds : cuts) {
        auto clause = "scene " + std::to_string(scene++) + " begins";
        events.push_back({seconds, cut_weight, std::move(clause)});
    }
}

void add_texts(std::vector<event>& events, const std::vector<timed_text>& texts) {
    for (const auto& text : texts) {
        const auto words = compared_words(text.text);
        if (words.empty()) continue;
        auto clause = in_quotes(text.text);
        events.push_back({text.start_seconds, text_weight, std::move(clause), words, true});
    }
}

void add_speech(std::vector<event>& events, const std::vector<timed_text>& speech) {
    if (speech.empty()) return;
    // Of a long video, the moments are not all at its beginning.
    const auto sentences_apart =
        std::max(sentences_apart_seconds, speech.back().end_seconds / local_moments_max);
    double silent_since = -pause_seconds;
    double last_event_seconds = 0;
    bool begins_sentence = false;
    for (const auto& segment : speech) {
        const bool after_pause = segment.start_seconds - silent_since >= pause_seconds;
        const bool is_far = segment.start_seconds - last_event_seconds >= sentences_apart;
        const bool is_event = after_pause || (begins_sentence && is_far);
        silent_since = std::max(silent_since, segment.end_seconds);
        begins_sentence = ends_with_sentence_mark(segment.text);
        if (!is_event || segment.text.empty()) continue;
        last_event_seconds = segment.start_seconds;
        auto clause = "a voice says " + in_quotes(segment.text);
        const auto words = compared_words(segment.text);
        events.push_back({segment.start_seconds, speech_weight, std::move(clause), words});
    }
}

/// Whether OCR may have read one word as the other. It reads Latin letters.
bool is_misread(const std::string& left, const std::string& right) {
    const auto is_long = [](const std::string& word) {
        return std::ranges::count_if(word, is_alpha) >= misread_letters_min &&
               std::ranges::none_of(word, is_digit);
    };
    return is_long(left) && is_long(right) && is_nearly(left, right);
}

/// Whether the words of `part` occur in `whole`. Between a text and speech, some may be missing. In
/// two texts or two utterances, each missing word is new: "Tip 1" and "Tip 2", "salt" and "sugar".
bool occurs_in(const event& part, const event& whole) {
    const auto missing = std::ranges::count_if(part.words, [&](const std::string& word) {
        if (std::ranges::binary_search(whole.words, word)) return false;
        return part.is_text != whole.is_text ||
               std::ranges::none_of(whole.words, [&word](const std::string& other) {
                   return is_misread(word, other);
               });
    });
    if (part.is_text == whole.is_text) return missing == 0;
    return static_cast<std::size_t>(missing) * new_words_divisor <= part.words.size();
}

/// Whether another text or utterance of the same moment or before says the same with more words,
/// or with as many and first.
bool is_repetition(const event& candidate, const std::vector<event>& by_time) {
    if (candidate.words.empty()) return false;
    for (const auto& other : by_time) {
        if (other.seconds >= candidate.seconds + moments_apart_seconds) break;
        const bool is_richer =
            other.words.size() > candidate.words.size() ||
            (other.words.size() == candidate.words.size() && &other < &candidate);
        if (is_richer && occurs_in(candidate, other)) return true;
    }
    return false;
}

std::vector<event> without_repetitions(const std::vector<event>& by_time) {
    std::vector<event> kept;
    std::ranges::copy_if(by_time, std::back_inserter(kept), [&by_time](const event& candidate) {
        return !is_repetition(candidate, by_time);
    });
    return kept;
}

struct moment {
    double seconds = 0;
    int weight = 0;
    std::vector<event> events;
};

/// An event opens a moment when it is far enough from the start of the previous moment.
std::vector<moment> moments_of(std::vector<event> events) {
    std::vector<moment> moments;
    for (auto& event : events) {
        const bool opens =
            moments.empty() || event.seconds - moments.back().seconds >= moments_apart_seconds;
        if (opens) moments.push_back({event.seconds, 0, {}});
        moments.back().weight += event.weight;
        moments.back().events.push_back(std::move(event));
    }
    return moments;
}

/// When all texts have appeared, and a picture shows the last.
double still_seconds_of(const moment& described) {
    double seconds = described.seconds;
    for (const auto& event : described.events)
        if (event.is_text) seconds = event.seconds + text_delay_seconds;
    return seconds;
}

/// "Scene 2 begins, the texts "A" and "B" appear and a voice says "C"."
std::string description_of(const moment& described) {
    std::vector<std::string> clauses;
    std::vector<std::string> quotations;
    for (const auto& event : described.events) {
        if (event.is_text) {
            if (quotations.empty()) clauses.emplace_back();  // The place of all texts.
            quotations.push_back(event.clause);
        } else {
            clauses.push_back(event.clause);
        }
    }
    const auto texts = std::ranges::find(clauses, std::string{});
    if (texts != clauses.end()) {
        const bool is_one = quotations.size() == 1;
        *texts = (is_one ? "the text " : "the texts ") + joined(quotations) +
                 (is_one ? " appears" : " appear");
    }
    return as_sentence(joined(clauses));
}

/// Keeps the moments of the largest weight, of equals the earliest, in order of time.
void keep_richest(std::vector<moment>& moments) {
    if (moments.size() <= local_moments_max) return;
    std::ranges::stable_sort(moments, std::greater{}, &moment::weight);
    moments.resize(local_moments_max);
    std::ranges::sort(moments, {}, &moment::seconds);
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
    if (music.strong_beat) {
        text += ", with a strong beat";
    } else if (music.tempo_bpm) {
        text += ", with a soft beat";
    }
    if (music.under_speech) text += "; it continues under the speech";
    return as_sentence(text);
}

std::string describe_in_short(const media::analysis_report& report) {
    auto text = shape_sentence(report);
    text.pop_back();
    if (!report.probe.audio_is_decodable)
        return text + " without text, with sound that cannot be decoded.";
    if (report.audio.silent) return text + " without text or sound.";
    text += report.audio.music.present ? " with music, without text" : " without text or music";
    return text + "; no speech was recognised.";  // It may be in another language.
}

std::vector<key_moment> key_moments_from(const moment_sources& sources) {
    std::vector<event> events;
    add_cuts(events, sources.cuts);
    add_texts(events, sources.texts);
    add_speech(events, sources.speech);
    if (sources.music_start)
        events.push_back({*sources.music_start, music_weight, "music sets in"});
    std::ranges::stable_sort(events, {}, &event::seconds);

    auto moments = moments_of(without_repetitions(events));
    keep_richest(moments);
    std::vector<key_moment> key_moments;
    for (const auto& moment : moments) {
        key_moments.push_back({moment.seconds, description_of(moment), still_seconds_of(moment)});
    }
    return key_moments;
}

}  // namespace reelsd::model
