#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/model/dense_vector.hpp>
#include <reelsd/model/remote_settings.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// What a text is embedded for: some models want to know.
enum class embedding_purpose : std::uint8_t { document, query };

struct embeddings {
    std::vector<dense_vector> vectors;  ///< One a text, in order, of length 1.
    std::int64_t tokens = 0;            ///< As told, or estimated where the provider tells none.
};

/// Turns texts into dense vectors, at a provider. Blocking; safe from any thread.
class dense_embedder {
public:
    dense_embedder() = default;
    dense_embedder(const dense_embedder&) = delete;
    dense_embedder& operator=(const dense_embedder&) = delete;
    virtual ~dense_embedder() = default;

    [[nodiscard]] virtual std::string_view provider() const noexcept = 0;
    [[nodiscard]] virtual std::string_view model() const noexcept = 0;

    /// Provider, model, size and the version of the texts that are embedded: vectors of two names
    /// cannot be compared. "gemini/gemini-embedding-001/768/1"
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// 1 to embedding_texts_max texts, none empty, each cut to what the model takes. Errors:
    /// model_unavailable, model_misconfigured, model_refused, cancelled.
    [[nodiscard]] virtual result<embeddings> embed(
        std::span<const std::string> texts, embedding_purpose purpose, const deadline& by,
        const std::stop_token& stop) const = 0;
};

/// What every provider takes in one call.
inline constexpr std::size_t embedding_texts_max = 100;

struct embedder_settings {
    std::string url;  ///< Without a version path.
    std::string key;  ///< May be empty for servers that want none.
    std::string model;
    int dimensions = 768;  ///< 0: the model's own, not asked for.
    std::string ca_file;   ///< Empty: the system's.
};

[[nodiscard]] std::unique_ptr<dense_embedder> gemini_embedder(embedder_settings settings);
[[nodiscard]] std::unique_ptr<dense_embedder> openai_embedder(embedder_settings settings);

}  // namespace reelsd::model
