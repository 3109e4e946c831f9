#pragma once

#include "call_failure.hpp"
#include "chat_api.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/model/findings.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reads the answers of speech servers, which differ in the form of times, words and languages.
/// Source: the servers' code, as far as it is public. Pure.
namespace reelsd::model {

/// A passage as the server returns it. Its probabilities are absent if it reports none.
struct heard_segment {
    timed_text spoken = {};
    std::vector<timed_text> words = {};  ///< Each is within the passage; may be empty.
    std::optional<double> no_speech_probability = {};
    std::optional<double> mean_log_probability = {};
    std::optional<double> compression_ratio = {};
};

/// A transcript as the server returns it.
struct heard_speech {
    std::vector<heard_segment> segments = {};  ///< In order of time, within the duration.
    std::string text = {};                     ///< All of it, if there are no segments.
    /// Passages with words that were left out, because they have no usable times.
    std::size_t untimed = 0;
    std::optional<std::string> language = {};  ///< BCP 47.
    /// What the server measured, if it reports it.
    std::optional<double> duration_seconds = {};
};

/// Reads a transcript. `duration_seconds` is the sound's own. Passages without text or length are
/// dropped.
[[nodiscard]] heard_speech read_speech(const json& document, double duration_seconds);

/// The detail of the failure for an answer with status 200 that is not a transcript.
inline constexpr std::string_view not_a_transcript = "an answer that is not a transcript";

/// A response with status 200. The reply's text is the document, in ASCII. Its usage is the
/// server's, or the sound's own length. Errors: transient when it is not a transcript.
[[nodiscard]] model_reply speech_reply(
    const net::http_response& response, std::int64_t sound_milliseconds,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// A response with another status: as openai_failure(), but schema_refused when the server does not
/// know the requested format, thinking_refused when it does not know a field, and video_rejected
/// when it cannot read the sound.
[[nodiscard]] call_failure speech_failure(
    const net::http_response& response,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

}  // namespace reelsd::model
