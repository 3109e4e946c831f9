#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/remote_analyzer.hpp>

#include <span>
#include <string>
#include <string_view>

/// The prompt of remote models: the files of src/model/prompt, filled in. All providers share
/// prompt and schema.
namespace reelsd::model {

/// Increased whenever a file of src/model/prompt changes, which a test enforces: only results of
/// one version are interchangeable.
inline constexpr std::string_view prompt_version = "3";

struct prompt_request {
    const video_input& video;
    std::string_view media_note;  ///< See chat_api::media_note(); may be empty.
    /// What is spoken, for a model that receives no sound; may be empty.
    std::span<const timed_text> speech = {};
    std::string_view output_language;  ///< "English"; the caller's language replaces it.
    std::string_view boundary;         ///< See new_boundary().
};

/// Pure. The caption is cut to 16,000 characters, with a warning; control, bidirectional and
/// zero-width characters and the boundary are removed from it. The options of the video add the
/// caller's request.
[[nodiscard]] prompt make_prompt(const prompt_request& request);

/// 64 random bits as text.
[[nodiscard]] std::string new_boundary();

/// A schema as part of the task, for providers that cannot enforce it.
[[nodiscard]] std::string schema_note(const json& schema);

/// The faults of an earlier answer, at most ten.
[[nodiscard]] std::string repair_note(std::span<const std::string> violations);

}  // namespace reelsd::model
