#pragma once

#include "output.hpp"

#include <chrono>
#include <cstdint>

namespace reelsd::cli {

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
