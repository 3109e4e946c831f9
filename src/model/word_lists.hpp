#pragma once

#include <string_view>
#include <vector>

namespace reelsd::model {

/// The files of src/model/word_lists, written by the build.
namespace word_lists {
extern const std::string_view call_to_action;
extern const std::string_view formats;
extern const std::string_view languages;
extern const std::string_view phantom_phrases;
extern const std::string_view stop_words;
extern const std::string_view subtitle_credits;
}  // namespace word_lists

/// The lines of a list, without comments, which begin with "# ".
[[nodiscard]] std::vector<std::string_view> entries_of(std::string_view list);

}  // namespace reelsd::model
