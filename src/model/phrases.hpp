#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// Where a phrase stands among a text's words.
struct phrase_place {
    std::size_t first = 0;
    std::size_t words = 0;
};

/// The first place where all words of `phrase` (blank-separated, in lower case) follow each other.
[[nodiscard]] std::optional<phrase_place> find_phrase(
    const std::vector<std::string>& words, std::string_view phrase);

/// The first of `phrases`, in their order, that stands in `words`.
[[nodiscard]] std::optional<phrase_place> find_any_phrase(
    const std::vector<std::string>& words, std::span<const std::string_view> phrases);

}  // namespace reelsd::model
