#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/model/circuit_breaker.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/model/remote_analyzer.hpp>
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/model/transcriber.hpp>
#include <reelsd/net/proxy.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelsd::media {
class media_client;
}
namespace reelsd::net {
class http_client;
}

namespace reelsd::model {

/// References outlive the transcriber.
struct speech_dependencies {
    const media::media_client& media;
    const price_table& prices;
    std::string ca_file = {};  ///< Empty: the system's.
    std::optional<net::proxy> by_proxy = {};
    request_observer on_request = {};  ///< May be empty.
    log::logger log;
};

/// What a request that costs nothing says about a speech server.
enum class server_check : std::uint8_t {
    confirmed,  ///< It has the model.
    unlisted,   ///< It answers, and does not list its models.
};

/// Transcribes with a speech server over HTTP. Sends the sound only if the media child has heard a
/// voice in it, and drops passages that the recording contradicts.
class speech_transcriber final : public transcriber {
public:
    speech_transcriber(speech_settings settings, speech_dependencies dependencies);
    ~speech_transcriber() override;

    /// "openai-whisper-1"
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

    [[nodiscard]] result<transcript> transcribe(
        const video_input& video, const media::audio_report& heard, call_ledger& calls,
        const deadline& by, const std::stop_token& stop) const override;

    /// Checks server, key and model, at no cost. Blocking. Errors: model_misconfigured,
    /// model_unavailable; not_found when the server lists other models only.
    [[nodiscard]] result<server_check> check(const deadline& by, const std::stop_token& stop) const;

    [[nodiscard]] circuit_state circuit() const;

private:
    speech_dependencies dependencies_;
    std::unique_ptr<net::http_client> http_;
    std::string name_;
    speech_settings settings_;
    mutable circuit_breaker circuit_;
    /// What the server has refused once is not requested again.
    mutable std::atomic<bool> knows_times_{true};
    mutable std::atomic<bool> knows_hints_{true};
};

}  // namespace reelsd::model
