#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace reelsd::model {

/// Untrusted JSON of a model. Not reelsd::json: that compares each new name with all earlier ones,
/// so an object of 100,000 names would take minutes.
using answer_json = nlohmann::json;

/// Eight times the answer that the largest reel needs (model-api's 32,768 output tokens at 4
/// bytes).
inline constexpr std::size_t answer_bytes_max = std::size_t{1024} * 1024;
/// The schema has 5 levels.
inline constexpr std::size_t answer_depth_max = 32;

/// Ten times the values of 500 segments, 200 texts and the rest. Parsing the 300,000 values that
/// 1 MiB can contain takes 60 ms.
inline constexpr std::size_t answer_values_max = 50'000;

struct parsed_answer {
    answer_json object;     ///< An object when there is no violation.
    std::string violation;  ///< Why there is no object; else empty.
};

/// The largest JSON object in a model's text; thoughts, fences and prose around it are ignored. The
/// object is parsed strictly; the last of several equal names counts. A truncated object is a
/// violation and is never completed. Throws only bad_alloc.
[[nodiscard]] parsed_answer parse_answer(std::string_view text);

/// Whether any name or string contains `tag`, regardless of case and of invisible characters in
/// between. False for an empty tag.
[[nodiscard]] bool holds_tag(const answer_json& value, std::string_view tag);

/// Whether any name or string of an answer contains eight consecutive words of `instructions`,
/// regardless of case, whitespace and punctuation. A hostile video may have asked the model for
/// them. Speech and on-screen text are those of the video: what they contain is allowed everywhere.
[[nodiscard]] bool repeats_prompt(const answer_json& answer, std::string_view instructions);

}  // namespace reelsd::model
