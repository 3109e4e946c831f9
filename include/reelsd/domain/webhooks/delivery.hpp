#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
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

/// As in SQL (`webhook_state`) and JSON. `pending`: it is tried, now or later.
enum class delivery_state : std::uint8_t { pending, delivered, failed };

[[nodiscard]] std::string_view name_of(delivery_state state) noexcept;
/// Decode at the edge; `internal` for an unknown name.
[[nodiscard]] result<delivery_state> delivery_state_from(std::string_view name);

/// A delivery as its owner sees it: a line of the log.
struct delivery {
    delivery_id id;
    std::string message_id;  ///< `webhook-id`
    job_id job;
    std::string url;
    delivery_state state = delivery_state::pending;
    int tries = 0;
    std::optional<int> status_code;  ///< Of the last try, if it was answered.
    std::string cause;               ///< Why the last try was no success; empty if it was one.
    time_point created_at;
    std::optional<time_point> tried_at;
    std::optional<time_point> next_try_at;  ///< Nothing while a try is under way.
    std::optional<time_point> ended_at;
};

/// A delivery that this daemon is to try now. `claim` names the try.
struct claimed_delivery {
    delivery_id id;
    std::int32_t claim = 0;
    account_id account;
    std::string message_id;
    /// Where to; nothing: its account's default was removed.
    std::optional<std::string> url;
    int tries = 1;                     ///< This one included.
    int round_tries = 1;               ///< Of these, since it was made or asked for again.
    seconds_f time_left{0};            ///< Until it is given up; may be negative.
    jobs::job job;                     ///< With its result.
    std::vector<std::string> secrets;  ///< All that sign, the one of now first; may be none yet.
};

/// How a try went, as far as a decision needs it.
struct delivery_try {
    std::optional<int> status_code;             ///< Of a whole answer.
    errc failure = errc::internal;              ///< Without one.
    std::optional<seconds_f> retry_after = {};  ///< What the answer asks for.
};

/// What becomes of a delivery after a try.
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
/// The daemon stops: the try does not count.
struct released {};
using delivery_step = std::variant<delivered, snoozed, given_up, released>;

/// How long a try may take in all. Receivers are told to answer first and to work then.
inline constexpr seconds_f try_time_max{15.0};

/// For how long nobody else tries: twice the longest try, for its report.
inline constexpr seconds_f delivery_lease{30.0};

/// The wait before the next try. `round_tries` have failed, at least 1; `base` is the first wait,
/// which the others are multiples of; `spread` from 0 to 1 moves it by up to a tenth either way, so
/// that what failed together does not come together. Pure.
[[nodiscard]] seconds_f delay_after(int round_tries, seconds_f base, double spread);

/// What is needed to decide on the step after a try.
struct retry_context {
    int round_tries = 1;
    seconds_f time_left{0};
};

/// Success is any 2xx. 410, an address that is not allowed or none, end it; everything else is
/// tried again unless it would be too late. `Retry-After` of 429 and 503 makes a wait longer, up to
/// the longest of ours, never shorter. Pure.
[[nodiscard]] delivery_step step_after(
    const delivery_try& ended, const retry_context& context, seconds_f base, double spread);

/// The value of a header `Retry-After`: seconds, or a date seen from `now`; nothing when it is
/// neither. Never negative. Pure. Source: RFC 9110 10.2.3.
[[nodiscard]] std::optional<seconds_f> retry_after_in(std::string_view text, time_point now);

/// "whsec_" and base64 of 32 random bytes. Throws when the system has none.
[[nodiscard]] std::string generate_webhook_secret();

/// What is signed. The views need to live through the call alone.
struct signed_message {
    std::string_view id;         ///< `webhook-id`
    std::int64_t timestamp = 0;  ///< `webhook-timestamp`: Unix seconds of this try.
    std::string_view body;
};

/// `webhook-signature`: "v1,BASE64" for each secret, separated by blanks. A secret that is none of
/// ours signs nothing. Pure.
[[nodiscard]] std::string signatures_of(
    const signed_message& message, std::span<const std::string> secrets);

}  // namespace reelsd::webhooks
