#pragma once

#include <reelsd/base/clock.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::db {

/// "2026-05-22 10:00:00.123456+00": how PostgreSQL writes a timestamptz with DateStyle ISO in UTC.
/// Empty for a time outside of the years 1 to 9999.
[[nodiscard]] std::string timestamp_text(time_point when);

/// The inverse, for one to six digits of a fraction or none. Nothing for anything else: infinity,
/// BC, other zones.
[[nodiscard]] std::optional<time_point> timestamp_from_text(std::string_view text);

}  // namespace reelsd::db
