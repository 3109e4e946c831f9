#pragma once

#include "lexicon_builder.hpp"

/// How senses lie to each other: the vector of each. Build time alone.
namespace reelsd::model {

/// Sets `rarity` of each word by how many of WordNet's definitions it stands in.
void measure_rarity(lexicon_builder& draft, const wordnet& base);

/// The vector of each synset, then of each topic, of length 1. `words` reads the definitions: its
/// entries are those of the draft. Errors: internal, when two topics would share an id.
[[nodiscard]] result<sense_vectors> build_vectors(
    const wordnet& base, const topic_list& added, const lexicon& words);

}  // namespace reelsd::model
