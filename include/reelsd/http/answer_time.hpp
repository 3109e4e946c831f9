#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/http/request_context.hpp>

#include <chrono>

namespace reelsd::http {

/// How long one request waits for the database before it is told 503. A healthy statement takes
/// milliseconds; clients are promised to learn of an outage within 2 s.
inline constexpr std::chrono::milliseconds database_time_max{1800};

[[nodiscard]] inline deadline answer_time(const request_context& ctx) {
    return ctx.answer_by().at_most(database_time_max);
}

}  // namespace reelsd::http
