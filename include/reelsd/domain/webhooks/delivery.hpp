#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/error.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reelsd::webhooks {

using delivery_id = strong_id<struct delivery_tag>;

/// As in SQL (`webhook_state`) and JSON. `pending`: a try is in progress or will follow.
BOOST_DEFINE_FIXED_ENUM_CLASS(delivery_state, std::uint8_t, pending, delivered, failed)
using reelsd::name_of;

/// A delivery as its owner sees it.
struct delivery {
    delivery_id id;
    std::string message_id;                   ///< `webhook-id`
    std::optional<job_id> job;                ///< Empty for a test.
    std::optional<std::int64_t> search = {};  ///< The saved search that the job's reel matches.
    std::string url;
    delivery_state state = delivery_state::pending;
    int tries = 0;
    std::optional<int> status_code;  ///< HTTP status of the last try, if answered.
    std::string cause;               ///< Why the last try failed; empty if it succeeded.
    std::optional<seconds_f> took;   ///< Of the last try.
    std::string answer;              ///< Beginning of the body of its answer.
    time_point created_at;
    std::optional<time_point> tried_at;
    std::optional<time_point> next_try_at;  ///< Empty while a try is in progress.
    std::optional<time_point> ended_at;
};

/// What a try received, for the log.
struct try_record {
    seconds_f took{0};
    std::string answer = {};  ///< Beginning of the body: text without U+0000.
};

/// The one try of a test, which has no job.
struct delivery_test {
    std::string message_id;
    std::string url;
    time_point tried_at;
    std::optional<int> status_code = {};
    std::string cause = {};  ///< Empty if it succeeded.
    try_record record = {};
};

/// A delivery for this daemon to try now. `claim` identifies the try.
struct claimed_delivery {
    delivery_id id;
    std::int32_t claim = 0;
    account_id account;
    std::string message_id;
    /// Empty if the account's default was removed.
    std::optional<std::string> url;
    int tries = 1;           ///< Includes this one.
    int round_tries = 1;     ///< Since it was created or redelivered.
    seconds_f time_left{0};  ///< Until it is abandoned; may be negative.
    jobs::job job;           ///< With its result.
    /// Of a reel that matches a saved search: {"search": {...}, "score": 0.71} as text. Empty: the
    /// end of the job is reported.
    std::optional<std::string> match = {};
    bool is_test = false;              ///< The job is a sample, and there is no row.
    std::vector<std::string> secrets;  ///< All that sign, the current one first; may be empty.
};

/// The body of a delivery: the job, or the match with the job as its `reel`; of a test, the job
/// with the `type` "webhook.test". Pure.
[[nodiscard]] std::string delivery_body(const claimed_delivery& delivery);

/// Outcome of a try, for step_after().
struct delivery_try {
    std::optional<int> status_code;             ///< HTTP status of a complete response.
    errc failure = errc::internal;              ///< Set without a complete response.
    std::string_view fault = {};                ///< Of a failed connection: a phrase, if known.
    std::optional<seconds_f> retry_after = {};  ///< From the answer.
    std::string answer = {};                    ///< Beginning of its body: text without U+0000.
};

[[nodiscard]] constexpr bool is_success(int status_code) noexcept {
    return status_code >= 200 && status_code < 300;
}

/// Bytes of an answer as text for try_record: without U+0000, and with U+FFFD in place of anything
/// that is not UTF-8. Pure.
[[nodiscard]] std::string answer_text(std::string_view bytes);

/// Why a try that is no success has failed, for the account's owner. Pure.
[[nodiscard]] std::string cause_of(const delivery_try& ended);

/// Transitions of a delivery after a try.
struct delivered {
    int status_code = 200;
};
struct snoozed {
    seconds_f delay{0};
    std::optional<int> status_code;
    std::string cause;
};
struct given_up {
    std::optional<int> status_code;
    std::string cause;
};
/// The daemon is stopping: the try does not count.
struct released {};
using delivery_step = std::variant<delivered, snoozed, given_up, released>;

/// Time limit of a try. The documentation asks receivers to answer before they process.
inline constexpr seconds_f try_time_max{15.0};

/// Twice the longest try, to leave time for its report.
inline constexpr seconds_f delivery_lease{30.0};

/// Returns the delay before the next try. `round_tries`: failed tries, at least 1. `base`: the
/// first delay. `spread` from 0 to 1 shifts it by up to a tenth, so that tries that failed together
/// do not coincide again. Pure.
[[nodiscard]] seconds_f delay_after(int round_tries, seconds_f base, double spread);

/// State of a delivery, for step_after().
struct retry_context {
    int round_tries = 1;
    seconds_f time_left{0};
};

/// Any 2xx is a success. 410 and an invalid or forbidden address are final. Everything else is
/// retried while time is left. `Retry-After` of 429 and 503 extends the delay, up to the longest
/// delay. Pure.
[[nodiscard]] delivery_step step_after(
    const delivery_try& ended, const retry_context& context, seconds_f base, double spread);

/// Parses `Retry-After`: seconds, or a date relative to `now`. Empty when it is neither; never
/// negative. Pure. Source: RFC 9110 10.2.3.
[[nodiscard]] std::optional<seconds_f> retry_after_in(std::string_view text, time_point now);

/// "whsec_" and base64 of 32 random bytes. Throws when the system has none.
[[nodiscard]] std::string generate_webhook_secret();

/// The signed content.
struct signed_message {
    std::string_view id;         ///< `webhook-id`
    std::int64_t timestamp = 0;  ///< `webhook-timestamp`: Unix seconds of this try.
    std::string_view body;
};

/// Returns `webhook-signature`: "v1,BASE64" for each secret, separated by spaces. Skips malformed
/// secrets. Pure. Source: the Standard Webhooks specification.
[[nodiscard]] std::string signatures_of(
    const signed_message& message, std::span<const std::string> secrets);

}  // namespace reelsd::webhooks
