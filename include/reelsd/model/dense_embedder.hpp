#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
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

using dense_vector = std::vector<float>;

inline constexpr std::size_t dimensions_max = 3072;

/// Scales the vector to length 1; some models do so only for the largest size. False, and nothing
/// changed, for a vector without a direction (empty, all zero, or not finite).
[[nodiscard]] bool normalise(dense_vector& vector);

/// A little-endian float, by which the components were divided, and a byte for each: a quarter of
/// the size, with similarities within 0.01. `vector` has 1 to dimensions_max components.
[[nodiscard]] std::vector<std::byte> quantised(const dense_vector& vector);

/// The cosine of a unit vector and a stored one; empty when their sizes differ.
[[nodiscard]] std::optional<double> similarity(
    const dense_vector& unit, std::span<const std::byte> stored);

/// Some models embed documents and queries differently.
enum class embedding_purpose : std::uint8_t { document, query };

/// What a provider charges for one request.
enum class billing : std::uint8_t {
    none,     ///< Not sent, or refused with a status that costs nothing.
    unknown,  ///< Sent, without an answer that reports it.
    counted,  ///< Answered: `tokens`.
};

/// The outcome of one request.
struct embedding_reply {
    /// A vector of length 1 for each text, in order. Errors: model_unavailable,
    /// model_misconfigured (also for vectors of another size than configured, which are billed),
    /// model_refused (also if a text got no usable vector, which is billed), cancelled.
    result<std::vector<dense_vector>> vectors;
    billing billed = billing::none;
    /// As the provider counts them, or estimated if it does not report them.
    std::int64_t tokens = 0;
};

/// Embeds texts with a provider's model. Blocking; thread-safe.
class dense_embedder {
public:
    dense_embedder() = default;
    dense_embedder(const dense_embedder&) = delete;
    dense_embedder& operator=(const dense_embedder&) = delete;
    virtual ~dense_embedder() = default;

    [[nodiscard]] virtual std::string_view provider() const noexcept = 0;
    [[nodiscard]] virtual std::string_view model() const noexcept = 0;

    /// Provider, model, size and version of the embedded texts:
    /// "gemini/gemini-embedding-001/768/1". Only vectors of one name are comparable.
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Sends one request, which may be billed. 1 to 100 texts, which every provider accepts, none
    /// empty; longer texts than the model accepts are cut.
    [[nodiscard]] virtual embedding_reply embed(
        std::span<const std::string> texts, embedding_purpose purpose, const deadline& by,
        const std::stop_token& stop) const = 0;
};

/// Tokens of texts: about four characters each.
[[nodiscard]] std::int64_t estimated_tokens(std::span<const std::string> texts);

struct embedder_settings {
    std::string url;  ///< Without a version path.
    std::string key;  ///< Empty for servers without keys.
    std::string model;
    int dimensions = 768;  ///< 0: the model's default.
    std::string ca_file;   ///< Empty: the system's.
    std::optional<net::proxy> by_proxy;
};

[[nodiscard]] std::unique_ptr<dense_embedder> gemini_embedder(embedder_settings settings);
[[nodiscard]] std::unique_ptr<dense_embedder> openai_embedder(embedder_settings settings);

}  // namespace reelsd::model
