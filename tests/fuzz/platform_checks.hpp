#pragma once

#include "reader_fuzz.hpp"

#include <vector>

namespace reelsd::fuzz {

/// The readers of the platform's answers, with their corpus.
[[nodiscard]] std::vector<reader_check> platform_checks();

}  // namespace reelsd::fuzz
