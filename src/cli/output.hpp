#pragma once

#include "commands.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// Text for people, or the API's JSON.
enum class output_form : std::uint8_t { page, json };

[[nodiscard]] inline output_form form_of(bool as_json) {
    return as_json ? output_form::json : output_form::page;
}

/// Removes the live line and prints `text`, with a line break at its end.
void print(const command_context& context, std::string text);

/// Prints a JSON document as safe_json().
void print_json(const command_context& context, std::string_view document);

/// Prints the error and advice for the user; returns the exit code of the error.
[[nodiscard]] exit_code report(const command_context& context, const error& failure);

/// Default of `--timeout`: three attempts of a job at their limit of 10 minutes, and as much time
/// in the queue.
inline constexpr std::chrono::seconds wait_default{3600};

/// Prints the job. Returns job_failed for the status `error`, else ok.
[[nodiscard]] exit_code print_job(
    const command_context& context, const api_answer& job, output_form form);

/// Waits up to `wait` until job `id` is done or has failed, shows its progress and prints it. If
/// the wait ends early, prints how to get the job later.
[[nodiscard]] exit_code wait_and_print_job(
    const command_context& context, std::int64_t id, std::chrono::seconds wait, output_form form);

}  // namespace reelsd::cli
