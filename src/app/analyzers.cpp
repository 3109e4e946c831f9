#include "analyzers.hpp"

#include "installation.hpp"
#include <reelsd/model/analyzer.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace reelsd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto sweep_time_max = 60s;

error setting_error(std::string detail) {
    return error{errc::invalid_argument, std::move(detail)};
}

result<model::price_table> read_prices(const settings& with) {
    const auto file = with.model_prices_file.empty()
                          ? find_installation(with).model_prices
                          : std::filesystem::path{with.model_prices_file};
    std::ifstream stream{file};
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf()))
        return setting_error(fmt::format("model-prices-file: {} cannot be read", file.string()));
    auto table = model::price_table::parse(text.str());
    if (!table) return setting_error(fmt::format("model-prices-file: {}", table.error().detail()));
    const auto added = table->put_first(with.model_prices);
    if (!added) return setting_error("model-prices: " + added.error().detail());
    return table;
}

/// The same for every start of this daemon, and another one for others that use the same key: what
/// is left over at the provider can be told apart.
std::string upload_owner(const settings& with) {
    std::array<char, 65> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
    std::error_code failure;
    const auto folder = std::filesystem::weakly_canonical(with.data_dir, failure);
    // FNV-1a: short, and the same in every build.
    std::uint64_t digest = 14'695'981'039'346'656'037U;
    for (const char c : std::string{host.data()} + '\n' + folder.string()) {
        digest ^= static_cast<unsigned char>(c);
        digest *= 1'099'511'628'211U;
    }
    return fmt::format("reelsd-{:016x}", digest);
}

void warn_of_unknown_price(
    const model::price_table& prices, const std::string& name, const log::logger& log) {
    const std::chrono::year_month_day today{
        std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
    if (prices.knows(name, today)) return;
    log.warning(
        "no price is known for this model: its cost will be recorded as unknown",
        {{"model", name}, {"set", "REELSD_MODEL_PRICES=" + name + "=input/output"}});
}

}  // namespace

result<std::unique_ptr<model::dense_embedder>> make_dense_embedder(const settings& with) {
    using made = std::unique_ptr<model::dense_embedder>;
    if (with.embedder == "local") return made{};
    const bool is_gemini = with.embedder == "gemini";
    if (is_gemini && with.gemini.key.empty())
        return setting_error("gemini-api-key is not set, and the embedder is gemini");
    const std::string usual = is_gemini ? "gemini-embedding-001" : "text-embedding-3-small";
    model::embedder_settings wanted{
        .url = is_gemini ? with.gemini.url : with.openai.url,
        .key = is_gemini ? with.gemini.key : with.openai.key,
        .model = with.embedding_model.empty() ? usual : with.embedding_model,
        .dimensions = with.embedding_dimensions,
        .ca_file = with.ca_file,
        .by_proxy = with.model_proxy};
    return is_gemini ? model::gemini_embedder(std::move(wanted))
                     : model::openai_embedder(std::move(wanted));
}

std::vector<std::string> wanted_analyzers(const settings& with) {
    if (with.analyzers != std::vector<std::string>{"auto"}) return with.analyzers;
    if (!with.gemini.key.empty()) return {"gemini"};
    if (!with.openai.key.empty()) return {"openai"};
    return {"local"};
}

result<std::unique_ptr<analyzers>> analyzers::create(
    const settings& with, std::string_view run, const media::media_client& media,
    model::request_observer on_request, const log::logger& log) {
    auto prices = read_prices(with);
    if (!prices) return prices.error();
    std::unique_ptr<analyzers> made{new analyzers{media}};
    made->prices_ = *std::move(prices);
    auto embedder = make_dense_embedder(with);
    if (!embedder) return embedder.error();
    made->dense_embedder_ = *std::move(embedder);
    if (made->dense_embedder_)
        warn_of_unknown_price(made->prices_, std::string{made->dense_embedder_->model()}, log);
    auto remote = with.remote;
    remote.ca_file = with.ca_file;
    remote.by_proxy = with.model_proxy;
    const auto parts = [&] {
        return model::remote_dependencies{
            .media = media,
            .prices = made->prices_,
            .settings = remote,
            .on_request = on_request,
            .log = log};
    };
    std::vector<std::unique_ptr<model::analyzer>> links;
    const auto add = [&](std::unique_ptr<model::remote_analyzer> one, const std::string& name) {
        warn_of_unknown_price(made->prices_, name, log);
        made->remote_.push_back(one.get());
        links.push_back(std::move(one));
    };
    for (const auto& name : wanted_analyzers(with)) {
        if (name == "gemini") {
            if (with.gemini.key.empty())
                return setting_error("gemini-api-key is not set, and the analyzer is gemini");
            auto gemini = with.gemini;
            gemini.upload_owner = upload_owner(with);
            gemini.upload_run = run;
            add(model::remote_analyzer::with_gemini(std::move(gemini), parts()), with.gemini.model);
        } else if (name == "openai") {
            if (with.openai.model.empty())
                return setting_error("openai-model is not set, and the analyzer is openai");
            add(model::remote_analyzer::with_openai(with.openai, parts()), with.openai.model);
        } else {
            links.push_back(std::make_unique<model::local_analyzer>(media));
        }
    }
    made->chosen_ = links.size() == 1
                        ? std::move(links.front())
                        : std::make_unique<model::analyzer_chain>(std::move(links), log);
    return made;
}

std::vector<model::circuit_state> analyzers::circuits() const {
    std::vector<model::circuit_state> all;
    for (const auto* one : remote_) all.push_back(one->circuit());
    return all;
}

void analyzers::sweep(const model::run_check& is_living, const std::stop_token& stop) const {
    for (const auto* one : remote_) one->sweep(is_living, deadline::after(sweep_time_max), stop);
}

}  // namespace reelsd::app
