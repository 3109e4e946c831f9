#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/error.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// Why a request failed, how often and when it is retried, and the delays that servers name.
namespace reelsd::model {

/// Why a provider did not answer, as far as it determines the next step.
enum class failure_kind : std::uint8_t {
    misconfigured,      ///< The key, the model's name or our request; not the video.
    unlisted,           ///< The server does not list the model. Some serve more than they list.
    unauthorized,       ///< A 401, which is sometimes an overload.
    quota_exhausted,    ///< Not available again for hours.
    rate_limited,       ///< Too many requests by this key.
    overloaded,         ///< Too many requests by all clients.
    transient,          ///< A fault of the server or the network.
    server_fault,       ///< The same, or a video that crashes the server.
    slow,               ///< Timed out, there or here.
    video_rejected,     ///< The provider cannot read this video.
    payload_too_large,  ///< The video may be uploaded instead.
    schema_refused,     ///< Too complex, or not supported.
    thinking_refused,   ///< Thinking settings, or an unknown field, are not accepted.
    store_refused,      ///< "store" is not known.
    limit_refused,      ///< The token limit has another name.
    limit_too_large,    ///< The token limit exceeds the model's.
    context_exceeded,   ///< The request and the token limit do not fit the model's context.
    request_too_large,  ///< More bytes or images than this server accepts in a request.
    input_flagged,      ///< The provider's moderation rejects the video or a text.
    file_not_ready,     ///< An uploaded file is still being processed.
    file_gone,          ///< An uploaded file does not exist.
    no_calls_left,      ///< The job's own limit.
    budget_spent,       ///< The account's own limit.
    storage,            ///< Our disk, or a write that our database rejects.
    media_child,        ///< Our media child, or no time for it.
    no_database,        ///< Our database is unavailable.
    cancelled,          ///< A stop was requested.
};
BOOST_DESCRIBE_ENUM(
    failure_kind, misconfigured, unlisted, unauthorized, quota_exhausted, rate_limited, overloaded,
    transient, server_fault, slow, video_rejected, payload_too_large, schema_refused,
    thinking_refused, store_refused, limit_refused, limit_too_large, context_exceeded,
    request_too_large, input_flagged, file_not_ready, file_gone, no_calls_left, budget_spent,
    storage, media_child, no_database, cancelled)

struct call_failure {
    failure_kind kind = failure_kind::transient;
    std::string detail = {};  ///< For logs: never a key, an upload address or base64.
    /// The delay before a retry that the provider names.
    std::optional<seconds_f> server_delay = {};
    /// Whether to retry, if the provider says so or retries have been made.
    std::optional<bool> should_retry = {};
    /// The model may have processed the request: no answer or an unreadable one to a whole request,
    /// or a gateway without an answer of the model. The cost is unknown.
    bool may_be_billed = false;
};

/// Upper bound on tries, including the first, of a request that fails this way.
[[nodiscard]] int tries_max(const call_failure& why) noexcept;

/// The meaning of an HTTP status other than 200 that all providers share.
[[nodiscard]] failure_kind kind_of_status(int http_status) noexcept;

/// Whether a gateway got no answer from its upstream server, which may still have processed the
/// request: 502 and 504 (RFC 9110 15.6.3 and 15.6.5), 520 and 524 of Cloudflare, and 408, which
/// LiteLLM sends when the model is too slow.
[[nodiscard]] bool is_gateway_failure(int http_status) noexcept;

/// Converts an error of a transfer or of the ledger.
[[nodiscard]] call_failure failure_from(const error& why);

/// The job's error when no further request can help.
[[nodiscard]] error error_from(const call_failure& why);

/// `text` with each `secret` masked. An empty secret masks nothing.
[[nodiscard]] std::string without_secret(std::string text, std::string_view secret);

/// The same for the detail of a failure.
[[nodiscard]] call_failure masked(call_failure why, std::string_view secret);

/// At most 300 characters of a server's text, on one line, for logs.
[[nodiscard]] std::string excerpt(std::string_view text);

/// Retry in this worker, after a pause.
struct try_again {
    seconds_f pause{0};
};
/// Return the job to the queue until `wait` has passed. No worker may call the model until then:
/// other jobs would fetch their videos for a model that does not answer.
struct snooze {
    seconds_f wait{0};
};
struct give_up {};
using next_try = std::variant<try_again, snooze, give_up>;

/// Pure. `tries` of the same request have been made, including the failed one; `jitter` in [0, 1]
/// spreads the pauses of workers that failed together.
[[nodiscard]] next_try after_failed_try(const call_failure& why, int tries, double jitter) noexcept;

/// "31s", "34.07s", "900ms" as proto-JSON writes durations. Empty for other text.
[[nodiscard]] std::optional<seconds_f> duration_from(std::string_view text);

/// "... Please retry in 31.2s." within a message.
[[nodiscard]] std::optional<seconds_f> delay_in_message(std::string_view message);

/// The fields `retry-after-ms` and `retry-after` (seconds, or an HTTP date relative to `now`).
[[nodiscard]] std::optional<seconds_f> delay_in_headers(
    const net::header_list& headers, std::chrono::system_clock::time_point now);

/// The later of `x-ratelimit-reset-requests` and `-tokens` ("1s", "6m0s", "20ms") whose
/// `x-ratelimit-remaining-...` is 0.
[[nodiscard]] std::optional<seconds_f> delay_in_limits(const net::header_list& headers);

/// Until daily quotas are reset: midnight Pacific time, taken as 08:00 UTC, in summer an hour late.
[[nodiscard]] seconds_f until_next_quota_day(std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
