#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/model/findings.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// From the text that a remote model wrote to an analysis.
namespace reelsd::model {

/// src/model/prompt/schema.json: what providers are asked for, with members in the order in which
/// they are to be written.
[[nodiscard]] const json& answer_schema();

/// What the answer is held against. Views outlive the call.
struct answer_context {
    double duration_seconds = 0;  ///< Measured from the file.
    /// The random tag around the caption in the prompt: an answer that holds it is refused, because
    /// it was made by somebody who speaks through the material. Empty: no tag.
    std::string_view boundary;
};

/// What an answer comes to. `said` may be there although there are violations: then it is the best
/// that can be made of the answer, for when no call is left.
struct parsed_sections {
    /// `provider`, `model_name` and `warnings` are for the caller to fill. Times lie in [0,
    /// duration] and ascend, text is clean, nothing exceeds result_bounds. Absent when nothing is
    /// usable.
    std::optional<findings> said;
    /// For the model, a short sentence each, at most 10, without any text of its answer. Not empty:
    /// ask again if a call is left.
    std::vector<std::string> violations;
    /// For people: what was put right. To go into `metadata.warnings` if `said` is used.
    std::vector<std::string> warnings;
};

/// Reads an answer by the schema of the prompt, tolerantly: prose and fences around the object,
/// other spellings of values and names are taken for what they mean; what is missing, cut off or
/// repeats itself is a violation. Pure; throws nothing but bad_alloc. A text of 1 MiB takes
/// milliseconds, whatever stands in it; a longer one is refused unread.
[[nodiscard]] parsed_sections read_answer(std::string_view text, const answer_context& context);

}  // namespace reelsd::model
