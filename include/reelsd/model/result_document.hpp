#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>
#include <reelsd/model/findings.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// Assembles the result document: five sections, as docs/openapi.yaml describes them.
namespace reelsd::model {

/// Bounds of a stored result, for models that repeat themselves endlessly. A 90 s reel remains far
/// below all of them.
namespace result_bounds {
inline constexpr std::size_t texts_max = 200;  ///< On-screen texts: two a second for 90 s, rounded.
inline constexpr std::size_t segments_max = 500;  ///< Five utterances a second for 90 s, rounded.
inline constexpr std::size_t words_max = 500;  ///< Words of a segment, which has 1,000 characters.
inline constexpr std::size_t key_moments_max = 20;
inline constexpr std::size_t list_items_max = 50;  ///< Subjects, topics, hooks, hashtags, ...
inline constexpr std::size_t field_characters_max = 4000;  ///< Any other text.
/// A caption of the platform has at most 2,200 characters; one given
/// with an upload may fill its part of the form.
inline constexpr std::size_t caption_characters_max = 65'536;
inline constexpr std::size_t item_characters_max = 1000;  ///< One list item, text or segment.
inline constexpr std::size_t transcript_characters_max = 40'000;  ///< 30 minutes of fast speech.
}  // namespace result_bounds

/// What was measured from the downloaded file.
struct file_facts {
    media::probe_report probe;
    std::int64_t size_bytes = 0;
    std::string sha256;  ///< 64 lower-case hexadecimal digits.
};

/// Assembles the five sections and makes them valid whatever an analyzer reports: text becomes
/// UTF-8 without control characters, times are clamped to the measured duration and sorted, lists
/// and texts are cut to result_bounds, repeated items are removed. `post` is the section
/// `platform_meta` with the platform's own texts. Pure. Errors: internal when the facts are
/// impossible (no code, no duration, a malformed sha256).
[[nodiscard]] result<json> assemble_result(
    const findings& reported, const file_facts& file, const json& post);

/// The document as it is stored and sent: JSON on one line, at most bounds::result_bytes_max. Pure.
/// Errors: model_refused when it is larger.
[[nodiscard]] result<std::string> result_text(const json& document);

}  // namespace reelsd::model
