#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::model {

/// Why a provider has not answered a question, as far as it decides what comes next.
enum class failure_kind : std::uint8_t {
    misconfigured,      ///< Its key, the model's name or our request: no video's fault.
    unauthorized,       ///< A 401, which is sometimes an overload.
    quota_exhausted,    ///< Used up for long.
    rate_limited,       ///< Too many questions at once.
    overloaded,         ///< Too many questions of others.
    transient,          ///< A server's or the network's fault.
    server_fault,       ///< The same, or a video that it stumbles over.
    slow,               ///< It gave up, or we did.
    video_rejected,     ///< It cannot read this video.
    payload_too_large,  ///< The request; the video may be sent otherwise.
    schema_refused,     ///< Too complex for it, or not known at all.
    thinking_refused,   ///< It does not take such thinking settings, or some name of ours.
    store_refused,      ///< It does not know that it can be told to keep nothing.
    limit_refused,      ///< It calls the limit of an answer by another name.
    file_not_ready,     ///< An uploaded file is still being worked on.
    file_gone,          ///< An uploaded file is not there.
    no_calls_left,      ///< The job's own limit.
    budget_spent,       ///< The account's own limit.
    storage,            ///< Our own disk, or a write that our database refuses.
    no_database,        ///< It gave no answer: nothing could be asked for.
    cancelled,          ///< We were asked to stop.
};

/// "rate_limited", for logs and metrics.
[[nodiscard]] std::string_view name_of(failure_kind kind) noexcept;

struct call_failure {
    failure_kind kind = failure_kind::transient;
    std::string detail = {};  ///< For logs: never a key, an upload address or base64.
    /// When the provider says itself that it may be asked again.
    std::optional<seconds_f> server_delay = {};
    /// Whether to try again at all, where the provider says so.
    std::optional<bool> should_retry = {};
    /// The model may have worked on the question: an answer that cannot be read, or a gateway that
    /// has lost the connection to the model or its patience (502, 504). The cost is unknown.
    bool may_be_billed = false;
};

/// What an HTTP status other than 200 means at every provider.
[[nodiscard]] failure_kind kind_of_status(int http_status) noexcept;

/// Whether an HTTP status says that a gateway got no answer from the server behind it: 502 and 504.
/// That server may still have worked on the request. Source: RFC 9110 15.6.3 and 15.6.5.
[[nodiscard]] bool is_gateway_failure(int http_status) noexcept;

/// What a failed transfer means.
[[nodiscard]] call_failure failure_from(const error& why);

/// What is left for the job when nothing more can be tried.
[[nodiscard]] error error_from(const call_failure& why);

/// `text` with each `secret` in it blotted out. An empty secret is none.
[[nodiscard]] std::string without_secret(std::string text, std::string_view secret);

/// At most 300 characters of what a server said, on one line, for logs.
[[nodiscard]] std::string excerpt(std::string_view said);

}  // namespace reelsd::model
