#pragma once

#include <reelsd/base/enum_names.hpp>
#include <reelsd/media/report.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What an analysis says about one video. Facts about the file and the post are in
/// result_document.hpp. All text is untrusted: it comes from a video, a caption or a model, and is
/// never executed, obeyed or shown as HTML.
namespace reelsd::model {

/// A text and the time in which it is seen or heard.
using timed_text = media::timed_text;

struct visual_findings {
    std::string description;            ///< People, actions, light, mood.
    std::string setting;                ///< Where it takes place; empty when unknown.
    std::vector<std::string> subjects;  ///< People, things, brands in view; empty when unknown.
    std::vector<timed_text> texts;      ///< On-screen text, an entry for each appearance.
};

struct audio_findings {
    std::vector<timed_text> segments;     ///< Verbatim speech, in order.
    std::vector<timed_text> words = {};   ///< Times of the segments' words; empty if not known.
    std::optional<std::string> language;  ///< ISO 639-1 of the speech; absent without speech.
    bool has_music = false;
    std::string music_description;  ///< Empty when there is no music.
};

/// A moment of the video worth jumping to; `seconds` from the start.
struct key_moment {
    double seconds = 0;
    std::string description;
    std::optional<double> still_seconds = {};  ///< Of its picture, if not `seconds`.
};

struct content_findings {
    std::string summary;  ///< One sentence.
    std::vector<std::string> topics;
    std::vector<std::string> hooks;             ///< What opens the video and attracts the viewer.
    std::optional<std::string> call_to_action;  ///< Absent when the video asks viewers for nothing.
    std::vector<key_moment> key_moments;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(sentiment, std::uint8_t, positive, neutral, negative, mixed)

struct metadata_findings {
    std::string format;  ///< "tutorial", "interview", ...; empty when unknown.
    sentiment mood = sentiment::neutral;
    std::string target_audience;  ///< Empty when unknown.
};

/// A whole analysis. Times may be out of range and order: assemble_result() clamps and sorts them.
struct findings {
    visual_findings visual;
    audio_findings audio;
    content_findings content;
    metadata_findings metadata;
    std::string provider;               ///< "local", "gemini" or "openai".
    std::string model_name;             ///< "reelsd-local-4", "gemini-3.8-flash".
    std::string analyzer;               ///< Its analyzer::name().
    std::vector<std::string> warnings;  ///< For people: what may be wrong with the analysis.
    /// From an analyzer that decodes the video itself: what it measured, and pictures of the whole
    /// video and of the key moments.
    std::optional<media::probe_report> probe = {};
    std::optional<media::thumbnail_report> thumbnail = {};
    std::vector<std::vector<std::byte>> stills = {};  ///< JPEGs in the order of `key_moments`.
    /// The answer to the caller's schema: JSON text that is valid against it. Empty if no schema
    /// was given, and if there is `extract_error`, which says why in a sentence.
    std::string extract = {};
    std::string extract_error = {};
};

/// The texts of the segments in their order, separated by spaces.
[[nodiscard]] std::string transcript_of(const std::vector<timed_text>& segments);

/// "01:05", rounded down. An hour is "60:00": minutes are not carried.
[[nodiscard]] std::string timestamp_of(double seconds);

}  // namespace reelsd::model
