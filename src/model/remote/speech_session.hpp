#pragma once

#include "chat_api.hpp"
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/net/request_body.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace reelsd::model {

/// What a request to a speech server contains. Servers differ in what they know.
struct speech_form {
    bool with_times = true;  ///< verbose_json with passages and words; else text alone.
    /// Fields that spare whisper.cpp a second pass, and make speaches give sentences.
    bool with_hints = true;
};

/// A speech server's model.
class speech_endpoint final : public model_endpoint {
public:
    explicit speech_endpoint(speech_settings settings) : settings_{std::move(settings)} {}

    [[nodiscard]] std::string_view provider() const noexcept override { return "openai"; }
    [[nodiscard]] std::string_view model() const noexcept override { return settings_.model; }
    [[nodiscard]] std::string_view secret() const noexcept override { return settings_.key; }
    [[nodiscard]] const speech_settings& settings() const noexcept { return settings_; }

private:
    speech_settings settings_;
};

/// The sound of one video: a WAVE file and its length.
struct speech_sound {
    net::file_range file;
    std::int64_t milliseconds = 0;
};

/// The requests about one sound. Not thread-safe. `endpoint` outlives it.
class speech_session final : public chat_session {
public:
    speech_session(const speech_endpoint& endpoint, speech_sound sound, speech_form form)
        : endpoint_{endpoint}, sound_{std::move(sound)}, form_{form} {}

    [[nodiscard]] prepared_request request_for(
        const request_options& options, const deadline& by, const std::stop_token& stop) override;
    [[nodiscard]] model_reply reply_of(const net::http_response& response) const override;

    /// Changes later requests so that the server may accept them; false if it cannot.
    [[nodiscard]] bool simplify(failure_kind why);
    [[nodiscard]] speech_form form() const noexcept { return form_; }

private:
    const speech_endpoint& endpoint_;
    speech_sound sound_;
    speech_form form_;
};

}  // namespace reelsd::model
