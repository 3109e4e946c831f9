#include "stored_model.hpp"

#include "setting_readers.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <utility>

namespace reelsd::app {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

/// A change is documented to reach all daemons within 5 s.
constexpr auto stored_model_interval = 3s;
constexpr auto stored_query_time_max = 2s;
/// At the start: the first of several servers may not answer, and the next is tried.
constexpr auto first_query_time_max = 30s;
constexpr auto provider_time_max = 15s;
/// For a thread to become free.
constexpr auto free_thread_time_max = 5s;

/// Fields of the form that are settings of the provider.
constexpr std::array<const char*, 4> form_fields{"api-key", "url", "model", "mode"};

error invalid_form(std::string detail) {
    return error{errc::invalid_argument, std::move(detail)};
}

std::string setting_of(std::string_view provider, std::string_view field) {
    return fmt::format("{}-{}", provider, field);
}

std::string effective_value(
    const settings& config, std::string_view provider, std::string_view field) {
    const bool is_gemini = provider == "gemini";
    if (field == "url") return is_gemini ? config.gemini.url : config.openai.url;
    if (field == "model") return is_gemini ? config.gemini.model : config.openai.model;
    for (const auto& [name, mode] : openai_modes) {
        if (mode == config.openai.mode) return std::string{name};
    }
    return {};
}

/// The values of the operator's settings, which the form shows, and which of them it cannot change.
json provider_view(const settings& config, std::string_view provider) {
    auto view = json::object();
    for (const std::string field : form_fields) {
        const auto name = setting_of(provider, field);
        if (field == "api-key" || find_setting(name) == nullptr) continue;
        view[field] = {
            {"value", effective_value(config, provider, field)},
            {"is_fixed", config.given.contains(name)}};
    }
    return view;
}

/// Short keys are not shown in part.
json key_view(const stored_model& stored) {
    constexpr std::size_t shown = 4;
    constexpr std::size_t length_min = 16;
    const auto key = stored.value("api-key");
    if (key.empty()) return nullptr;
    json view{{"set_at", stored.key_set_at}};
    if (key.size() >= length_min) view["ends_with"] = key.substr(key.size() - shown);
    return view;
}

std::filesystem::path secret_key_file_of(const settings& config) {
    if (!config.secret_key_file.empty()) return config.secret_key_file;
    return std::filesystem::path{config.data_dir} / "secret-key";
}

}  // namespace

std::string stored_model::value(std::string_view field) const {
    const auto known = values.find(setting_of(provider, field));
    return known == values.end() ? std::string{} : known->second;
}

bool choose_analyzer(const settings& config) {
    return analyzer_names(config) != std::vector<std::string>{"local"} ||
           config.analyzers != std::vector<std::string>{"auto"};
}

result<settings> with_stored_model(settings config, const stored_model& stored) {
    for (const auto& [name, text] : stored.values) {
        const auto* const definition = find_setting(name);
        if (definition == nullptr) return invalid_form(name + " is not a setting");
        if (config.given.contains(name)) continue;
        if (const auto applied = apply(*definition, text, config); !applied) return applied.error();
    }
    config.analyzers = {stored.provider};
    if (stored.input_price.empty()) return config;
    const auto name = effective_value(config, stored.provider, "model");
    if (name.find(',') != name.npos)
        return invalid_form("a model with a comma cannot have a price");
    // The operator's prices are first, and so have precedence.
    if (!config.model_prices.empty()) config.model_prices.push_back(',');
    config.model_prices += fmt::format("{}={}/{}", name, stored.input_price, stored.output_price);
    return config;
}

result<stored_model> model_from_form(const json& form, const stored_model* before, time_point now) {
    stored_model stored;
    stored.provider = text_or(form, "provider", "");
    if (stored.provider != "gemini" && stored.provider != "openai")
        return invalid_form("provider must be gemini or openai");
    for (const auto* const field : form_fields) {
        const auto name = setting_of(stored.provider, field);
        const auto text = text_or(form, field == form_fields[0] ? "api_key" : field, "");
        if (!text.empty() && find_setting(name) != nullptr) stored.values[name] = text;
    }
    const auto key = setting_of(stored.provider, "api-key");
    if (stored.values.contains(key)) {
        stored.key_set_at = to_rfc3339(now);
    } else if (
        before != nullptr && !form.contains("api_key") && !before->value("api-key").empty()) {
        if (before->provider != stored.provider || before->value("url") != stored.value("url"))
            return invalid_form("the address is another one: enter the key again");
        stored.values[key] = before->value("api-key");
        stored.key_set_at = before->key_set_at;
    }
    if (stored.provider == "gemini" && stored.value("api-key").empty())
        return invalid_form("api_key is required");
    stored.input_price = text_or(form, "input_price", "");
    stored.output_price = text_or(form, "output_price", "");
    if (stored.input_price.empty() != stored.output_price.empty())
        return invalid_form("give both prices, for input and output, or neither");
    for (const auto& price : {stored.input_price, stored.output_price}) {
        if (!price.empty() && !model::price_from(price))
            return invalid_form("a price must be US dollars with at most six decimals");
    }
    return stored;
}

std::string text_of(const stored_model& stored) {
    return json{
        {"provider", stored.provider},
        {"values", stored.values},
        {"input_price", stored.input_price},
        {"output_price", stored.output_price},
        {"key_set_at", stored.key_set_at}}
        .dump();
}

result<stored_model> stored_model_from(std::string_view text) {
    const auto document = parse_foreign_json(text);
    const auto& values = member(document, "values");
    stored_model stored{
        .provider = text_or(document, "provider", ""),
        .values = {},
        .input_price = text_or(document, "input_price", ""),
        .output_price = text_or(document, "output_price", ""),
        .key_set_at = text_or(document, "key_set_at", "")};
    if (!values.is_object() || stored.provider.empty())
        return invalid_form("a later release has stored it");
    for (const auto& [name, value] : values.items()) {
        if (value.is_string()) stored.values[name] = value.get<std::string>();
    }
    return stored;
}

result<stored_model> open_sealed(const settings& config, const models::sealed_model& sealed) {
    const auto refuse = [&](const error& why) {
        return error{
            why.code(),
            fmt::format(
                "the stored model cannot be opened: {}; give all daemons the same "
                "secret-key-file, or enter the model again",
                why.detail())};
    };
    const auto key = models::sealing_key::load(secret_key_file_of(config));
    if (!key) return refuse(key.error());
    const auto text = key->open(sealed.sealed);
    if (!text) return refuse(text.error());
    auto stored = stored_model_from(*text);
    if (!stored) return refuse(stored.error());
    return stored;
}

result<std::optional<models::sealed_model>> read_stored_model(
    const database& store, const log::logger& log) {
    std::optional<models::sealed_model> found;
    const auto read = [&](db::pool& pool) -> awaitable<result<void>> {
        models::model_store stored{pool};
        found = co_await stored.find(deadline::after(first_query_time_max));
        co_return result<void>{};
    };
    if (const auto done = with_pool(store, log, read); !done) return done.error();
    return found;
}

std::shared_ptr<const analyzers> analyzers_in_use::get() const {
    const std::lock_guard guard{mutex_};
    return current_;
}

model::offered_analyzers analyzers_in_use::offered() const {
    const auto current = get();
    return {.names = current->names(), .cost_money = !current->remote().empty()};
}

work::remote_models analyzers_in_use::remote() const {
    const auto current = get();
    return {current, &current->remote()};
}

work::attempt_analyzer analyzers_in_use::for_attempt(std::string_view name) const {
    const auto current = get();
    const auto* const found = name.empty() ? &current->chosen() : current->find(name);
    return {.analyzer = {current, found}, .costs_money = !current->remote().empty()};
}

analyzers_in_use::stored_state analyzers_in_use::stored() const {
    const std::lock_guard guard{mutex_};
    return stored_;
}

result<std::shared_ptr<const analyzers>> analyzers_in_use::with(const stored_model& stored) const {
    const auto merged = with_stored_model(config_, stored);
    if (!merged) return merged.error();
    auto built = make_(*merged);
    if (!built) return built.error();
    return std::shared_ptr<const analyzers>{*std::move(built)};
}

void analyzers_in_use::use(const std::optional<models::sealed_model>& sealed) {
    stored_state state;
    auto next = base_;
    if (sealed) {
        auto opened = open_sealed(config_, *sealed);
        if (!opened) {
            state.problem = opened.error().detail();
        } else {
            state.model = *std::move(opened);
            auto built = choose_analyzer(config_) ? next : with(*state.model);
            if (built) next = *std::move(built);
            if (!built) state.problem = built.error().detail();
        }
    }
    if (!state.problem.empty()) {
        log_.warning("stored model is not used", {{"reason", state.problem}});
    } else if (next->chosen().name() != get()->chosen().name()) {
        log_.info("analyzer changed", {{"analyzer", next->chosen().name()}});
    }
    const std::lock_guard guard{mutex_};
    current_ = std::move(next);
    stored_ = std::move(state);
}

stored_model_service::stored_model_service(
    const asio::any_io_executor& loop, const settings& config, analyzers_in_use& models,
    models::model_store store, std::optional<models::sealed_model> at_start,
    async::offload_pool& files, async::offload_pool& calls, std::function<void()> used,
    const log::logger& log)
    : periodic_task{"follow the stored model", loop, stored_model_interval, log},
      config_{config},
      models_{models},
      store_{store},
      seen_{std::move(at_start)},
      files_{files},
      calls_{calls},
      used_{std::move(used)} {}

awaitable<bool> stored_model_service::stop(deadline by) {
    stop_.request_stop();
    return periodic_task::stop(by);
}

awaitable<void> stored_model_service::step() {
    return follow(deadline::after(stored_query_time_max));
}

awaitable<void> stored_model_service::follow(deadline by) {
    const auto found = co_await store_.find(by);
    if (found == seen_) co_return;
    const auto use = [&] { models_.use(found); };
    const auto ran = co_await files_.run(by, use);
    if (!ran) co_return;  // The next step tries again.
    seen_ = found;
    used_();
}

result<stored_model> stored_model_service::read(const json& form) const {
    if (choose_analyzer(config_)) {
        return error{
            errc::conflict,
            "the environment, a flag or the configuration file chooses the analyzer"};
    }
    const auto before = models_.stored().model;
    return model_from_form(form, before ? &*before : nullptr, wall_clock_now());
}

result<std::vector<std::byte>> stored_model_service::seal_checked(
    const stored_model& stored) const {
    if (const auto built = models_.with(stored); !built) return built.error();
    const auto file = secret_key_file_of(config_);
    // An operator's file is shared; a daemon that does not see it must not create another one.
    const auto key = config_.secret_key_file.empty() ? models::sealing_key::load_or_create(file)
                                                     : models::sealing_key::load(file);
    if (!key) return error{errc::storage_failed, key.error().detail()};
    return key->seal(text_of(stored));
}

awaitable<result<void>> stored_model_service::save(json form, deadline by) {
    const auto stored = read(form);
    if (!stored) co_return stored.error();
    const auto seal = [&] { return seal_checked(*stored); };
    auto sealed = co_await files_.run(by, seal);
    if (!sealed) co_return sealed.error();
    co_await store_.keep(*std::move(sealed), by);
    co_await follow(by);
    co_return result<void>{};
}

awaitable<result<void>> stored_model_service::check(json form) {
    const auto stored = read(form);
    if (!stored) co_return stored.error();
    const auto ask = [&]() -> result<void> {
        const auto built = models_.with(*stored);
        if (!built) return built.error();
        const auto by = deadline::after(provider_time_max);
        return (*built)->remote().front()->check(by, stop_.get_token());
    };
    co_return co_await calls_.run(deadline::after(free_thread_time_max), ask);
}

awaitable<void> stored_model_service::remove(deadline by) {
    co_await store_.remove(by);
    co_await follow(by);
}

json stored_model_service::view() const {
    const auto stored = models_.stored();
    const bool is_fixed = choose_analyzer(config_);
    json view{
        {"source", is_fixed ? "settings" : (seen_ ? "stored" : "none")},
        {"providers",
         {{"gemini", provider_view(config_, "gemini")},
          {"openai", provider_view(config_, "openai")}}},
        {"problem", stored.problem.empty() ? json(nullptr) : json(stored.problem)},
        {"stored", nullptr}};
    if (!stored.model) return view;
    view["stored"] = {
        {"provider", stored.model->provider},
        {"url", stored.model->value("url")},
        {"model", stored.model->value("model")},
        {"mode", stored.model->value("mode")},
        {"key", key_view(*stored.model)},
        {"input_price", stored.model->input_price},
        {"output_price", stored.model->output_price}};
    return view;
}

}  // namespace reelsd::app
