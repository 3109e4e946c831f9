#include "remote_embedder.hpp"

#include "../clean_text.hpp"
#include "../json_members.hpp"
#include "gemini_errors.hpp"
#include "openai_errors.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace reelsd::model {
namespace {

using wall_clock = std::chrono::system_clock;

constexpr auto answer_time_max = std::chrono::seconds{60};
/// A hundred vectors of 3,072 numbers of 20 digits, rounded up.
constexpr std::size_t vectors_bytes_max = std::size_t{16} * 1024 * 1024;
constexpr std::string_view text_version = "1";

/// This model takes no task but in the text itself.
bool has_task_in_text(std::string_view model) {
    return model.starts_with("gemini-embedding-2");
}

std::string gemini_text(
    const embedder_settings& settings, const std::string& text, embedding_purpose purpose) {
    if (!has_task_in_text(settings.model)) return text;
    return purpose == embedding_purpose::query ? "task: search result | query: " + text
                                               : "title: none | text: " + text;
}

/// A list of numbers as a vector of length 1.
std::optional<dense_vector> vector_from(const json& numbers) {
    if (!numbers.is_array() || numbers.empty() || numbers.size() > dimensions_max)
        return std::nullopt;
    dense_vector vector;
    vector.reserve(numbers.size());
    for (const auto& number : numbers) {
        if (!number.is_number()) return std::nullopt;
        vector.push_back(number.get<float>());
    }
    if (!normalise(vector)) return std::nullopt;
    return vector;
}

/// The operator configured the address, so it may be anywhere.
net::address_policy policy_of(const embedder_settings& settings) {
    const auto address = net::url::parse(settings.url);
    return {.trusted_origins = {address ? address->origin() : std::string{}}};
}

/// What two providers do alike.
class http_embedder : public dense_embedder {
public:
    http_embedder(std::string provider, embedder_settings settings)
        : settings_{std::move(settings)},
          provider_{std::move(provider)},
          name_{fmt::format(
              "{}/{}/{}/{}", provider_, settings_.model, settings_.dimensions, text_version)},
          http_{
              {.policy = policy_of(settings_),
               .by_proxy = settings_.by_proxy,
               .ca_file = settings_.ca_file}} {}

    [[nodiscard]] std::string_view provider() const noexcept override { return provider_; }
    [[nodiscard]] std::string_view model() const noexcept override { return settings_.model; }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

    [[nodiscard]] embedding_reply embed(
        std::span<const std::string> texts, embedding_purpose purpose, const deadline& by,
        const std::stop_token& stop) const override {
        std::vector<std::string> cut;
        cut.reserve(texts.size());
        for (const auto& text : texts) cut.push_back(clean_text(text, embedded_characters_max));
        auto request = request_for(cut, purpose);
        request.response_bytes_max = vectors_bytes_max;
        request.fresh_connection = true;
        bool is_sent = false;
        request.on_sent = [&is_sent] { is_sent = true; };  // Of streamed bodies alone.
        request.streamed_body.emplace().add_text(std::exchange(request.body, {}));
        const auto answer = http_.send(request, by.at_most(answer_time_max), stop);
        if (answer && answer->status() == 200) return read(answer->body, cut);
        auto why = answer ? failure_in(*answer) : failure_from(answer.error());
        why.detail = without_secret(std::move(why.detail), settings_.key);
        // Once it has the whole request, a provider may have worked on it.
        const bool may_be_billed = answer ? why.may_be_billed : is_sent;
        return {
            .vectors = error_from(why), .billed = may_be_billed ? billing::unknown : billing::none};
    }

protected:
    [[nodiscard]] const embedder_settings& with() const noexcept { return settings_; }
    [[nodiscard]] virtual net::http_request request_for(
        std::span<const std::string> texts, embedding_purpose purpose) const = 0;
    [[nodiscard]] virtual call_failure failure_in(const net::http_response& answer) const = 0;
    [[nodiscard]] virtual std::optional<embeddings> vectors_in(
        const json& document, std::size_t texts) const = 0;

private:
    /// An answer is billed whatever it holds.
    [[nodiscard]] embedding_reply read(
        const std::string& body, std::span<const std::string> texts) const {
        const auto document = parse_foreign_json(body);
        auto made = vectors_in(document, texts.size());
        embedding_reply reply{
            .vectors = error{errc::model_unavailable, "the answer holds no vectors of the texts"},
            .billed = billing::counted,
            .tokens = made && made->tokens > 0 ? made->tokens : estimated_tokens(texts)};
        if (!made) return reply;
        const auto wanted = settings_.dimensions > 0
                                ? static_cast<std::size_t>(settings_.dimensions)
                                : made->vectors.front().size();
        for (const auto& vector : made->vectors) {
            if (vector.size() == wanted) continue;
            reply.vectors = error{
                errc::model_misconfigured,
                fmt::format(
                    "the model answers with vectors of {} components instead of {}: set "
                    "embedding-dimensions to what it makes, or to 0",
                    vector.size(),
                    wanted)};
            return reply;
        }
        reply.vectors = std::move(made->vectors);
        return reply;
    }

    embedder_settings settings_;
    std::string provider_;
    std::string name_;
    net::http_client http_;
};

class gemini final : public http_embedder {
public:
    explicit gemini(embedder_settings settings) : http_embedder{"gemini", std::move(settings)} {}

protected:
    [[nodiscard]] net::http_request request_for(
        std::span<const std::string> texts, embedding_purpose purpose) const override {
        net::http_request request{
            .method = net::http_method::post,
            .url = fmt::format("{}/v1beta/models/{}:batchEmbedContents", with().url, with().model)};
        request.headers = {
            {.name = "x-goog-api-key", .value = with().key},
            {.name = "Content-Type", .value = "application/json"}};
        request.body = gemini_embedding_body(with(), texts, purpose);
        return request;
    }
    [[nodiscard]] call_failure failure_in(const net::http_response& answer) const override {
        return gemini_failure(
            answer.status(),
            answer.head.headers,
            answer.body,
            gemini_target::generate,
            wall_clock::now());
    }
    [[nodiscard]] std::optional<embeddings> vectors_in(
        const json& document, std::size_t texts) const override {
        return gemini_embeddings(document, texts);
    }
};

class openai final : public http_embedder {
public:
    explicit openai(embedder_settings settings) : http_embedder{"openai", std::move(settings)} {}

protected:
    [[nodiscard]] net::http_request request_for(
        std::span<const std::string> texts, embedding_purpose /*purpose*/) const override {
        net::http_request request{
            .method = net::http_method::post, .url = with().url + "/v1/embeddings"};
        request.headers = {{.name = "Content-Type", .value = "application/json"}};
        if (!with().key.empty())
            request.headers.push_back({.name = "Authorization", .value = "Bearer " + with().key});
        request.body = openai_embedding_body(with(), texts);
        return request;
    }
    [[nodiscard]] call_failure failure_in(const net::http_response& answer) const override {
        return openai_failure(answer.status(), answer.head.headers, answer.body, wall_clock::now());
    }
    [[nodiscard]] std::optional<embeddings> vectors_in(
        const json& document, std::size_t texts) const override {
        return openai_embeddings(document, texts);
    }
};

}  // namespace

std::string gemini_embedding_body(
    const embedder_settings& settings, std::span<const std::string> texts,
    embedding_purpose purpose) {
    auto requests = json::array();
    for (const auto& text : texts) {
        json one{
            {"model", "models/" + settings.model},
            {"content", {{"parts", {{{"text", gemini_text(settings, text, purpose)}}}}}}};
        if (!has_task_in_text(settings.model)) {
            one["taskType"] =
                purpose == embedding_purpose::query ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT";
        }
        if (settings.dimensions > 0) one["outputDimensionality"] = settings.dimensions;
        requests.push_back(std::move(one));
    }
    return json{{"requests", std::move(requests)}}.dump();
}

std::optional<embeddings> gemini_embeddings(const json& document, std::size_t texts) {
    const auto& listed = member(document, "embeddings");
    if (!listed.is_array() || listed.size() != texts) return std::nullopt;
    embeddings made;
    for (const auto& one : listed) {
        auto vector = vector_from(member(one, "values"));
        if (!vector) return std::nullopt;
        made.vectors.push_back(*std::move(vector));
    }
    return made;
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
    embeddings made;
    made.vectors.resize(texts);
    for (const auto& one : listed) {
        // Servers that work in parallel answer in any order.
        const auto& index = member(one, "index");
        if (!index.is_number_unsigned() || index.get<std::size_t>() >= texts) return std::nullopt;
        auto vector = vector_from(member(one, "embedding"));
        auto& place = made.vectors[index.get<std::size_t>()];
        if (!vector || !place.empty()) return std::nullopt;
        place = *std::move(vector);
    }
    const auto& tokens = member(member(document, "usage"), "prompt_tokens");
    if (tokens.is_number_unsigned()) made.tokens = bounded_count(tokens.get<std::uint64_t>());
    return made;
}

std::int64_t estimated_tokens(std::span<const std::string> texts) {
    constexpr std::size_t characters_a_token = 4;
    std::size_t characters = 0;
    for (const auto& text : texts) characters += code_point_count(text);
    return static_cast<std::int64_t>((characters + characters_a_token - 1) / characters_a_token);
}

std::unique_ptr<dense_embedder> gemini_embedder(embedder_settings settings) {
    return std::make_unique<gemini>(std::move(settings));
}

std::unique_ptr<dense_embedder> openai_embedder(embedder_settings settings) {
    return std::make_unique<openai>(std::move(settings));
}

}  // namespace reelsd::model
