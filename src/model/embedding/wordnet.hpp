#pragma once

#include <reelsd/base/result.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

/// The sources of the dictionary, read only by the build: the database files of WordNet 3.0
/// (manual page wndb(5)) and topics.txt.
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
    std::uint32_t count = 0;   ///< Occurrences in WordNet's tagged texts.
};

struct wordnet {
    /// Nouns, then verbs, adjectives and adverbs, each in the order of their file: indices are the
    /// same for the same release.
    std::vector<synset> synsets;
    /// Index of the first synset of each part of speech, and the end.
    std::array<std::uint32_t, parts_of_speech + 1> begins{};
    /// "ice_cream" -> its senses of each part of speech, the most frequent first.
    std::map<std::string, std::array<std::vector<sense>, parts_of_speech>> lemmas;
    /// Irregular form -> its base forms ("mice" -> "mouse"), for each part of speech.
    std::array<std::map<std::string, std::vector<std::string>>, parts_of_speech> exceptions;
};

/// Reads the database files in `folder`. Errors: internal, with the file and the malformed line.
[[nodiscard]] result<wordnet> read_wordnet(const std::filesystem::path& folder);

/// Words about one everyday subject.
struct topic {
    std::string subject;  ///< "food/bread"
    std::vector<std::string> words;
};

/// A word that is younger than WordNet, and older ones that explain it.
struct term {
    std::string word;
    std::vector<std::string> explanation;
};

/// Additions to WordNet.
struct topic_list {
    std::vector<topic> topics;
    std::vector<term> terms;
};

/// Reads topics.txt. Errors: internal, with the malformed line.
[[nodiscard]] result<topic_list> read_topics(const std::filesystem::path& file);

}  // namespace reelsd::model
