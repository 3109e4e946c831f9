#pragma once

#include "reader_fuzz.hpp"

#include <vector>

namespace reelsd::fuzz {

/// The readers of what the platform sends, with what is kept of its answers.
[[nodiscard]] std::vector<reader_check> platform_checks();

}  // namespace reelsd::fuzz
