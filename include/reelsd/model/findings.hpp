#pragma once

#include <reelsd/media/report.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What an analysis says about one video: the meaning of it, as values. What was measured from the
/// file and what the platform knows stands elsewhere (result_document.hpp). All text is data: it
/// came from a video, a caption or a model, and is never executed, obeyed or shown as HTML.
namespace reelsd::model {

/// A text and the seconds of the video in which it is seen or heard.
using timed_text = media::timed_text;

struct visual_findings {
    std::string description;            ///< People, actions, light, mood: whatever is known.
    std::string setting;                ///< Where it takes place; empty when unknown.
    std::vector<std::string> subjects;  ///< People, things, brands in view; empty when unknown.
    std::vector<timed_text> texts;      ///< On-screen text, one entry for each time it is shown.
};

struct audio_findings {
    std::vector<timed_text>
        segments;  ///< Verbatim speech in order; the transcript is these, joined.
    std::optional<std::string> language;  ///< ISO 639-1 of the speech; absent without speech.
    bool has_music = false;
    std::string music_description;  ///< Empty when there is no music.
};

/// A point in the video worth jumping to. `seconds` from its start.
struct key_moment {
    double seconds = 0;
    std::string description;
};

struct content_findings {
    std::string summary;  ///< One sentence.
    std::vector<std::string> topics;
    std::vector<std::string> hooks;             ///< What opens the video and holds the viewer.
    std::optional<std::string> call_to_action;  ///< Absent when the video asks for nothing.
    std::vector<key_moment> key_moments;
};

enum class sentiment : std::uint8_t { positive, neutral, negative, mixed };

/// "positive": as the result spells it.
[[nodiscard]] std::string_view name_of(sentiment mood) noexcept;
/// The reverse; nothing for any other text. Letter case matters.
[[nodiscard]] std::optional<sentiment> sentiment_from(std::string_view name) noexcept;

struct metadata_findings {
    std::string format;  ///< "tutorial", "interview", ...; empty when unknown.
    sentiment mood = sentiment::neutral;
    std::string target_audience;  ///< Empty when unknown.
};

/// A whole analysis. Times need not be clean yet: assemble_result() clamps and sorts them.
struct findings {
    visual_findings visual;
    audio_findings audio;
    content_findings content;
    metadata_findings metadata;
    std::string provider;               ///< Who analysed: "local", "gemini", "openai".
    std::string model_name;             ///< With what: "reelsd-local-2", "gemini-3.8-flash".
    std::string analyzer;               ///< Its analyzer::name().
    std::vector<std::string> warnings;  ///< What speaks against the analysis, for people.
    /// From an analyzer that decodes the video itself.
    std::optional<media::thumbnail_report> thumbnail = {};
};

/// The whole transcript: the segments' texts in their order, with a blank between two.
[[nodiscard]] std::string transcript_of(const std::vector<timed_text>& segments);

}  // namespace reelsd::model
