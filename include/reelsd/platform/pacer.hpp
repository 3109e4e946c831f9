#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <string_view>

namespace reelsd::platform {

/// Why a resolver may not be asked yet, and for how long.
struct postponement {
    seconds_f wait{0.0};
    /// The platform has asked to be left alone; otherwise it is our own pace.
    bool is_cooldown = false;
};

/// What became of one try of a resolver, as far as its pace is concerned.
enum class try_outcome : std::uint8_t {
    answered,      ///< The post, or a definite no: the resolver works.
    rate_limited,  ///< The platform asks to be left alone.
    changed,       ///< An answer of unknown shape.
    failed,        ///< Anything else; it tells nothing.
};

/// Keeps the tries of all resolvers, of all daemons, to what the platform bears. Source:
/// platform.md 6. Blocking; safe from any thread.
class pacer {
public:
    pacer() = default;
    pacer(const pacer&) = delete;
    pacer& operator=(const pacer&) = delete;
    virtual ~pacer() = default;

    /// Leave to try `resolver` once, now, when the wait is zero: then note() must follow. Otherwise
    /// how long to wait at least before asking again. Errors: database_unavailable, internal.
    [[nodiscard]] virtual result<postponement> ask(std::string_view resolver, deadline by) = 0;

    /// How a try ended that ask() gave leave for. What can't be written is logged.
    virtual void note(std::string_view resolver, try_outcome outcome, deadline by) noexcept = 0;
};

/// Never makes anybody wait: for an operator who asks by hand.
class no_pacing final : public pacer {
public:
    [[nodiscard]] result<postponement> ask(
        std::string_view /*resolver*/, deadline /*by*/) override {
        return postponement{};
    }
    void note(
        std::string_view /*resolver*/, try_outcome /*outcome*/, deadline /*by*/) noexcept override {
    }
};

}  // namespace reelsd::platform
