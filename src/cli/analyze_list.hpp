#pragma once

#include "output.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::cli {

/// Arguments of `reels analyze`.
struct analyze_arguments {
    std::vector<std::string> links;  ///< Also paths of files. Empty: read from standard input.
    submission options;              ///< For each of them; `link` is that of a single file's post.
    bool wait = false;
    bool as_json = false;
    std::int64_t timeout_seconds = wait_default.count();
    /// Derives Idempotency-Keys from the links, so that the same command continues within 24 hours.
    bool is_resumable = false;
};

/// submit_file() with its progress shown.
[[nodiscard]] result<api_answer> upload(
    const command_context& context, const std::string& file, const submission& options);

/// Splits a list into requests that the server accepts: the number of links in each, in order.
[[nodiscard]] std::vector<std::size_t> parts_of(const std::vector<std::string>& links);

/// "[####----] 4 of 8 ended".
[[nodiscard]] std::string progress_bar(std::size_t ended, std::size_t links);

/// Submits two or more links and files in order and reports each: on standard output its id, or
/// with `wait` its analysis, and on standard error why it was rejected. As JSON: one array with an
/// element for each. Returns the exit code of the first failure. A failure of the server ends the
/// command.
[[nodiscard]] exit_code run_analyze_list(
    const command_context& context, const analyze_arguments& arguments);

}  // namespace reelsd::cli
