#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace reelsd::model {

/// What a model wrote. Not the house's ordered JSON: that one compares a new name with all before
/// it, and a hostile object of 100,000 names would take minutes.
using answer_json = nlohmann::json;

/// Eight times the answer that the largest reel needs (model-api's 32,768 output tokens at 4
/// bytes).
inline constexpr std::size_t answer_bytes_max = std::size_t{1024} * 1024;
/// The schema has 5 levels.
inline constexpr std::size_t answer_depth_max = 32;

/// 500 segments, 200 texts and the rest make 5,000 values; ten times that. A parser that allocates
/// each of the 300,000 values that 1 MiB can hold takes 60 ms for it.
inline constexpr std::size_t answer_values_max = 50'000;

struct parsed_answer {
    answer_json object;     ///< An object when there is no violation.
    std::string violation;  ///< Why there is none; empty when there is.
};

/// The JSON object in a model's text: thoughts, fences and prose around it are ignored, of several
/// the largest counts. Within it the parse is strict; of a name that stands twice the last counts.
/// One that is cut off is a violation and is never completed. Throws nothing but bad_alloc.
[[nodiscard]] parsed_answer parse_answer(std::string_view text);

/// Whether any name or string in it holds `tag`, in whatever letter case and with whatever
/// invisible characters in between. An empty tag is held by nothing.
[[nodiscard]] bool holds_tag(const answer_json& value, std::string_view tag);

}  // namespace reelsd::model
