#pragma once

#include <reelsd/base/foreign_json.hpp>

/// Parts of the API's documents. Pure.
namespace reelsd::cli {

/// Whether a question has an answer: one without a quotation is none.
[[nodiscard]] inline bool is_answered(const json& answer) {
    const auto& citations = member(answer, "citations");
    return boolean_of(answer, "answered").value_or(false) && citations.is_array() &&
           !citations.empty();
}

/// The key moments of a job's result, an array; null without a result.
[[nodiscard]] inline const json& key_moments_of(const json& job) {
    const auto& moments = member(member(member(job, "result"), "content"), "key_moments");
    static const json missing;
    return moments.is_array() ? moments : missing;
}

}  // namespace reelsd::cli
