#pragma once

#include <reelsd/domain/jobs/transition.hpp>

#include <string_view>

namespace reelsd::jobs {

/// "done", the error code's name, "retry", "postponed" or "handed back".
[[nodiscard]] std::string_view outcome_name(const transition& ended) noexcept;

}  // namespace reelsd::jobs
