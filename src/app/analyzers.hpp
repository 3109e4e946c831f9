#pragma once

#include "settings.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/dense_embedder.hpp>
#include <reelsd/model/local_analyzer.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/model/remote_analyzer.hpp>
#include <reelsd/model/speech_transcriber.hpp>
#include <reelsd/model/transcriber.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelsd::app {

/// The analyzers and the embedder of the settings.
class analyzers {
public:
    /// `run` identifies this process (see work::scratch_space). `media` outlives the object.
    /// Errors: invalid_argument for an analyzer without its key or model, and for a table of prices
    /// that cannot be read; the detail names the setting.
    [[nodiscard]] static result<std::unique_ptr<analyzers>> create(
        const settings& config, std::string_view run, const media::media_client& media,
        model::request_observer on_request, const log::logger& log);

    /// Tries the configured ones in order.
    [[nodiscard]] const model::analyzer& chosen() const noexcept { return *chosen_; }
    /// The one that a submission names; null for an unknown name.
    [[nodiscard]] const model::analyzer* find(std::string_view name) const;
    /// The names for find(): the configured analyzers, those with a key if the setting is "auto",
    /// and always the local one.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The local one with the built-in transcriber, which costs nothing.
    [[nodiscard]] const model::analyzer& free() const noexcept { return free_; }

    [[nodiscard]] const std::vector<const model::remote_analyzer*>& remote() const noexcept {
        return remote_;
    }
    /// Null with the built-in transcriber.
    [[nodiscard]] const model::speech_transcriber* speech_server() const noexcept {
        return speech_server_.get();
    }
    /// Null without a remote embedder.
    [[nodiscard]] const model::dense_embedder* dense_embedder() const noexcept {
        return dense_embedder_.get();
    }
    [[nodiscard]] const model::price_table& prices() const noexcept { return prices_; }

    /// The states of the remote analyzers and the speech server.
    [[nodiscard]] std::vector<model::circuit_state> circuits() const;

    /// Deletes uploads that ended runs have left at providers. Blocking.
    void sweep(const model::run_check& is_living, const std::stop_token& stop) const;

private:
    explicit analyzers(const media::media_client& media)
        : media_{media}, free_{media, built_in_speech_} {}

    [[nodiscard]] result<void> open_speech_server(
        const settings& config, model::request_observer on_request, const log::logger& log);
    [[nodiscard]] const model::transcriber& speech() const noexcept;

    const media::media_client& media_;
    model::local_transcriber built_in_speech_;
    model::local_analyzer free_;
    model::price_table prices_;
    std::unique_ptr<model::speech_transcriber> speech_server_;
    std::unique_ptr<model::local_analyzer> local_;  ///< With the configured transcriber.
    std::unique_ptr<model::dense_embedder> dense_embedder_;
    std::unique_ptr<model::analyzer> chosen_;
    /// With a key, but not in chosen_, because "auto" chooses one.
    std::vector<std::unique_ptr<model::remote_analyzer>> others_;
    std::vector<std::pair<std::string, const model::analyzer*>> by_name_;
    std::vector<const model::remote_analyzer*> remote_;  ///< Within chosen_ and others_.
};

/// Null for the built-in embedder. Errors: invalid_argument; the detail names the setting.
[[nodiscard]] result<std::unique_ptr<model::dense_embedder>> make_dense_embedder(
    const settings& config);

/// The names in the setting, or those that "auto" means. Pure.
[[nodiscard]] std::vector<std::string> analyzer_names(const settings& config);

/// Analyzers that only submissions choose: with "auto", the others that have a key. Pure.
[[nodiscard]] std::vector<std::string> other_analyzer_names(const settings& config);

}  // namespace reelsd::app
