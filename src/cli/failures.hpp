#pragma once

#include <reelsd/base/error.hpp>

#include <chrono>
#include <optional>
#include <string_view>

/// Failed requests: the message for the user, the exit code and the delay before a retry. Pure.
namespace reelsd::cli {

/// Exit codes of `reels`, for scripts. `reels --help` and docs/guide/client.md list them.
enum class exit_code : int {
    ok = 0,             ///< Success.
    job_failed = 1,     ///< The job ended in `error`.
    usage = 2,          ///< The command line or the configuration is wrong; nothing was sent.
    server_failed = 3,  ///< No usable answer from the server, also after the retries.
    refused = 4,        ///< The server rejected the token, link or id, or a limit was reached.
    unfinished = 5,     ///< `--timeout` passed before the job ended.
    no_answer = 6,      ///< The reels do not answer the question.
    interrupted = 130,  ///< Ctrl-C, by the shell's convention 128 + SIGINT.
};

/// Maps the error of a request to an exit code, by default server_failed.
[[nodiscard]] exit_code exit_code_of(errc code) noexcept;

/// Converts a failed response to an error for the user: the server's message and the status.
/// `status` is anything but 2xx. Codes: unauthorized (401), not_found (404), limit_reached (429),
/// invalid_argument (other 4xx), connection_failed (redirects), internal (5xx).
[[nodiscard]] error failure_of(int status, std::string_view body);

/// A sentence that tells the user how to fix a failure; empty if the message already does.
[[nodiscard]] std::string_view advice_for(errc code) noexcept;

/// The seconds of a Retry-After header; nothing for its date form, which a retry bounded to a
/// minute does not need.
[[nodiscard]] std::optional<std::chrono::seconds> retry_after_of(
    std::optional<std::string_view> value);

/// Number and delays of the retries of a request.
struct retry_policy {
    int attempts_max = 3;                 ///< The first one counts.
    std::chrono::seconds first_delay{1};  ///< Doubled each time.
    /// Gives up if the server requests a longer delay, because a user waits at the terminal.
    std::chrono::seconds delay_max{60};
};

/// Outcome of one attempt.
struct attempt_outcome {
    std::optional<int> status;                        ///< HTTP status; none without a response.
    std::optional<std::chrono::seconds> retry_after;  ///< Requested by the server.
};

/// Delay before the next attempt, or nothing if the outcome is final. Retries 429, 500, 502, 503
/// and a missing response. `attempts_made` is at least 1. A longer Retry-After of the server
/// replaces the policy's delay; beyond `delay_max` there is no next attempt.
[[nodiscard]] std::optional<std::chrono::seconds> delay_before_next(
    const retry_policy& policy, int attempts_made, const attempt_outcome& outcome);

}  // namespace reelsd::cli
