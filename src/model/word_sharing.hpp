#pragma once

#include <reelsd/model/findings.hpp>

#include <vector>

namespace reelsd::model {

/// The words of each passage. A word belongs to the passage around its middle, or to the nearest
/// within half a second. Where passages overlap, it belongs to the passage in whose text it is
/// next, and to none if it is in no text. `words` are in order within each passage.
[[nodiscard]] std::vector<std::vector<timed_text>> share_words(
    const std::vector<timed_text>& passages, const std::vector<timed_text>& words);

}  // namespace reelsd::model
