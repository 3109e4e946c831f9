#include "phrases.hpp"

#include "words.hpp"

#include <algorithm>

namespace reelsd::model {

std::optional<phrase_place> find_phrase(
    const std::vector<std::string>& words, std::string_view phrase) {
    const auto wanted = words_of(phrase);
    const auto found = std::search(words.begin(), words.end(), wanted.begin(), wanted.end());
    if (found == words.end()) return std::nullopt;
    return phrase_place{static_cast<std::size_t>(found - words.begin()), wanted.size()};
}

std::optional<phrase_place> find_any_phrase(
    const std::vector<std::string>& words, std::span<const std::string_view> phrases) {
    for (const auto phrase : phrases) {
        if (const auto place = find_phrase(words, phrase)) return place;
    }
    return std::nullopt;
}

}  // namespace reelsd::model
