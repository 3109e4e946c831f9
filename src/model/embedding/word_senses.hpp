#pragma once

#include "lexicon.hpp"

#include <string>
#include <string_view>
#include <vector>

/// From a word as it stands in a text to what it may mean.
namespace reelsd::model {

/// A base form that a regular ending may hide: "baking" -> "bake", a verb.
struct base_candidate {
    std::string text;
    sense_group group;
};

/// All candidates by WordNet's rules of detachment (morphy(7)), whether or not they are words.
[[nodiscard]] std::vector<base_candidate> base_candidates(std::string_view word);

struct weighted_sense {
    std::uint32_t vector_index = 0;
    float weight = 0;
};

/// What a word may mean: the senses of WordNet weigh 1 together, our own come on top.
struct word_sense_candidates {
    float rarity = 0;  ///< 0-1, see lexicon_entry.
    std::vector<weighted_sense> senses;
};

/// Empty for a word that is not known in any form. `word` in lower case.
[[nodiscard]] word_sense_candidates read_word(const lexicon& words, std::string_view word);

/// The same for two words that make a term together: "credit" "cards".
[[nodiscard]] word_sense_candidates read_pair(
    const lexicon& words, std::string_view first, std::string_view second);

}  // namespace reelsd::model
