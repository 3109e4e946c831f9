#pragma once

#include <reelsd/model/findings.hpp>

#include <string>
#include <vector>

namespace reelsd::model {

/// What speaks against the on-screen texts that were claimed, given what was read in the frames at
/// times_to_check(said): sentences for people. Only texts that OCR can be expected to read count:
/// mainly Latin letters, with a word of at least four. One is seen when a third of such words, and
/// at least one, stand in any frame, but for case, accents, blanks and one letter each. If none of
/// those looked for was seen that is said once; if at least half of the others were, up to three
/// that were not are named; else OCR was in trouble, and nothing is said.
[[nodiscard]] std::vector<std::string> unseen_texts(
    const findings& said, const std::vector<timed_text>& read_texts);

}  // namespace reelsd::model
