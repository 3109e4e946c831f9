#pragma once

#include <reelsd/base/result.hpp>

#include <filesystem>
#include <string>
#include <vector>

/// topics.txt: what we add to WordNet. Read at build time alone.
namespace reelsd::model {

/// Words that speak of one everyday subject.
struct topic {
    std::string subject;  ///< "food/bread"
    std::vector<std::string> words;
};

/// A word that is younger than WordNet, and older ones that explain it.
struct term {
    std::string word;
    std::vector<std::string> accumulator;
};

struct topic_list {
    std::vector<topic> topics;
    std::vector<term> terms;
};

/// Errors: internal, with the line that is malformed.
[[nodiscard]] result<topic_list> read_topics(const std::filesystem::path& file);

}  // namespace reelsd::model
