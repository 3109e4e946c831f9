#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <stop_token>
#include <string_view>

namespace reelsd::platform {

/// Why a resolver may not be used yet, and for how long.
struct required_wait {
    seconds_f wait{0.0};
    /// The resolver cools down after a refusal of the platform. Otherwise it is our own rate limit.
    bool is_cooldown = false;
};

/// Outcome of one look-up of a resolver, for its rate limit.
enum class try_outcome : std::uint8_t {
    answered,      ///< The post, or a definite error: the resolver works.
    rate_limited,  ///< The platform may be throttling this client, or hiding this post.
    changed,       ///< A response of unknown format.
    failed,        ///< Anything else.
    throttled,     ///< The platform throttles this client for all posts.
};

struct finished_try {
    try_outcome outcome = try_outcome::failed;
    std::string_view code;  ///< A post's short code, or a share token.
};

/// Limits the look-ups of all resolvers and daemons to the rate that the platform accepts (ADR 9).
/// Blocking; safe from any thread.
class rate_limiter {
public:
    rate_limiter() = default;
    rate_limiter(const rate_limiter&) = delete;
    rate_limiter& operator=(const rate_limiter&) = delete;
    virtual ~rate_limiter() = default;

    /// Requests a permit for one look-up by `resolver`. A wait of zero grants it, and note() must
    /// follow; otherwise wait at least that long before the next call. Errors:
    /// database_unavailable, internal.
    [[nodiscard]] virtual result<required_wait> ask(std::string_view resolver, deadline by) = 0;

    /// The resolver, by its routed name, of a permit that was granted before; empty without one.
    [[nodiscard]] virtual std::string_view permitted() const noexcept { return {}; }

    /// Records the outcome of a look-up with a permit, or logs that this failed. Returns how long
    /// the same code should not be looked up here again although other codes may: above 0 only for
    /// try_outcome::rate_limited that begins no cool-down.
    virtual seconds_f note(
        std::string_view resolver, const finished_try& ended, deadline by) noexcept = 0;
};

/// Grants every permit: for an operator's manual look-ups.
class no_rate_limit final : public rate_limiter {
public:
    [[nodiscard]] result<required_wait> ask(
        std::string_view /*resolver*/, deadline /*by*/) override {
        return required_wait{};
    }
    seconds_f note(
        std::string_view /*resolver*/, const finished_try& /*ended*/,
        deadline /*by*/) noexcept override {
        return seconds_f{0};
    }
};

/// How long a worker waits for the permit of an attempt's first look-up. The queue has longer
/// waits; it retries once a second.
inline constexpr seconds_f first_patience{1.0};

/// A permit for `resolver`, or the remaining wait when `patience` or the time is over. Errors:
/// those of rate_limiter::ask(), and cancelled.
[[nodiscard]] result<required_wait> wait_for_permit(
    std::string_view resolver, rate_limiter& pace, seconds_f patience, deadline by,
    const std::stop_token& stop);

/// rate_limiter::note() with a separate deadline, so that a slow look-up is recorded too.
seconds_f note_try(
    rate_limiter& pace, std::string_view resolver, const finished_try& ended,
    const std::stop_token& stop);

}  // namespace reelsd::platform
