#pragma once

#include "commands.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// What a command prints: text for people, or the API's JSON.
enum class output_form : std::uint8_t { page, json };

[[nodiscard]] inline output_form form_of(bool as_json) {
    return as_json ? output_form::json : output_form::page;
}

/// Removes the live line and prints `text`, with a line break at its end.
void print(const command_context& context, std::string text);

/// Prints a JSON document without raw characters that control a terminal.
void print_json(const command_context& context, std::string_view document);

/// Prints the error and advice for the user; returns the exit code of the error.
[[nodiscard]] exit_code report(const command_context& context, const error& why);

/// How long `--wait` waits unless `--timeout` says otherwise: three attempts of a job, each at its
/// limit of 10 minutes, and as long again in the queue.
inline constexpr std::chrono::seconds wait_default{3600};

/// Prints the job. Its status decides the exit code: job_failed when it is `error`, else ok.
[[nodiscard]] exit_code print_job(
    const command_context& context, const api_answer& job, output_form form);

/// Waits until job `id` is done or has failed, at most `at_most`, showing how it stands, and prints
/// it. When the wait ends early (interrupt, time, server) it says how to get the job later.
[[nodiscard]] exit_code wait_and_print_job(
    const command_context& context, std::int64_t id, std::chrono::seconds at_most,
    output_form form);

}  // namespace reelsd::cli
