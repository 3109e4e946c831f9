#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/model/embedder.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a search may find in a result, and what it shows of it.
namespace reelsd::model {

/// A piece of a result that a hit can quote.
struct passage {
    std::string field;  ///< Where it stands: "audio.transcript", "visual.text_on_screen", ...
    std::string text;   ///< 1-240 characters on one line.
    std::optional<double> seconds = {};  ///< From the video's begin, where it has a time.
    concept_vector concepts = {};        ///< Its strongest few.

    friend bool operator==(const passage&, const passage&) = default;
};

struct search_document {
    /// Texts whose words count less and less: what the reel is about; what it shows and says of
    /// itself; what is spoken; the rest.
    std::array<std::string, 4> words;
    /// At most `reel_concepts_max`.
    concept_vector concepts;
    /// At most 300, in the order of the result.
    std::vector<passage> passages;
};

/// Measured on 60 made-up reels: 64, 128 and 256 components find the same ones; more cost the
/// database room and time.
inline constexpr std::size_t reel_concepts_max = 64;
/// Likewise: 24, 40 and 96.
inline constexpr std::size_t query_concepts_max = 24;

/// Reads a result as assemble_result() writes it; fields that are missing are passed over. Pure.
/// Errors: internal when it is no JSON object.
[[nodiscard]] result<search_document> search_document_of(
    std::string_view result_text, const embedder& with);
/// The same of a result that is parsed.
[[nodiscard]] result<search_document> search_document_from(
    const json& document, const embedder& with);

/// What a remote embedder reads of a reel: the words of the document, what it is about first. May
/// be empty. Pure.
[[nodiscard]] std::string embedding_text_of(const search_document& document);

/// Passages as stored: a line each. A search reads those of every hit, for which JSON is too slow.
[[nodiscard]] std::string passages_text(const std::vector<passage>& passages);
/// The reverse. Errors: internal for text that passages_text() does not write.
[[nodiscard]] result<std::vector<passage>> passages_from(std::string_view text);

/// What of a client's query is text: valid UTF-8 without control characters and blanks at its ends.
[[nodiscard]] std::string query_text(std::string_view asked);

/// A query, made ready to look for the passage that answers it best. Immutable.
class passage_finder {
public:
    passage_finder(std::string_view query, concept_vector concepts);

    /// The passage with most of the query's words (in any regular form); among equals, the one that
    /// means most the same, then the first. Null when there is none at all.
    [[nodiscard]] const passage* best_of(const std::vector<passage>& passages) const;

private:
    [[nodiscard]] double relevance_of(const passage& one) const;
    [[nodiscard]] std::size_t words_in(std::string_view text) const;

    std::vector<std::string> stems_;  ///< Each once.
    concept_vector concepts_;
};

}  // namespace reelsd::model
