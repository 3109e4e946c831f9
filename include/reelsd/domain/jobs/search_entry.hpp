#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reelsd::jobs {

/// What a search finds a reel by; written together with its result. Plain data: the layer of models
/// makes it and reads its passages, the database keeps it.
struct search_entry {
    /// Texts whose words count less and less; at most 4. Without NUL characters.
    std::vector<std::string> words = {};
    /// The embedder's sparse vector, component by component: as many ids as weights (above 0).
    std::vector<std::int32_t> concepts = {};
    std::vector<double> concept_weights = {};
    /// What a hit may quote: text that only the layer of models can read.
    std::string passages = {};
};

}  // namespace reelsd::jobs
