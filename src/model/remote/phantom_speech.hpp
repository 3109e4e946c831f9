#pragma once

#include "speech_reply.hpp"
#include <reelsd/media/report.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

/// Recognisers of the Whisper family invent text in silence, music and applause, often the credits
/// of the subtitles that they were trained on. No value that a server reports reveals that on its
/// own, so each passage is compared with where the media child heard a voice.
namespace reelsd::model {

/// Whether a text is one that recognisers are known to invent, such as "Thanks for watching!", in
/// any letter case and punctuation, once or repeated. People say most of these texts as well. Pure.
[[nodiscard]] bool is_phantom_phrase(std::string_view text);

/// Whether a short text is a subtitle credit, which is never spoken: "Subtitles by the Amara.org
/// community". Pure.
[[nodiscard]] bool is_subtitle_credit(std::string_view text);

/// Whether a text only names a sound: "[Music]", "(applause)", "*laughs*", "♪". Pure.
[[nodiscard]] bool is_sound_mark(std::string_view text);

struct checked_speech {
    std::vector<heard_segment> segments;  ///< Those that the recording does not contradict.
    std::size_t dropped = 0;              ///< The others, without marks of sounds.
    std::size_t doubtful = 0;             ///< Of `segments`: may be lyrics or invented.
};

/// Drops passages that the recording contradicts, and marks of sounds such as "[Music]". `voice` is
/// what speech_report::voice reports. Pure.
[[nodiscard]] checked_speech without_phantoms(
    std::vector<heard_segment> segments, std::span<const media::voice_span> voice);

}  // namespace reelsd::model
