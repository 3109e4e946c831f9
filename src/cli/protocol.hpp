#pragma once

#include <reelsd/base/error_reason.hpp>
#include <reelsd/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The protocol of the API: failed requests and their retries, URLs and links, and parsers of the
/// two streams, which arrive in chunks of any size. Pure.
namespace reelsd::cli {

/// Exit codes of `reels`, for scripts. `reels --help` and docs/guide/client.md list them.
enum class exit_code : int {
    ok = 0,             ///< Success.
    job_failed = 1,     ///< The job ended in `error`.
    usage = 2,          ///< The command line or the configuration is wrong; nothing was sent.
    server_failed = 3,  ///< No usable answer from the server, even after the retries.
    refused = 4,        ///< The server rejected the token, link or id, or a limit was reached.
    unfinished = 5,     ///< `--timeout` passed before the job ended.
    no_answer = 6,      ///< The reels do not answer the question.
    interrupted = 130,  ///< Ctrl-C, by the shell's convention 128 + SIGINT.
};

/// Maps the error of a request to an exit code, by default server_failed.
[[nodiscard]] exit_code exit_code_of(errc code) noexcept;

/// Converts a failed response to an error for the user: the server's message, the status, and the
/// reason from its header `X-Error-Code`, if any. `status` is anything but 2xx. Codes: unauthorized
/// (401), not_found (404), limit_reached (429), invalid_argument (other 4xx), connection_failed
/// (redirects), internal (5xx).
[[nodiscard]] error failure_of(int status, std::string_view body, std::string_view reason = {});

/// connection_failed for an answer that the API does not give: "the answer is not a JPEG".
[[nodiscard]] error no_reelsd_answer(std::string_view what);

/// Whether failure_of() has added this reason to the message.
[[nodiscard]] bool has_reason(const error& failure, error_reason reason);

/// A sentence that tells the user how to fix a failure; empty if the message already does.
[[nodiscard]] std::string_view advice_for(const error& failure);

/// When to try again: "40 s", or after more than an hour "2026-12-01 00:00 UTC".
[[nodiscard]] std::string retry_time_text(
    std::chrono::seconds wait, std::chrono::system_clock::time_point now);

/// The seconds of a Retry-After header; nothing for its date form, which a retry bounded to a
/// minute does not need.
[[nodiscard]] std::optional<std::chrono::seconds> retry_after_of(
    std::optional<std::string_view> value);

struct retry_policy {
    int attempts_max = 3;                 ///< The first one counts.
    std::chrono::seconds first_delay{1};  ///< Doubled each time.
    /// Gives up if the server requests a longer delay, because a user waits at the terminal.
    std::chrono::seconds delay_max{60};
};

struct attempt_outcome {
    std::optional<int> status;                        ///< HTTP status; none without a response.
    std::optional<std::chrono::seconds> retry_after;  ///< Requested by the server.
};

/// Delay before the next attempt, or nothing if the outcome is final. Retries 429, 500, 502, 503
/// and a missing response. `attempts_made` is at least 1. A longer Retry-After of the server
/// replaces the policy's delay; beyond `delay_max` there is no next attempt.
[[nodiscard]] std::optional<std::chrono::seconds> delay_before_next(
    const retry_policy& policy, int attempts_made, const attempt_outcome& outcome);

struct server_event {
    std::string name;  ///< "message" if the server sent no name.
    std::string data;  ///< Lines, joined by line feeds.

    friend bool operator==(const server_event&, const server_event&) = default;
};

/// Parses server-sent events. Source: the HTML standard, "Server-sent events", 9.2.6.
class event_reader {
public:
    /// `bytes_max` limits one event and the buffer of an incomplete event.
    explicit event_reader(std::size_t bytes_max) : bytes_max_{bytes_max} {}

    /// Returns the events that these bytes complete. Errors: connection_failed if an event exceeds
    /// `bytes_max`; the stream is unusable afterwards.
    [[nodiscard]] result<std::vector<server_event>> take(std::string_view bytes);

    /// Position in the stream for `Last-Event-ID`; empty until the server sends an id.
    [[nodiscard]] const std::string& last_event_id() const noexcept { return last_event_id_; }
    /// Reconnection delay that the server requested, if any.
    [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

private:
    void end_line(std::vector<server_event>& events);
    void end_event(std::vector<server_event>& events);

    std::size_t bytes_max_;
    bool is_first_line_ = true;
    bool was_return_ = false;  ///< A line feed that follows belongs to it.
    std::string line_;
    std::string name_;
    std::string data_;
    std::string id_;
    std::string last_event_id_;
    std::optional<std::chrono::milliseconds> retry_;
};

/// Detects an incomplete export. The last line of a complete one contains `end` and the number of
/// lines before it. Stores only the beginning of each line.
class export_lines {
public:
    void take(std::string_view piece);

    /// Number of lines before the last one; empty unless the last line confirms it.
    [[nodiscard]] std::optional<std::int64_t> count_if_complete() const;

private:
    std::string line_;  ///< Beginning of the incomplete line.
    std::string last_;  ///< Beginning of the last complete line.
    std::int64_t ended_ = 0;
};

struct query_parameter {
    std::string_view name;
    std::optional<std::string> value;  ///< None: the parameter is left out.
};

/// `path` with the parameters that have a value, percent-encoded: "/api/v1/reels?limit=20".
[[nodiscard]] std::string path_with_query(
    std::string_view path, const std::vector<query_parameter>& parameters);

/// The decoded value of a query parameter of a link; empty if the link has none of that name.
[[nodiscard]] std::optional<std::string> parameter_of(
    std::string_view link, std::string_view parameter);

/// The target of the first link with the relation "next" in a Link header (RFC 8288), unchanged;
/// empty if there is none or the header is malformed.
[[nodiscard]] std::optional<std::string> next_link_of(std::string_view link_header);

}  // namespace reelsd::cli
