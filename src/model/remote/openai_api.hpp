#pragma once

#include "chat_api.hpp"
#include <reelsd/model/remote_settings.hpp>

namespace reelsd::media {
class media_client;
}

namespace reelsd::model {

/// Chat completions, as many servers offer them. Source: model-api.md B.
class openai_api final : public chat_api {
public:
    /// `media` outlives it.
    openai_api(openai_settings settings, const media::media_client& media)
        : settings_{std::move(settings)}, media_{media} {}

    [[nodiscard]] std::string_view provider() const noexcept override { return "openai"; }
    [[nodiscard]] std::string_view model() const noexcept override { return settings_.model; }
    [[nodiscard]] std::string_view secret() const noexcept override { return settings_.key; }
    [[nodiscard]] std::string media_note(const video_input& video) const override;
    [[nodiscard]] std::unique_ptr<chat_session> open(
        const video_input& video, const prompt& asked) const override;
    [[nodiscard]] net::http_request model_request() const override;
    [[nodiscard]] std::optional<call_failure> model_fault(
        const net::http_response& answer) const override;

private:
    openai_settings settings_;
    const media::media_client& media_;
};

/// Everything of a request but its messages: from the comma after them to the end. Pure.
[[nodiscard]] std::string openai_options(const openai_settings& settings, const question& asked);

}  // namespace reelsd::model
