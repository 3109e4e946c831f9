#pragma once

#include "analyzers.hpp"
#include "database.hpp"
#include "settings.hpp"
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/models/stored_model.hpp>
#include <reelsd/model/analysis_options.hpp>
#include <reelsd/work/analysis/executor.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>
#include <reelsd/work/questions/question_service.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelsd::app {

/// The remote model that an administrator has entered in the dashboard.
struct stored_model {
    std::string provider;  ///< "gemini" or "openai".
    /// Texts of the provider's settings by name: "gemini-api-key", "gemini-url", "gemini-model",
    /// "openai-mode", ... A setting that is absent keeps its default.
    std::map<std::string, std::string> values;
    std::string input_price;   ///< US dollars per million tokens; empty: the table's.
    std::string output_price;  ///< Empty if `input_price` is.
    std::string key_set_at;    ///< RFC 3339; empty without a key.

    /// Empty if it is absent. `field`: "api-key", "url", "model" or "mode".
    [[nodiscard]] std::string value(std::string_view field) const;
};

/// Whether the operator's settings choose an analyzer; a stored model then has no effect. Pure.
[[nodiscard]] bool choose_analyzer(const settings& config);

/// The settings with the stored model, whose values replace no value of the operator. Errors:
/// invalid_argument for a value that its setting does not accept. Pure.
[[nodiscard]] result<settings> with_stored_model(settings config, const stored_model& stored);

/// Reads a form: `provider`, `url`, `model`, `mode`, `api_key`, `input_price`, `output_price`. A
/// key that is absent is the one of `before`, if provider and address are the same: a key is not
/// sent to another address than it was entered for. Errors: invalid_argument. Pure.
[[nodiscard]] result<stored_model> model_from_form(
    const json& form, const stored_model* before, time_point now);

/// What the database stores, before it is sealed.
[[nodiscard]] std::string text_of(const stored_model& stored);
[[nodiscard]] result<stored_model> stored_model_from(std::string_view text);

/// Opens what the database stores. Errors: not_found, storage_failed, invalid_argument; the detail
/// says what the operator can do. Blocking.
[[nodiscard]] result<stored_model> open_sealed(
    const settings& config, const models::sealed_model& sealed);

/// The stored model in a database whose schema is up to date. Blocking.
[[nodiscard]] result<std::optional<models::sealed_model>> read_stored_model(
    const database& store, const log::logger& log);

/// The analyzers in use. Thread-safe.
class analyzers_in_use {
public:
    using maker = std::function<result<std::unique_ptr<analyzers>>(const settings&)>;

    /// `base`: of the operator's settings.
    analyzers_in_use(
        const settings& config, std::unique_ptr<analyzers> base, maker make, log::logger log)
        : config_{config},
          base_{std::move(base)},
          make_{std::move(make)},
          log_{std::move(log)},
          current_{base_} {}

    [[nodiscard]] std::shared_ptr<const analyzers> get() const;
    [[nodiscard]] model::offered_analyzers offered() const;
    [[nodiscard]] work::remote_models remote() const;
    /// `name`: see work::executor_dependencies.
    [[nodiscard]] work::attempt_analyzer for_attempt(std::string_view name) const;
    /// The embedder, the prices and the speech server of these are used while the daemon runs.
    [[nodiscard]] const analyzers& base() const noexcept { return *base_; }

    /// The analyzers with a stored model. Errors: invalid_argument. Blocking: reads files.
    [[nodiscard]] result<std::shared_ptr<const analyzers>> with(const stored_model& stored) const;

    /// Uses the stored model, or only the operator's settings: without one, and, with a log line,
    /// when it cannot be used. Work in progress keeps the analyzers that it began with. Blocking.
    void use(const std::optional<models::sealed_model>& sealed);

    struct stored_state {
        std::optional<stored_model> model;  ///< Empty if it cannot be opened.
        std::string problem;                ///< Why the stored model is not used.
    };
    [[nodiscard]] stored_state stored() const;

private:
    const settings config_;
    std::shared_ptr<const analyzers> base_;
    maker make_;
    log::logger log_;
    mutable std::mutex mutex_;  ///< Guards the members below.
    std::shared_ptr<const analyzers> current_;
    stored_state stored_;
};

/// Follows the stored model, and serves the form of administrators. Thread: the loop's.
class stored_model_service final : public work::periodic_task {
public:
    /// All references outlive this. `used` is called on the loop after a change.
    stored_model_service(
        const boost::asio::any_io_executor& loop, const settings& config, analyzers_in_use& models,
        models::model_store store, std::optional<models::sealed_model> at_start,
        async::offload_pool& files, async::offload_pool& calls, std::function<void()> used,
        const log::logger& log);

    awaitable<bool> stop(deadline by) override;

    /// For the form. Contains at most the end of a key.
    [[nodiscard]] json view() const;
    /// Stores the model of a form and uses it. Errors: invalid_argument; conflict when the
    /// operator's settings choose the analyzer; storage_failed for the file of the sealing key.
    [[nodiscard]] awaitable<result<void>> save(json form, deadline by);
    /// Checks key and model of a form, at no cost. Errors: invalid_argument, conflict,
    /// model_misconfigured, model_unavailable.
    [[nodiscard]] awaitable<result<void>> check(json form);
    [[nodiscard]] awaitable<void> remove(deadline by);

private:
    awaitable<void> step() override;
    awaitable<void> follow(deadline by);
    [[nodiscard]] result<stored_model> read(const json& form) const;
    /// Blocking.
    [[nodiscard]] result<std::vector<std::byte>> seal_checked(const stored_model& stored) const;

    const settings& config_;
    analyzers_in_use& models_;
    models::model_store store_;
    std::optional<models::sealed_model> seen_;
    async::offload_pool& files_;
    async::offload_pool& calls_;
    std::function<void()> used_;
    std::stop_source stop_;
};

}  // namespace reelsd::app
