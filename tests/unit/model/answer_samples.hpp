#pragma once

#include "model/answer.hpp"
#include <reelsd/base/json.hpp>

#include <string>
#include <vector>

/// A valid answer, of which a test changes one place.
namespace reelsd::model::testing {

inline constexpr double answer_duration = 30;

/// A complete answer.
inline json good_answer() {
    return json::parse(R"({
      "visual": {
        "text_segments": [
          {"start": "00:01", "end": "00:04", "text": "3 TIPS", "kind": "title"},
          {"start": "00:05", "end": "00:09", "text": "Fresh beans", "kind": "caption"}],
        "subjects": ["a barista", "a kettle"],
        "setting": "A bright kitchen.",
        "description": "A barista pours water over coffee."},
      "audio": {
        "segments": [
          {"start": "00:00", "end": "00:02", "speaker": "host", "text": "Here are three tips."},
          {"start": "00:04", "end": "00:06", "speaker": null, "text": "Use fresh beans."}],
        "language": "en-US",
        "has_music": true,
        "music_description": "Calm guitar.",
        "music_title": "Morning",
        "music_artist": "The Kettles"},
      "content": {
        "hooks": ["3 TIPS"],
        "key_moments": [
          {"time": "00:05", "description": "The beans.", "importance": "high"}],
        "call_to_action": "follow for more",
        "topics": ["coffee", "brewing"],
        "summary": "Three tips for coffee."},
      "metadata": {
        "format": "tutorial", "target_audience": "beginners", "sentiment": "positive"}})");
}

inline parsed_sections read(const json& answer) {
    return read_answer(
        answer.dump(), {.duration_seconds = answer_duration, .boundary = "q7f3-caption"});
}

inline std::vector<std::string> texts_of(const std::vector<timed_text>& entries) {
    std::vector<std::string> texts;
    for (const auto& entry : entries) texts.push_back(entry.text);
    return texts;
}

}  // namespace reelsd::model::testing
