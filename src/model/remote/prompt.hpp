#pragma once

#include <reelsd/model/analyzer.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What a remote model is asked: the files of src/model/prompt, filled in. One prompt and one
/// schema for all providers.
namespace reelsd::model {

/// Goes up whenever a file of src/model/prompt changes: results of one version may stand for each
/// other, of two may not. A test holds the files to it.
inline constexpr std::string_view prompt_version = "1";

struct prompt {
    std::string instructions;  ///< For the system's side.
    std::string task;          ///< After the video.
    /// Stands around the caption and nowhere else: random, so that no caption can end its block.
    std::string boundary;
};

struct prompt_request {
    const video_input& video;
    std::string_view media_note;  ///< What else than a video is given, a sentence; may be empty.
    std::string_view output_language;  ///< "English"
    std::string_view boundary;         ///< See new_boundary().
};

/// Pure. The caption is cut to 2,200 characters and loses control, bidirectional and zero-width
/// characters and whatever looks like the boundary.
[[nodiscard]] prompt make_prompt(const prompt_request& about);

/// 64 random bits as text.
[[nodiscard]] std::string new_boundary();

/// The schema as part of the task, for models that cannot be held to it.
[[nodiscard]] std::string schema_note();

/// What was wrong with an earlier answer, at most ten sentences of it.
[[nodiscard]] std::string repair_note(std::span<const std::string> violations);

}  // namespace reelsd::model
