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

#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

namespace reelsd::app {

/// What analyses videos, as the operator has set it.
class analyzers {
public:
    /// `run` tells this process from all others (see work::scratch_space). `media` outlives it.
    /// Errors: invalid_argument, the detail names the setting: an analyzer without its key or
    /// model, or a table of prices that cannot be read.
    [[nodiscard]] static result<std::unique_ptr<analyzers>> create(
        const settings& config, std::string_view run, const media::media_client& media,
        model::request_observer on_request, const log::logger& log);

    /// The first that works.
    [[nodiscard]] const model::analyzer& chosen() const noexcept { return *chosen_; }
    /// The one that costs nothing.
    [[nodiscard]] const model::analyzer& free() const noexcept { return free_; }

    [[nodiscard]] const std::vector<const model::remote_analyzer*>& remote() const noexcept {
        return remote_;
    }
    /// Null when the operator wants none.
    [[nodiscard]] const model::dense_embedder* dense_embedder() const noexcept {
        return dense_embedder_.get();
    }
    [[nodiscard]] const model::price_table& prices() const noexcept { return prices_; }

    /// Of the remote ones.
    [[nodiscard]] std::vector<model::circuit_state> circuits() const;

    /// Removes what runs that are over have left at providers. Blocking.
    void sweep(const model::run_check& is_living, const std::stop_token& stop) const;

private:
    explicit analyzers(const media::media_client& media) : free_{media} {}

    model::local_analyzer free_;
    model::price_table prices_;
    std::unique_ptr<model::dense_embedder> dense_embedder_;
    std::unique_ptr<model::analyzer> chosen_;
    std::vector<const model::remote_analyzer*> remote_;  ///< Within chosen_.
};

/// Null for the built-in one alone. Errors: invalid_argument, the detail names the setting.
[[nodiscard]] result<std::unique_ptr<model::dense_embedder>> make_dense_embedder(
    const settings& config);

/// The names that "auto" stands for, or those that are set. Pure.
[[nodiscard]] std::vector<std::string> wanted_analyzers(const settings& config);

}  // namespace reelsd::app
