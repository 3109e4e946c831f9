#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/model/remote_settings.hpp>

#include <boost/core/noncopyable.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

/// Embeds text as vectors that can be compared.
namespace reelsd::model {

/// One component of a sparse vector.
struct concept_weight {
    std::int32_t concept_id = 0;  ///< Positive, below 2^24; stable: it is stored.
    float weight = 0;             ///< Above 0, at most 1.

    friend bool operator==(const concept_weight&, const concept_weight&) = default;
};

/// A sparse vector of length 1 with ascending IDs; empty for a text without known words.
using concept_vector = std::vector<concept_weight>;

/// The cosine of two vectors: 0 for nothing in common, 1 for the same direction.
[[nodiscard]] double similarity(const concept_vector& left, const concept_vector& right) noexcept;

/// A piece of a text and the weight of its words.
struct weighted_text {
    std::string_view text;
    double weight = 1;
};

/// Vectors are comparable only if they are of the same embedder.
class embedder : boost::noncopyable {
public:
    virtual ~embedder() = default;

    /// The vector of all pieces together, at most `components_max` of its strongest components.
    [[nodiscard]] virtual concept_vector concepts_of(
        std::span<const weighted_text> pieces, std::size_t components_max) const = 0;
};

class lexicon;

/// Embeds English text without a neural network: senses of WordNet and their neighbours, and a list
/// of everyday subjects and recent words (src/model/embedding/topics.txt). Knows no names. Measured
/// in docs/adr/0007. Immutable, thread-safe.
class local_embedder final : public embedder {
public:
    /// Maps the dictionary that wordnet_compiler has written. Errors: internal, with the path, when
    /// it is missing, damaged or of another version.
    [[nodiscard]] static result<std::unique_ptr<local_embedder>> open(
        const std::filesystem::path& dictionary);
    ~local_embedder() override;

    [[nodiscard]] concept_vector concepts_of(
        std::span<const weighted_text> pieces, std::size_t components_max) const override;

private:
    explicit local_embedder(std::unique_ptr<lexicon> words) noexcept;

    std::unique_ptr<lexicon> words_;
};

}  // namespace reelsd::model
