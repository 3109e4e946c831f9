#pragma once

#include "answer_json.hpp"
#include "answer_log.hpp"
#include <reelsd/model/findings.hpp>

#include <string>
#include <vector>

namespace reelsd::model {

/// Speech in order of time: of what is longer than an entry may be, the parts share the time by
/// their length. Times that cannot be read are the neighbours', and where no entry has one the
/// whole video; a bare text is an entry without any. Entries that are none are violations under
/// `path`, and so are loops, which are cut.
[[nodiscard]] std::vector<timed_text> read_segments(
    const answer_json& value, const std::string& path, answer_log& log);

/// On-screen texts, likewise; one that is given again where it ended is one that stays.
[[nodiscard]] std::vector<timed_text> read_screen_texts(
    const answer_json& value, const std::string& path, answer_log& log);

/// In order of time. A moment whose time cannot be read is none.
[[nodiscard]] std::vector<key_moment> read_moments(
    const answer_json& value, const std::string& path, answer_log& log);

}  // namespace reelsd::model
