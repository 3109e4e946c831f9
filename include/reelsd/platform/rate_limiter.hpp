#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <string_view>

namespace reelsd::platform {

/// Why a resolver may not be asked yet, and for how long.
struct required_wait {
    seconds_f wait{0.0};
    /// The platform has asked to be left alone; otherwise it is our own pace.
    bool is_cooldown = false;
};

/// What became of one try of a resolver, as far as its pace is concerned.
enum class try_outcome : std::uint8_t {
    answered,      ///< The post, or a definite no: the resolver works.
    rate_limited,  ///< The platform may be throttling this client, or hiding this post.
    changed,       ///< An answer of unknown shape.
    failed,        ///< Anything else; it tells nothing.
    throttled,     ///< The platform throttles this client, whichever post is asked for.
};

struct finished_try {
    try_outcome outcome = try_outcome::failed;
    std::string_view code;  ///< That was looked up: a post's short code, or a share token.
};

/// Keeps the tries of all resolvers, of all daemons, to what the platform bears. Source:
/// platform.md 6. Blocking; safe from any thread.
class rate_limiter {
public:
    rate_limiter() = default;
    rate_limiter(const rate_limiter&) = delete;
    rate_limiter& operator=(const rate_limiter&) = delete;
    virtual ~rate_limiter() = default;

    /// Leave to try `resolver` once, now, when the wait is zero: then note() must follow. Otherwise
    /// how long to wait at least before asking again. Errors: database_unavailable, internal.
    [[nodiscard]] virtual result<required_wait> ask(std::string_view resolver, deadline by) = 0;

    /// Records how a try ended that ask() gave leave for, or logs that it could not be recorded.
    /// Returns how long the same code should not be looked up here again although other codes may:
    /// above 0 only for try_outcome::rate_limited that begins no cool-down.
    virtual seconds_f note(
        std::string_view resolver, const finished_try& ended, deadline by) noexcept = 0;
};

/// Never makes anybody wait: for an operator who asks by hand.
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

}  // namespace reelsd::platform
