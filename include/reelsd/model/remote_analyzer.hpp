#pragma once

#include <reelsd/base/json.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/circuit_breaker.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/model/transcriber.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media {
class media_client;
}
namespace reelsd::net {
class http_client;
}

namespace reelsd::model {

class chat_api;
struct retry_loop_dependencies;

/// Called from worker threads after each request to a model; `outcome`: "answered" or a failure.
using request_observer = std::function<void(
    std::string_view provider, std::string_view model, std::string_view outcome)>;

struct prompt {
    std::string instructions;  ///< The system prompt.
    std::string task;          ///< After the video, if there is one.
    /// Encloses text from outside: random, so that none can end its block.
    std::string boundary;
    /// Of the answer; each object requires all its properties, unless it is not enforceable.
    json schema;
    std::string_view schema_name;  ///< "reel_analysis"
    /// False if the caller's schema has values of any type, which no provider enforces.
    bool is_schema_enforceable = true;
    std::vector<std::string> warnings = {};  ///< For the result: what the model does not receive.
};

/// Reads a complete reply. Returns why it cannot be used, for a second request.
using text_reader = std::function<std::vector<std::string>(std::string_view reply)>;

/// References outlive the analyzer.
struct remote_dependencies {
    const media::media_client& media;
    const price_table& prices;
    remote_settings settings;
    request_observer on_request = {};  ///< May be empty.
    /// Hears for a model that receives no sound. Null for other models.
    const transcriber* speech = nullptr;
    log::logger log;
};

/// Analyses with a model over HTTP: requests and reads its answer, repeats the request with changes
/// that may help, and checks the answer against local measurements.
class remote_analyzer final : public analyzer {
public:
    [[nodiscard]] static std::unique_ptr<remote_analyzer> with_gemini(
        gemini_settings settings, remote_dependencies dependencies);
    [[nodiscard]] static std::unique_ptr<remote_analyzer> with_openai(
        openai_settings settings, remote_dependencies dependencies);
    /// `api` may refer to `http`.
    remote_analyzer(
        std::unique_ptr<net::http_client> http, std::unique_ptr<chat_api> api,
        remote_dependencies dependencies);
    ~remote_analyzer() override;

    /// "gemini/gemini-3.8-flash/prompt-1"
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

    [[nodiscard]] std::optional<analysis_failure> refusal() const override;

    [[nodiscard]] analysis analyze(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const override;

    /// Sends a request without a video, and changed ones as long as `read` rejects the reply and a
    /// change may help: at most three that are paid. Blocks until read, given up, `by` or `stop`.
    /// Errors: as analyze(); model_refused after a reply that `read` rejected.
    [[nodiscard]] boost::system::result<void, analysis_failure> complete(
        const prompt& request, const text_reader& read, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const;

    /// Removes files that ended runs have left at the provider. Blocking.
    void sweep(const run_check& is_living, const deadline& by, const std::stop_token& stop) const;

    /// Checks key and model, at no cost. Blocking. Errors: model_misconfigured, model_unavailable;
    /// not_found when the server does not list the model.
    [[nodiscard]] result<void> check(const deadline& by, const std::stop_token& stop) const;

    [[nodiscard]] circuit_state circuit() const;

private:
    class analysis_session;
    /// The sound of a video whose model receives none.
    struct heard_sound {
        transcript spoken = {};
        media::music_report music = {};
    };

    /// Empty if the model hears for itself.
    [[nodiscard]] result<std::optional<heard_sound>> listen(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const;

    [[nodiscard]] retry_loop_dependencies retry_dependencies() const;

    remote_dependencies dependencies_;
    std::unique_ptr<net::http_client> http_;
    std::unique_ptr<chat_api> api_;
    std::string name_without_speech_;  ///< With the built-in transcriber.
    std::string name_;
    mutable circuit_breaker circuit_;
};

}  // namespace reelsd::model
