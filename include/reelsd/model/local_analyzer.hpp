#pragma once

#include <reelsd/media/report.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/model/transcriber.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media {
class media_client;
}

namespace reelsd::model {

/// `metadata.model` of a local analysis. The number is increased whenever the same video would be
/// described differently, so that old results are not reused.
inline constexpr std::string_view local_provider = "local";
inline constexpr std::string_view local_model_name = "reelsd-local-4";
inline constexpr std::string_view local_analyzer_name = "local/reelsd-local-4";

/// Analyses with the tools of the media child and a transcriber. The built-in transcriber needs no
/// key and no network, and costs nothing. Fields that these tools cannot determine stay empty.
class local_analyzer final : public analyzer {
public:
    /// Both outlive the analyzer and serve many threads.
    local_analyzer(const media::media_client& media, const transcriber& speech)
        : media_{media},
          speech_{speech},
          name_{std::string{local_analyzer_name} + transcriber_suffix(speech.name())} {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

    [[nodiscard]] bool needs_probe() const noexcept override { return false; }

    /// Errors: those of media_client::analyze and transcriber::transcribe.
    [[nodiscard]] analysis analyze(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const override;

private:
    const media::media_client& media_;
    const transcriber& speech_;
    std::string name_;
};

/// Text of the post; untrusted.
struct post_text {
    std::string_view caption;
    const std::vector<std::string>& hashtags;
};

/// The conclusions that a report and its speech allow. Pure.
[[nodiscard]] findings findings_from(
    const media::analysis_report& report, const transcript& spoken, const post_text& post);

}  // namespace reelsd::model
