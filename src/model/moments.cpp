#include "moments.hpp"

#include "words.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

namespace reelsd::model {

namespace {

// A breath lasts less; a speaker who pauses longer starts something new.
constexpr double pause_seconds = 0.6;
constexpr std::size_t line_words_max = 12;

enum class happening : std::uint8_t { cut, text, speech, music };

struct event {
    double seconds = 0;
    happening what = happening::cut;
    std::string clause;
};

/// How much an event tells about the video: a text names what it is about, a cut only that it goes
/// on.
int weight_of(happening what) {
    switch (what) {
        case happening::cut: return 1;
        case happening::text: return 4;
        case happening::speech: return 3;
        case happening::music: return 2;
    }
    return 0;
}

std::string in_quotes(std::string_view text) {
    std::string line{text};
    std::replace(line.begin(), line.end(), '\n', ' ');
    return '"' + first_words(line, line_words_max) + '"';
}

void add_cuts(std::vector<event>& events, const std::vector<double>& cuts) {
    auto scene = std::size_t{2};
    for (const auto seconds : cuts) {
        events.push_back({seconds, happening::cut, "scene " + std::to_string(scene++) + " begins"});
    }
}

void add_texts(std::vector<event>& events, const std::vector<timed_text>& texts) {
    std::set<std::vector<std::string>> shown;
    for (const auto& text : texts) {
        const auto words = words_of(text.text);
        if (words.empty() || !shown.insert(words).second) continue;
        events.push_back(
            {text.start_seconds, happening::text, "the text " + in_quotes(text.text) + " appears"});
    }
}

void add_speech(std::vector<event>& events, const std::vector<timed_text>& speech) {
    double silent_since = -pause_seconds;
    for (const auto& segment : speech) {
        const bool after_pause = segment.start_seconds - silent_since >= pause_seconds;
        silent_since = std::max(silent_since, segment.end_seconds);
        if (!after_pause || segment.text.empty()) continue;
        events.push_back(
            {segment.start_seconds, happening::speech, "a voice says " + in_quotes(segment.text)});
    }
}

struct moment {
    double seconds = 0;
    int weight = 0;
    std::vector<event> events;
};

/// Opens a moment with the first event that is far enough from the moment before.
std::vector<moment> merged(const std::vector<event>& events) {
    std::vector<moment> moments;
    for (const auto& one : events) {
        const bool opens =
            moments.empty() || one.seconds - moments.back().seconds >= moments_apart_seconds;
        if (opens) moments.push_back({one.seconds, 0, {}});
        moments.back().weight += weight_of(one.what);
        moments.back().events.push_back(one);
    }
    return moments;
}

/// The richest; of equals the earlier. In order of time again.
void keep_richest(std::vector<moment>& moments) {
    if (moments.size() <= local_moments_max) return;
    std::stable_sort(moments.begin(), moments.end(), [](const moment& left, const moment& right) {
        return left.weight > right.weight;
    });
    moments.resize(local_moments_max);
    std::sort(moments.begin(), moments.end(), [](const moment& left, const moment& right) {
        return left.seconds < right.seconds;
    });
}

std::string described(const std::vector<event>& events) {
    std::string text;
    for (std::size_t at = 0; at < events.size(); ++at) {
        if (at > 0) text += at + 1 == events.size() ? " and " : ", ";
        text += events[at].clause;
    }
    return as_sentence(text);
}

}  // namespace

std::vector<key_moment> key_moments_from(const moment_sources& sources) {
    std::vector<event> events;
    add_cuts(events, sources.cuts);
    add_texts(events, sources.texts);
    add_speech(events, sources.speech);
    if (sources.music_start) {
        events.push_back({*sources.music_start, happening::music, "music sets in"});
    }
    std::stable_sort(events.begin(), events.end(), [](const event& left, const event& right) {
        return left.seconds < right.seconds;
    });

    auto moments = merged(events);
    keep_richest(moments);
    std::vector<key_moment> described_moments;
    described_moments.reserve(moments.size());
    for (const auto& one : moments) {
        described_moments.push_back({one.seconds, described(one.events)});
    }
    return described_moments;
}

}  // namespace reelsd::model
