#include "analyzers.hpp"

#include "from_settings.hpp"
#include <reelsd/base/file_digest.hpp>

#include <boost/asio/ip/host_name.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace reelsd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto sweep_time_max = 60s;
constexpr std::string_view token_prices = "input/output";

error setting_error(std::string detail) {
    return error{errc::invalid_argument, std::move(detail)};
}

result<model::price_table> read_prices(const settings& config) {
    const auto file = config.model_prices_file.empty()
                          ? find_installation(config).model_prices
                          : std::filesystem::path{config.model_prices_file};
    std::ifstream stream{file};
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf()))
        return setting_error(fmt::format("model-prices-file: {} cannot be read", file.string()));
    auto table = model::price_table::parse(text.str());
    if (!table) return setting_error(fmt::format("model-prices-file: {}", table.error().detail()));
    const auto added = table->put_first(config.model_prices);
    if (!added) return setting_error("model-prices: " + added.error().detail());
    return table;
}

/// Marks this daemon's uploads at the provider, where other daemons may use the same key. The same
/// at every start.
std::string upload_owner(const settings& config) {
    boost::system::error_code unknown;
    const auto host = boost::asio::ip::host_name(unknown);
    std::error_code failure;
    const auto folder = std::filesystem::weakly_canonical(config.data_dir, failure);
    return "reelsd-" + sha256_hex(host + '\n' + folder.string()).substr(0, 16);
}

void warn_of_unknown_price(
    const model::price_table& prices, const std::string& name, std::string_view form,
    const log::logger& log) {
    if (prices.knows(name)) return;
    log.warning(
        "model has no price: its cost will be recorded as unknown",
        {{"model", name}, {"set", fmt::format("REELSD_MODEL_PRICES={}={}", name, form)}});
}

bool is_auto(const settings& config) {
    return config.analyzers == std::vector<std::string>{"auto"};
}

/// Many users have OPENAI_API_KEY in their environment for other programs.
bool has_openai(const settings& config) {
    return !config.openai.key.empty() && !config.openai.model.empty();
}

void warn_of_skipped_openai(const settings& config, const log::logger& log) {
    if (!is_auto(config) || config.openai.key.empty() || has_openai(config)) return;
    log.warning("openai has a key but no model and is not used", {{"set", "openai-model"}});
}

}  // namespace

result<void> analyzers::open_speech_server(
    const settings& config, model::request_observer on_request, const log::logger& log) {
    if (config.transcriber == "local") return {};
    if (config.speech.model.empty())
        return setting_error("transcriber-model is not set, and the transcriber is openai");
    warn_of_unknown_price(prices_, config.speech.model, "0.006/min", log);
    speech_server_ = std::make_unique<model::speech_transcriber>(
        config.speech,
        model::speech_dependencies{
            .media = media_,
            .prices = prices_,
            .ca_file = config.ca_file,
            .by_proxy = config.model_proxy,
            .on_request = std::move(on_request),
            .log = log});
    return {};
}

const model::transcriber& analyzers::speech() const noexcept {
    if (speech_server_) return *speech_server_;
    return built_in_speech_;
}

result<std::unique_ptr<model::dense_embedder>> make_dense_embedder(const settings& config) {
    if (config.embedder == "local") return std::unique_ptr<model::dense_embedder>{};
    const bool is_gemini = config.embedder == "gemini";
    if (is_gemini && config.gemini.key.empty())
        return setting_error("gemini-api-key is not set, and the embedder is gemini");
    const std::string default_model = is_gemini ? "gemini-embedding-001" : "text-embedding-3-small";
    model::embedder_settings provider{
        .url = is_gemini ? config.gemini.url : config.openai.url,
        .key = is_gemini ? config.gemini.key : config.openai.key,
        .model = config.embedding_model.empty() ? default_model : config.embedding_model,
        .dimensions = config.embedding_dimensions,
        .ca_file = config.ca_file,
        .by_proxy = config.model_proxy};
    return is_gemini ? model::gemini_embedder(std::move(provider))
                     : model::openai_embedder(std::move(provider));
}

std::vector<std::string> analyzer_names(const settings& config) {
    if (!is_auto(config)) return config.analyzers;
    if (!config.gemini.key.empty()) return {"gemini"};
    if (has_openai(config)) return {"openai"};
    return {"local"};
}

std::vector<std::string> other_analyzer_names(const settings& config) {
    if (is_auto(config) && !config.gemini.key.empty() && has_openai(config)) return {"openai"};
    return {};
}

result<std::unique_ptr<analyzers>> analyzers::create(
    const settings& config, std::string_view run, const media::media_client& media,
    model::request_observer on_request, const log::logger& log) {
    auto prices = read_prices(config);
    if (!prices) return prices.error();
    std::unique_ptr<analyzers> created{new analyzers{media}};
    created->prices_ = *std::move(prices);
    auto embedder = make_dense_embedder(config);
    if (!embedder) return embedder.error();
    created->dense_embedder_ = *std::move(embedder);
    if (created->dense_embedder_)
        warn_of_unknown_price(
            created->prices_, std::string{created->dense_embedder_->model()}, token_prices, log);
    if (const auto opened = created->open_speech_server(config, on_request, log); !opened)
        return opened.error();
    created->local_ = std::make_unique<model::local_analyzer>(media, created->speech());
    auto remote = config.remote;
    remote.ca_file = config.ca_file;
    remote.by_proxy = config.model_proxy;
    const auto dependencies = [&](const model::transcriber* speech) {
        return model::remote_dependencies{
            .media = media,
            .prices = created->prices_,
            .settings = remote,
            .on_request = on_request,
            .speech = speech,
            .log = log};
    };
    const auto* const speech_for_openai =
        config.openai.mode == model::openai_mode::frames ? &created->speech() : nullptr;
    const auto make = [&](const std::string& name) {
        const bool is_gemini = name == "gemini";
        warn_of_unknown_price(
            created->prices_,
            is_gemini ? config.gemini.model : config.openai.model,
            token_prices,
            log);
        auto gemini = config.gemini;
        gemini.upload_owner = upload_owner(config);
        gemini.upload_run = run;
        auto analyzer = is_gemini ? model::remote_analyzer::with_gemini(
                                        std::move(gemini), dependencies(nullptr))
                                  : model::remote_analyzer::with_openai(
                                        config.openai, dependencies(speech_for_openai));
        created->remote_.push_back(analyzer.get());
        created->by_name_.emplace_back(name, analyzer.get());
        return analyzer;
    };
    warn_of_skipped_openai(config, log);
    std::vector<std::unique_ptr<model::analyzer>> chain;
    for (const auto& name : analyzer_names(config)) {
        if (name == "gemini" && config.gemini.key.empty())
            return setting_error("gemini-api-key is not set, and the analyzer is gemini");
        if (name == "openai" && config.openai.model.empty())
            return setting_error("openai-model is not set, and the analyzer is openai");
        if (name == model::local_provider) {
            chain.push_back(std::make_unique<model::local_analyzer>(media, created->speech()));
        } else {
            chain.push_back(make(name));
        }
    }
    for (const auto& name : other_analyzer_names(config)) {
        created->others_.push_back(make(name));
    }
    created->by_name_.emplace_back(model::local_provider, created->local_.get());
    created->chosen_ = chain.size() == 1
                           ? std::move(chain.front())
                           : std::make_unique<model::analyzer_chain>(std::move(chain), log);
    return created;
}

const model::analyzer* analyzers::find(std::string_view name) const {
    const auto known =
        std::ranges::find_if(by_name_, [name](const auto& entry) { return entry.first == name; });
    return known == by_name_.end() ? nullptr : known->second;
}

std::vector<std::string> analyzers::names() const {
    std::vector<std::string> names;
    for (const auto& [name, analyzer] : by_name_) names.push_back(name);
    return names;
}

std::vector<model::circuit_state> analyzers::circuits() const {
    std::vector<model::circuit_state> all;
    for (const auto* analyzer : remote_) all.push_back(analyzer->circuit());
    if (speech_server_) all.push_back(speech_server_->circuit());
    return all;
}

void analyzers::sweep(const model::run_check& is_living, const std::stop_token& stop) const {
    for (const auto* analyzer : remote_) {
        analyzer->sweep(is_living, deadline::after(sweep_time_max), stop);
    }
}

}  // namespace reelsd::app
