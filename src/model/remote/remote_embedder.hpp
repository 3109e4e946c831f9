#pragma once

#include "call_failure.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/model/dense_embedder.hpp>
#include <reelsd/net/http_client.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

/// The pure parts of the providers' embedders. Source: ai.google.dev/api/embeddings; OpenAI API
/// reference, "Create embeddings".
namespace reelsd::model {

/// About 2,048 tokens of 4 characters, the limit of the smallest model.
inline constexpr std::size_t embedded_characters_max = 7'500;

[[nodiscard]] std::string gemini_embedding_body(
    const embedder_settings& settings, std::span<const std::string> texts,
    embedding_purpose purpose);

/// Vectors in order, an unusable one being empty, and tokens if they are reported.
struct embeddings {
    std::vector<dense_vector> vectors;
    std::int64_t tokens = 0;
};

/// Empty unless the answer has a vector for each text.
[[nodiscard]] std::optional<embeddings> gemini_embeddings(const json& document, std::size_t texts);

[[nodiscard]] std::string openai_embedding_body(
    const embedder_settings& settings, std::span<const std::string> texts);
[[nodiscard]] std::optional<embeddings> openai_embeddings(const json& document, std::size_t texts);

}  // namespace reelsd::model
