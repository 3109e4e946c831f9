#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

/// The sources of the dictionary, read only by the build: the database files of WordNet 3.0
/// (manual page wndb(5)) and topics.txt.
namespace reelsd::model {

inline constexpr std::size_t parts_of_speech = 4;  ///< In the order of sense_group.

/// A set of words with one meaning.
struct synset {
    struct pointer {
        std::string symbol;        ///< "@" hypernym, "+" derived form, ...
        std::uint32_t target = 0;  ///< Index of another synset.
    };

    std::size_t part = 0;  ///< Of speech.
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

/// Reads the database files in `folder`. Throws runtime_error with the file and the malformed line.
[[nodiscard]] wordnet read_wordnet(const std::filesystem::path& folder);

/// Words about one everyday subject: "food/bread". Or words that explain one that is younger than
/// WordNet.
struct word_group {
    std::string name;
    std::vector<std::string> words;
};

/// Additions to WordNet.
struct topic_list {
    std::vector<word_group> topics;
    std::vector<word_group> terms;
};

/// Reads topics.txt. Throws runtime_error with the malformed line.
[[nodiscard]] topic_list read_topics(const std::filesystem::path& file);

}  // namespace reelsd::model
