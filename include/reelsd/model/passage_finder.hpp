#pragma once

#include <reelsd/model/search_document.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// A client's query as valid UTF-8 without control characters and whitespace at its ends.
[[nodiscard]] std::string query_text(std::string_view query);

/// Finds the passage that answers a query best. Immutable.
class passage_finder {
public:
    passage_finder(std::string_view query, concept_vector concepts);

    /// The passage with most of the query's words, in any regular form; among equals one with a
    /// time, then the most similar one, then the first. Null without passages.
    [[nodiscard]] const stored_passage* best_of(const std::vector<stored_passage>& passages) const;

    /// The number of the query's words in the text, plus less than 1 for the similarity.
    [[nodiscard]] double relevance_of(std::string_view text, const concept_vector& concepts) const;

private:
    [[nodiscard]] std::size_t words_in(std::string_view text) const;

    std::vector<std::string> stems_;  ///< Each once.
    concept_vector concepts_;
};

}  // namespace reelsd::model
