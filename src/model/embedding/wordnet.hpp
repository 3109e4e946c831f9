#pragma once

#include <reelsd/base/result.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

/// WordNet 3.0 as its database files have it (manual page wndb(5)). Read at build time alone.
namespace reelsd::model {

enum class part_of_speech : std::uint8_t { noun, verb, adjective, adverb };
inline constexpr std::size_t parts_of_speech = 4;
inline constexpr std::array<part_of_speech, parts_of_speech> all_parts_of_speech{
    part_of_speech::noun, part_of_speech::verb, part_of_speech::adjective, part_of_speech::adverb};

/// A set of words with one meaning.
struct synset {
    struct pointer {
        std::string symbol;        ///< "@" hypernym, "+" derived form, ...
        std::uint32_t target = 0;  ///< Index of another synset.
    };

    part_of_speech part = part_of_speech::noun;
    std::vector<pointer> pointers;
    std::string definition;  ///< Without the examples.
    std::string examples;
};

struct sense {
    std::uint32_t synset = 0;  ///< Index.
    std::uint32_t count = 0;   ///< How often it was met in WordNet's tagged texts.
};

struct wordnet {
    /// Nouns, then verbs, adjectives and adverbs, each in the order of their file: an index names
    /// the same synset as long as the release is the same.
    std::vector<synset> synsets;
    /// Index of the first synset of each part of speech, and the end.
    std::array<std::uint32_t, parts_of_speech + 1> begins{};
    /// "ice_cream" -> its senses of each part of speech, the most usual first.
    std::map<std::string, std::array<std::vector<sense>, parts_of_speech>> lemmas;
    /// Irregular form -> its base forms ("mice" -> "mouse"), for each part of speech.
    std::array<std::map<std::string, std::vector<std::string>>, parts_of_speech> exceptions;
};

/// Reads the database files in `folder`. Errors: internal, with the file and what is wrong in it.
[[nodiscard]] result<wordnet> read_wordnet(const std::filesystem::path& folder);

}  // namespace reelsd::model
