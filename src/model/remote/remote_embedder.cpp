#include "remote_embedder.hpp"

#include "../clean_text.hpp"
#include "../json_members.hpp"
#include "gemini_api.hpp"
#include "openai_api.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace reelsd::model {
namespace {

constexpr auto answer_time_max = std::chrono::seconds{60};
/// A hundred vectors of 3,072 numbers of 20 digits, rounded up.
constexpr std::size_t vectors_bytes_max = std::size_t{16} * 1024 * 1024;
constexpr std::string_view text_version = "1";

/// This model accepts a task only in the text itself.
bool has_task_in_text(std::string_view model) {
    return model.starts_with("gemini-embedding-2");
}

std::string gemini_text(
    const embedder_settings& settings, const std::string& text, embedding_purpose purpose) {
    if (!has_task_in_text(settings.model)) return text;
    return purpose == embedding_purpose::query ? "task: search result | query: " + text
                                               : "title: none | text: " + text;
}

/// A list of numbers as a vector of length 1. Some servers write a component that is not a number
/// as null; a vector with one, or without a direction, is returned as an empty one.
std::optional<dense_vector> vector_from(const json& numbers) {
    if (!numbers.is_array() || numbers.empty() || numbers.size() > dimensions_max)
        return std::nullopt;
    dense_vector vector;
    vector.reserve(numbers.size());
    for (const auto& number : numbers) {
        if (!number.is_number() && !number.is_null()) return std::nullopt;
        vector.push_back(
            number.is_null() ? std::numeric_limits<float>::quiet_NaN() : number.get<float>());
    }
    if (!normalise(vector)) vector.clear();
    return vector;
}

/// What differs between providers.
struct embedding_api {
    std::string_view provider;
    net::http_request (*request_for)(
        const embedder_settings& settings, std::span<const std::string> texts,
        embedding_purpose purpose);
    call_failure (*failure_in)(const net::http_response& response);
    std::optional<embeddings> (*vectors_in)(const json& document, std::size_t texts);
};

class http_embedder final : public dense_embedder {
public:
    http_embedder(const embedding_api& api, embedder_settings settings)
        : api_{api},
          settings_{std::move(settings)},
          name_{fmt::format(
              "{}/{}/{}/{}", api.provider, settings_.model, settings_.dimensions, text_version)},
          http_{client_settings(settings_.url, settings_.by_proxy, settings_.ca_file)} {}

    [[nodiscard]] std::string_view provider() const noexcept override { return api_.provider; }
    [[nodiscard]] std::string_view model() const noexcept override { return settings_.model; }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

    [[nodiscard]] embedding_reply embed(
        std::span<const std::string> texts, embedding_purpose purpose, const deadline& by,
        const std::stop_token& stop) const override {
        std::vector<std::string> cut;
        cut.reserve(texts.size());
        for (const auto& text : texts) cut.push_back(clean_text(text, embedded_characters_max));
        auto request = api_.request_for(settings_, cut, purpose);
        request.response_bytes_max = vectors_bytes_max;
        request.fresh_connection = true;
        bool is_sent = false;
        request.on_sent = [&is_sent] { is_sent = true; };  // Only for streamed bodies.
        request.streamed_body.emplace().add_text(std::exchange(request.body, {}));
        auto response = http_.send(request, by.at_most(answer_time_max), stop);
        if (response && response->status() == 200) {
            const auto document = parse_foreign_json(response->body);
            const auto status = error_status_within(document);
            if (!status || api_.vectors_in(document, cut.size())) return read(document, cut);
            response->head.status = *status;
        }
        const auto why = masked(
            response ? api_.failure_in(*response) : failure_from(response.error()), settings_.key);
        // A provider with the whole request may have processed it.
        const bool may_be_billed = response ? why.may_be_billed : is_sent;
        return {
            .vectors = error_from(why), .billed = may_be_billed ? billing::unknown : billing::none};
    }

private:
    /// Every answer without an error is billed, whatever it contains; one with vectors always is.
    [[nodiscard]] embedding_reply read(
        const json& document, std::span<const std::string> texts) const {
        auto embedded = api_.vectors_in(document, texts.size());
        embedding_reply reply{
            .vectors = error{errc::model_unavailable, "the answer has no vectors for the texts"},
            .billed = billing::counted,
            .tokens =
                embedded && embedded->tokens > 0 ? embedded->tokens : estimated_tokens(texts)};
        if (!embedded) return reply;
        if (std::ranges::any_of(embedded->vectors, &dense_vector::empty)) {
            reply.vectors = error{errc::model_refused, "a text got a vector that is not usable"};
            return reply;
        }
        const auto dimensions = settings_.dimensions > 0
                                    ? static_cast<std::size_t>(settings_.dimensions)
                                    : embedded->vectors.front().size();
        for (const auto& vector : embedded->vectors) {
            if (vector.size() == dimensions) continue;
            reply.vectors = error{
                errc::model_misconfigured,
                fmt::format(
                    "the model answers with vectors of {} components instead of {}: set "
                    "embedding-dimensions to what it makes, or to 0",
                    vector.size(),
                    dimensions)};
            return reply;
        }
        reply.vectors = std::move(embedded->vectors);
        return reply;
    }

    embedding_api api_;
    embedder_settings settings_;
    std::string name_;
    net::http_client http_;
};

net::http_request gemini_embedding_request(
    const embedder_settings& settings, std::span<const std::string> texts,
    embedding_purpose purpose) {
    return {
        .method = net::http_method::post,
        .url = fmt::format("{}/v1beta/models/{}:batchEmbedContents", settings.url, settings.model),
        .headers =
            {{.name = "x-goog-api-key", .value = settings.key},
             {.name = "Content-Type", .value = "application/json"}},
        .body = gemini_embedding_body(settings, texts, purpose)};
}

net::http_request openai_embedding_request(
    const embedder_settings& settings, std::span<const std::string> texts,
    embedding_purpose /*purpose*/) {
    auto request =
        openai_request(net::http_method::post, settings.url + "/v1/embeddings", settings.key);
    request.body = openai_embedding_body(settings, texts);
    return request;
}

/// Besides 400 and 413, servers refuse a text that is too long with 422 (FastAPI), or with 500 and
/// a message about it (llama.cpp). So does Ollama if the model computes NaN for a text. Any other
/// 500 is a fault of the server. A shorter text fits the context.
call_failure openai_embedding_failure(const net::http_response& response) {
    constexpr auto words = std::to_array<std::string_view>(
        {"too large", "too long", "too big", "context length", "unsupported value: NaN"});
    auto why = openai_failure(response);
    const bool is_about_text = std::ranges::any_of(
        words, [&why](std::string_view text) { return contains(why.detail, text); });
    if (why.kind == failure_kind::context_exceeded || why.kind == failure_kind::request_too_large ||
        response.status() == 422 || (response.status() == 500 && is_about_text))
        why.kind = failure_kind::video_rejected;
    return why;
}

constexpr std::size_t factor_bytes = 4;
constexpr float level_max = 127;

std::array<std::byte, factor_bytes> bytes_of(float number) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    std::array<std::byte, factor_bytes> bytes{};
    for (std::size_t at = 0; at < factor_bytes; ++at)
        bytes.at(at) = static_cast<std::byte>((bits >> (8 * at)) & 0xFFU);
    return bytes;
}

float number_in(std::span<const std::byte> bytes) {
    std::uint32_t bits = 0;
    for (std::size_t at = 0; at < factor_bytes; ++at)
        bits |= std::to_integer<std::uint32_t>(bytes[at]) << (8 * at);
    return std::bit_cast<float>(bits);
}

}  // namespace

bool normalise(dense_vector& vector) {
    double sum = 0;
    for (const auto component : vector) sum += double{component} * double{component};
    const auto length = std::sqrt(sum);
    if (!std::isfinite(length) || length <= 0) return false;
    for (auto& component : vector) component = static_cast<float>(double{component} / length);
    return true;
}

std::vector<std::byte> quantised(const dense_vector& vector) {
    invariant(!vector.empty() && vector.size() <= dimensions_max);
    float largest = 0;
    for (const auto component : vector) largest = std::max(largest, std::fabs(component));
    const auto factor = largest > 0 ? largest / level_max : 1.0F;
    std::vector<std::byte> stored;
    stored.reserve(factor_bytes + vector.size());
    for (const auto byte : bytes_of(factor)) stored.push_back(byte);
    for (const auto component : vector) {
        const auto level = std::clamp(std::round(component / factor), -level_max, level_max);
        stored.push_back(static_cast<std::byte>(static_cast<std::int8_t>(level)));
    }
    return stored;
}

std::optional<double> similarity(const dense_vector& unit, std::span<const std::byte> stored) {
    if (stored.size() != unit.size() + factor_bytes) return std::nullopt;
    const auto levels = stored.subspan(factor_bytes);
    float sum = 0;
    for (std::size_t at = 0; at < unit.size(); ++at)
        sum += unit[at] * static_cast<float>(static_cast<std::int8_t>(levels[at]));
    return double{sum} * double{number_in(stored)};
}

std::string gemini_embedding_body(
    const embedder_settings& settings, std::span<const std::string> texts,
    embedding_purpose purpose) {
    auto requests = json::array();
    for (const auto& text : texts) {
        json request{
            {"model", "models/" + settings.model},
            {"content", {{"parts", {{{"text", gemini_text(settings, text, purpose)}}}}}}};
        if (!has_task_in_text(settings.model)) {
            request["taskType"] =
                purpose == embedding_purpose::query ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT";
        }
        if (settings.dimensions > 0) request["outputDimensionality"] = settings.dimensions;
        requests.push_back(std::move(request));
    }
    return json{{"requests", std::move(requests)}}.dump();
}

std::optional<embeddings> gemini_embeddings(const json& document, std::size_t texts) {
    const auto& listed = member(document, "embeddings");
    if (!listed.is_array() || listed.size() != texts) return std::nullopt;
    embeddings embedded;
    for (const auto& entry : listed) {
        auto vector = vector_from(member(entry, "values"));
        if (!vector) return std::nullopt;
        embedded.vectors.push_back(*std::move(vector));
    }
    return embedded;
}

std::string openai_embedding_body(
    const embedder_settings& settings, std::span<const std::string> texts) {
    json body{
        {"model", settings.model},
        {"input", std::vector<std::string>{texts.begin(), texts.end()}},
        {"encoding_format", "float"}};
    if (settings.dimensions > 0) body["dimensions"] = settings.dimensions;
    return body.dump();
}

std::optional<embeddings> openai_embeddings(const json& document, std::size_t texts) {
    const auto& listed = member(document, "data");
    if (!listed.is_array() || listed.size() != texts) return std::nullopt;
    embeddings embedded;
    embedded.vectors.resize(texts);
    std::vector<bool> filled(texts);
    for (const auto& entry : listed) {
        // Servers may answer in any order.
        const auto& index = member(entry, "index");
        if (!index.is_number_unsigned() || index.get<std::size_t>() >= texts) return std::nullopt;
        auto vector = vector_from(member(entry, "embedding"));
        const auto at = index.get<std::size_t>();
        if (!vector || filled[at]) return std::nullopt;
        filled[at] = true;
        embedded.vectors[at] = *std::move(vector);
    }
    embedded.tokens = count_in(member(document, "usage"), "prompt_tokens");
    return embedded;
}

std::int64_t estimated_tokens(std::span<const std::string> texts) {
    constexpr std::size_t characters_a_token = 4;
    std::size_t characters = 0;
    for (const auto& text : texts) characters += code_point_count(text);
    return static_cast<std::int64_t>((characters + characters_a_token - 1) / characters_a_token);
}

std::unique_ptr<dense_embedder> gemini_embedder(embedder_settings settings) {
    const embedding_api api{
        .provider = "gemini",
        .request_for = gemini_embedding_request,
        .failure_in = [](const net::http_response& response) { return gemini_failure(response); },
        .vectors_in = gemini_embeddings};
    return std::make_unique<http_embedder>(api, std::move(settings));
}

std::unique_ptr<dense_embedder> openai_embedder(embedder_settings settings) {
    const embedding_api api{
        .provider = "openai",
        .request_for = openai_embedding_request,
        .failure_in = openai_embedding_failure,
        .vectors_in = openai_embeddings};
    return std::make_unique<http_embedder>(api, std::move(settings));
}

}  // namespace reelsd::model
