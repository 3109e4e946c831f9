#pragma once

#include "answer_json.hpp"

#include <cstddef>
#include <string_view>

namespace reelsd::model {

/// Consecutive words of a text that no honest answer repeats by chance.
inline constexpr std::size_t leaked_words_min = 8;
/// A caller's shorter request may be a phrase that the video says as well.
inline constexpr std::size_t leaked_request_words_min = 5;

/// Whether any name or string of an answer contains `leaked_words_min` consecutive words of
/// `instructions`, or all of `request`, regardless of case, whitespace and punctuation. A hostile
/// video may have asked the model for them. Empty texts are never repeated.
[[nodiscard]] bool repeats_prompt(
    const answer_json& answer, std::string_view instructions, std::string_view request);

}  // namespace reelsd::model
