#pragma once

#include <reelsd/base/error.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// Exit codes of `reels`, for scripts. `reels --help` and docs/guide/client.md list them.
enum class exit_code : int {
    ok = 0,             ///< Success.
    job_failed = 1,     ///< The job ended in `error`.
    usage = 2,          ///< The command line or the configuration is wrong; nothing was sent.
    server_failed = 3,  ///< No usable answer from the server, also after the retries.
    refused = 4,        ///< The server rejected the token, link or id, or a limit was reached.
    unfinished = 5,     ///< `--timeout` passed before the job ended.
    interrupted = 130,  ///< Ctrl-C, by the shell's convention 128 + SIGINT.
};

/// Maps the error of a request to an exit code.
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

/// A JSON document with those characters escaped that a terminal might obey although JSON allows
/// them raw (DEL and the 8-bit controls). The document's meaning is the same.
[[nodiscard]] std::string safe_json(std::string_view document);

}  // namespace reelsd::cli
