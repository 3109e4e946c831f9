#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/model/dense_vector.hpp>
#include <reelsd/model/remote_settings.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// What a text is embedded for: some models want to know.
enum class embedding_purpose : std::uint8_t { document, query };

/// What a provider will put on the bill for one request.
enum class billing : std::uint8_t {
    none,     ///< Never sent, or refused with a status that costs nothing.
    unknown,  ///< Sent, and no answer came that says more.
    counted,  ///< Answered: `tokens`.
};

/// What became of one request.
struct embedding_reply {
    /// One a text, in order, of length 1. Errors: model_unavailable, model_misconfigured,
    /// model_refused, cancelled. An answer with vectors of another size than configured, which is
    /// billed, is model_misconfigured.
    result<std::vector<dense_vector>> vectors;
    billing billed = billing::none;
    /// Of an answer: as the provider counts them, or estimated where it reports none.
    std::int64_t tokens = 0;
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

    /// One request, never repeated: each may be billed. 1 to 100 texts, which every provider takes,
    /// none empty, each cut to what the model takes.
    [[nodiscard]] virtual embedding_reply embed(
        std::span<const std::string> texts, embedding_purpose purpose, const deadline& by,
        const std::stop_token& stop) const = 0;
};

/// Tokens of texts as embedders cut them: about four characters each.
[[nodiscard]] std::int64_t estimated_tokens(std::span<const std::string> texts);

struct embedder_settings {
    std::string url;  ///< Without a version path.
    std::string key;  ///< May be empty for servers that want none.
    std::string model;
    int dimensions = 768;  ///< 0: the model's own, not asked for.
    std::string ca_file;   ///< Empty: the system's.
    std::optional<net::proxy> by_proxy;
};

[[nodiscard]] std::unique_ptr<dense_embedder> gemini_embedder(embedder_settings settings);
[[nodiscard]] std::unique_ptr<dense_embedder> openai_embedder(embedder_settings settings);

}  // namespace reelsd::model
