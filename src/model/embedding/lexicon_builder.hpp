#pragma once

#include "lexicon.hpp"
#include "wordnet.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Builds the dictionary; used only by the build.
namespace reelsd::model {

struct lexicon_builder_entry {
    float rarity = 1;
    std::array<std::uint32_t, parts_of_speech> counts{};
    std::vector<packed_sense> senses;
    std::vector<std::pair<std::string, sense_group>> bases;
};

using lexicon_builder = std::map<std::string, lexicon_builder_entry>;
using sense_vectors = std::vector<std::vector<packed_concept>>;

/// All lemmas of one or two words, their irregular forms, and the words of `added`. The vector of a
/// synset has its index; topics follow in their order. Throws runtime_error for a term
/// that is explained by unknown words.
[[nodiscard]] lexicon_builder build_lexicon(const wordnet& base, const topic_list& added);

/// Sets `rarity` of each word by the number of definitions that contain it.
void measure_rarity(lexicon_builder& draft, const wordnet& base);

/// The vector of each synset, then of each topic, of length 1. `words` reads the definitions; its
/// entries are those of the builder. Throws runtime_error when two topics would share an ID.
[[nodiscard]] sense_vectors build_vectors(
    const wordnet& base, const topic_list& added, const lexicon& words);

/// The file, see lexicon_format.
[[nodiscard]] std::vector<std::uint32_t> lexicon_image(
    const lexicon_builder& draft, const sense_vectors& vectors);

}  // namespace reelsd::model
