#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/platform/rate_limiter.hpp>

#include <stop_token>
#include <string_view>

namespace reelsd::platform {

/// How long a worker waits for the turn of the first look-up of an attempt. Longer waits are the
/// queue's; it looks once a second.
inline constexpr seconds_f first_patience{1.0};

/// A permit to ask `resolver` now, or the wait that is left when `patience` or the time is over.
/// Errors: as rate_limiter::ask(), and cancelled.
[[nodiscard]] result<required_wait> wait_for_permit(
    std::string_view resolver, rate_limiter& pace, seconds_f patience, deadline by,
    const std::stop_token& stop);

/// rate_limiter::note() with a time of its own, so that what was learnt is not lost with a slow
/// answer.
seconds_f note_try(
    rate_limiter& pace, std::string_view resolver, const finished_try& ended,
    const std::stop_token& stop);

}  // namespace reelsd::platform
