#pragma once

#include "lexicon.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Looks up the senses of a word in any of its forms.
namespace reelsd::model {

/// A base form without a regular ending: "baking" -> "bake", a verb.
struct base_candidate {
    std::string text;
    sense_group group;
};

/// All candidates by WordNet's rules of detachment (morphy(7)), including non-words.
[[nodiscard]] std::vector<base_candidate> base_candidates(std::string_view word);

struct weighted_sense {
    std::uint32_t vector_index = 0;
    float weight = 0;
};

/// The senses of a word. The weights of WordNet's senses add up to 1, without added senses.
struct word_sense_candidates {
    float rarity = 0;  ///< 0-1, see lexicon_entry.
    std::vector<weighted_sense> senses;
};

/// Empty for a word that is unknown in every form. `word` in lower case.
[[nodiscard]] word_sense_candidates read_word(const lexicon& words, std::string_view word);

/// The same for a term of two words: "credit" "cards".
[[nodiscard]] word_sense_candidates read_pair(
    const lexicon& words, std::string_view first, std::string_view second);

}  // namespace reelsd::model
