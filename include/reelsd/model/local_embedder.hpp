#pragma once

#include <reelsd/model/embedder.hpp>

#include <filesystem>
#include <memory>

namespace reelsd::model {

class lexicon;

/// Meaning without a neural network: WordNet's senses and what lies near them, and a list of
/// everyday subjects and young words of our own (src/model/embedding/topics.txt). English. It knows
/// no names. Measured: docs/adr/0007.
/// Immutable after it is made: may be used from any thread. Blocks for page faults alone.
class local_embedder final : public embedder {
public:
    /// Maps the dictionary that wordnet_compiler has made. Errors: internal, with the path, when it
    /// is missing, damaged or of another version.
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
