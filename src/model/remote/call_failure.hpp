#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::model {

/// Why a provider did not answer, as far as it determines the next step.
enum class failure_kind : std::uint8_t {
    misconfigured,      ///< The key, the model's name or our request; not the video.
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
    file_not_ready,     ///< An uploaded file is still being processed.
    file_gone,          ///< An uploaded file does not exist.
    no_calls_left,      ///< The job's own limit.
    budget_spent,       ///< The account's own limit.
    storage,            ///< Our disk, or a write that our database rejects.
    no_database,        ///< Our database is unavailable.
    cancelled,          ///< A stop was requested.
};

/// "rate_limited", for logs and metrics.
[[nodiscard]] std::string_view name_of(failure_kind kind) noexcept;

struct call_failure {
    failure_kind kind = failure_kind::transient;
    std::string detail = {};  ///< For logs: never a key, an upload address or base64.
    /// The delay before a retry that the provider names.
    std::optional<seconds_f> server_delay = {};
    /// Whether to retry, if the provider says so.
    std::optional<bool> should_retry = {};
    /// The model may have processed the request: an unreadable answer, or a gateway without an
    /// answer of the model (502, 504). The cost is unknown.
    bool may_be_billed = false;
};

/// Upper bound on tries, including the first, of a request that fails this way.
[[nodiscard]] int tries_max(const call_failure& why) noexcept;

/// The meaning of an HTTP status other than 200 that all providers share.
[[nodiscard]] failure_kind kind_of_status(int http_status) noexcept;

/// Whether a gateway got no answer from its upstream server (502, 504), which may still have
/// processed the request. Source: RFC 9110 15.6.3 and 15.6.5.
[[nodiscard]] bool is_gateway_failure(int http_status) noexcept;

/// Converts an error of a transfer or of the ledger.
[[nodiscard]] call_failure failure_from(const error& why);

/// The job's error when no further request can help.
[[nodiscard]] error error_from(const call_failure& why);

/// `text` with each `secret` masked. An empty secret masks nothing.
[[nodiscard]] std::string without_secret(std::string text, std::string_view secret);

/// At most 300 characters of a server's text, on one line, for logs.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace reelsd::model
