#pragma once

#include "output.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::cli {

/// Several links and video files to analyse.
struct analyze_list {
    std::vector<std::string> links;  ///< 2 or more; also paths of files.
    bool fresh = false;
    std::optional<std::string> idempotency_key = {};
    /// A repeat with the same links within 24 hours continues: keys are made of the links.
    bool is_resumable = false;
    /// How long to wait for all of them together; nothing: not at all.
    std::optional<std::chrono::seconds> wait = {};
};

/// Whether an argument names a video file rather than a link: it has no scheme, and is a file or
/// has the ending of a video's.
[[nodiscard]] bool is_video_file(const std::string& argument);

/// submit_file() with its progress shown.
[[nodiscard]] result<api_answer> upload(
    const command_context& context, const std::string& file, const submission& wanted);

/// Where to cut a list so that each part may be sent at once: the sizes of the parts, in order.
[[nodiscard]] std::vector<std::size_t> parts_of(const std::vector<std::string>& links);

/// How far a list is: "[####----] 4 of 8 ended". Pure.
[[nodiscard]] std::string progress_bar(std::size_t ended, std::size_t links);

/// Submits the links, in their order, and says what became of each: on standard output a number for
/// each that was queued, or with `wait` its analysis; on standard error those that were refused. As
/// JSON: one array with an element for each link. The exit code is that of the first link that did
/// not go well; trouble with the server ends the command.
[[nodiscard]] exit_code run_analyze_list(
    const command_context& context, const analyze_list& wanted, output_form form);

}  // namespace reelsd::cli
