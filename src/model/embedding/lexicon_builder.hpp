#pragma once

#include "lexicon.hpp"
#include "topics.hpp"
#include "wordnet.hpp"
#include <reelsd/base/result.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// A dictionary in the making. Build time alone.
namespace reelsd::model {

struct lexicon_builder_entry {
    float rarity = 1;
    std::array<std::uint32_t, parts_of_speech> counts{};
    std::vector<packed_sense> senses;
    std::vector<std::pair<std::string, sense_group>> bases;
};

using lexicon_builder = std::map<std::string, lexicon_builder_entry>;
using sense_vectors = std::vector<std::vector<packed_concept>>;

/// All lemmas of one or two words, their irregular forms, our topics and terms. The vector of a
/// synset has its index; topics follow in their order. Errors: internal, for a term that is
/// explained by unknown words.
[[nodiscard]] result<lexicon_builder> build_lexicon(const wordnet& base, const topic_list& added);

/// The file, see lexicon_format.
[[nodiscard]] std::vector<std::uint32_t> lexicon_image(
    const lexicon_builder& draft, const sense_vectors& vectors);

}  // namespace reelsd::model
