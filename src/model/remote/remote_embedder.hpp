#pragma once

#include "call_failure.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/model/dense_embedder.hpp>
#include <reelsd/net/http_client.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

/// What the embedders of two providers do alike, and the pure parts of what they do not. Source:
/// model-api.md A5 and B.
namespace reelsd::model {

/// About 2,048 tokens at 4 characters each, which the smallest of the models takes.
inline constexpr std::size_t embedded_characters_max = 7'500;

/// The body of batchEmbedContents.
[[nodiscard]] std::string gemini_embedding_body(
    const embedder_settings& settings, std::span<const std::string> texts,
    embedding_purpose purpose);

/// What an answer holds: vectors in order, and tokens where they are reported.
struct embeddings {
    std::vector<dense_vector> vectors;
    std::int64_t tokens = 0;
};

/// Nothing when the answer does not hold as many vectors as there are texts.
[[nodiscard]] std::optional<embeddings> gemini_embeddings(const json& document, std::size_t texts);

/// The body of /v1/embeddings.
[[nodiscard]] std::string openai_embedding_body(
    const embedder_settings& settings, std::span<const std::string> texts);
[[nodiscard]] std::optional<embeddings> openai_embeddings(const json& document, std::size_t texts);

}  // namespace reelsd::model
