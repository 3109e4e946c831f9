#pragma once

#include <reelsd/base/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// What users read about failed reels.
namespace reelsd::jobs {

struct retry_policy;

/// Error text of a failed job: the cause and the remedy. Begins with the sentence that
/// docs/openapi.yaml documents for job_error_code_of(why).
[[nodiscard]] std::string error_text(const error& why, const retry_policy& policy);

/// Error text of a job that ended because a cool-down takes too long, with the minutes left. `of`
/// as in `snooze`.
[[nodiscard]] std::string cooldown_text(errc of, std::string_view minutes);

/// Error text for a server that the platform has never answered. It names other ways to a result,
/// because waiting may not help. Empty for causes other than the platform.
[[nodiscard]] std::string unanswered_text(errc of);

/// "100 MiB"; "1000 bytes" for a size that is no whole number of MiB.
[[nodiscard]] std::string size_text(std::uint64_t bytes);

}  // namespace reelsd::jobs
