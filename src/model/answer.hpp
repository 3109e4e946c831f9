#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/model/findings.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// From the text of a remote model to an analysis.
namespace reelsd::model {

/// The files of src/model/prompt, written by the build.
namespace prompt_files {
extern const std::string_view instructions;
extern const std::string_view request;
extern const std::string_view task;
extern const std::string_view repair;
extern const std::string_view schema;
}  // namespace prompt_files

/// src/model/prompt/schema.json: the schema that providers are given. Members are in the order in
/// which models must write them.
[[nodiscard]] const json& answer_schema();

/// What the answer is checked against. Views outlive the call.
struct answer_context {
    double duration_seconds = 0;  ///< Measured from the file.
    /// The random tag around the caption in the prompt. An answer that contains it is refused,
    /// because the material has instructed the model. Empty: no tag.
    std::string_view boundary;
    /// The caller's schema; null: `extract` is not read.
    const json* extract_schema = nullptr;
    /// The rules of the prompt, which an answer must not repeat, see repeats_prompt(). Without the
    /// caller's instructions: a model that obeys them may repeat their words.
    std::string_view instructions = {};
};

/// `reported` may be present although there are violations: it is the best that can be made of the
/// answer, for when no call is left.
struct parsed_sections {
    /// Absent when nothing is usable. Times are in [0, duration] and ascend, text is clean, nothing
    /// exceeds result_bounds. The caller sets provider, model and warnings.
    std::optional<findings> reported;
    /// At most 10 short sentences for the model, without any text of its answer.
    std::vector<std::string> violations;
    /// Corrections, for `metadata.warnings` if `reported` is used.
    std::vector<std::string> warnings;
    /// The answer to the caller's schema as JSON text; empty if it is missing or not valid, which
    /// `extract_violations` explain.
    std::string extract;
    std::vector<std::string> extract_violations;
};

/// Reads an answer by the schema of the prompt, leniently: accepts prose and fences around the
/// object and other spellings of values and names; missing, truncated and repeated parts are
/// violations. Pure; throws only bad_alloc. Takes milliseconds for any text of 1 MiB; longer texts
/// are refused.
[[nodiscard]] parsed_sections read_answer(std::string_view text, const answer_context& context);

}  // namespace reelsd::model
