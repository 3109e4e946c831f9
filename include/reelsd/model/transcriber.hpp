#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/findings.hpp>

#include <boost/core/noncopyable.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// The speech of one video. All text is untrusted.
struct transcript {
    std::vector<timed_text> segments;  ///< Verbatim, in order of time.
    /// Times of the segments' words, in order; empty if they are not known.
    std::vector<timed_text> words;
    std::optional<std::string> language;  ///< BCP 47; absent when unknown or without speech.
    std::vector<std::string> warnings;    ///< For people: what may be wrong.
    bool is_built_in = false;             ///< By the recogniser of the media child.
};

/// Turns the sound of a video into text. Thread-safe.
class transcriber : boost::noncopyable {
public:
    virtual ~transcriber() = default;

    /// Transcripts of one name are interchangeable: "local", "openai-whisper-1".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// `heard` is what the media child heard in the video. Its transcript replaces one that cannot
    /// be obtained, which a warning says. Blocks until done, `by` or `stop`.
    /// Errors: cancelled, database_unavailable.
    [[nodiscard]] virtual result<transcript> transcribe(
        const video_input& video, const media::audio_report& heard, call_ledger& calls,
        const deadline& by, const std::stop_token& stop) const = 0;
};

/// The built-in recogniser, which knows English.
class local_transcriber final : public transcriber {
public:
    [[nodiscard]] std::string_view name() const noexcept override { return "local"; }
    [[nodiscard]] result<transcript> transcribe(
        const video_input& video, const media::audio_report& heard, call_ledger& calls,
        const deadline& by, const std::stop_token& stop) const override;
};

/// What the built-in recogniser has heard. Pure.
[[nodiscard]] transcript built_in_transcript(const media::speech_report& speech);

/// The part of an analyzer's name about its transcriber: empty for "local".
[[nodiscard]] std::string transcriber_suffix(std::string_view transcriber_name);

}  // namespace reelsd::model
