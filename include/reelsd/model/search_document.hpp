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

/// The searchable contents of a result.
namespace reelsd::model {

/// A quotable piece of a result.
struct passage {
    std::string field;                   ///< "audio.transcript", "visual.text_on_screen", ...
    std::string text;                    ///< 1-240 characters on one line.
    std::optional<double> seconds = {};  ///< From the start of the video, if it has a time.
    concept_vector concepts = {};        ///< The strongest ones.

    friend bool operator==(const passage&, const passage&) = default;
};

struct search_document {
    /// In descending weight: subject; on-screen text, caption and setting; speech; the rest.
    std::array<std::string, 4> words;
    /// At most `reel_concepts_max`.
    concept_vector concepts;
    /// At most 300, in the order of the result.
    std::vector<passage> passages;
};

/// Measured on 60 synthetic reels: 64, 128 and 256 components find the same reels; more cost the
/// database space and time.
inline constexpr std::size_t reel_concepts_max = 64;
/// Likewise: 24, 40 and 96.
inline constexpr std::size_t query_concepts_max = 24;

/// Reads a result of assemble_result(); fields may be missing. Pure. Errors: internal for text that
/// is not a JSON object.
[[nodiscard]] result<search_document> search_document_of(
    std::string_view result_text, const embedder& embedder);
/// The same for a parsed result.
[[nodiscard]] result<search_document> search_document_from(
    const json& result, const embedder& embedder);

/// The text in the form in which searches compare words: lower case, without accents of Latin and
/// Greek letters ("Käse" is "kase"), vowels of Arabic and the dots of the Russian "ё", spaces
/// instead of the dots and slashes between words, and each pair of neighbouring letters of a script
/// without spaces as a word. Pure.
[[nodiscard]] std::string search_text(std::string_view text);
/// The same for a text that is searched. Each Han letter is a word as well, so that queries of one
/// letter find it; in a longer query, a letter would find too much. Pure.
[[nodiscard]] std::string indexed_text(std::string_view text);

/// The text of a reel for a remote embedder: the words of the document, subject first. May be
/// empty. Pure.
[[nodiscard]] std::string embedding_text_of(const search_document& document);

/// A passage as stored. Views that text.
struct stored_passage {
    std::string_view field;
    std::string_view text;
    std::optional<double> seconds;
    std::string_view concepts;  ///< See concepts_of().
};

/// Passages as stored, a line each. A search reads those of every hit, and JSON is too slow for it.
[[nodiscard]] std::string passages_text(const std::vector<passage>& passages);
/// The reverse. Errors: internal for malformed text.
[[nodiscard]] result<std::vector<stored_passage>> passages_from(std::string_view text);
[[nodiscard]] concept_vector concepts_of(const stored_passage& passage);

}  // namespace reelsd::model
