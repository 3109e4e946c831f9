#pragma once

#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// From text to meaning that can be compared.
namespace reelsd::model {

/// One component of a sparse vector.
struct concept_weight {
    std::int32_t concept_id = 0;  ///< Positive, below 2^24; stable: it is stored.
    float weight = 0;             ///< Above 0, at most 1.

    friend bool operator==(const concept_weight&, const concept_weight&) = default;
};

/// A sparse vector of length 1, the ids ascending; empty when the text says nothing that is known.
using concept_vector = std::vector<concept_weight>;

/// The cosine of two vectors: 0 for nothing in common, 1 for the same direction.
[[nodiscard]] double similarity(const concept_vector& left, const concept_vector& right) noexcept;

/// A piece of a text and how much its words count; 1 is plain.
struct weighted_text {
    std::string_view text;
    double weight = 1;
};

/// Turns text into vectors. Reels and queries are compared only when the same embedder made both.
class embedder {
public:
    embedder() = default;
    embedder(const embedder&) = delete;
    embedder& operator=(const embedder&) = delete;
    virtual ~embedder() = default;

    /// The vector of all pieces together, at most `components_max` of its strongest components.
    [[nodiscard]] virtual concept_vector concepts_of(
        std::span<const weighted_text> pieces, std::size_t components_max) const = 0;
};

}  // namespace reelsd::model
