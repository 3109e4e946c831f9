#pragma once

#include <reelsd/media/report.hpp>
#include <reelsd/model/analyzer.hpp>

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
inline constexpr std::string_view local_model_name = "reelsd-local-2";
inline constexpr std::string_view local_analyzer_name = "local/reelsd-local-2";

/// Analyses only with the tools of the media child: no key, no network, no cost. Leaves empty what
/// they cannot know.
class local_analyzer final : public analyzer {
public:
    /// `media` outlives the analyzer and serves many threads.
    explicit local_analyzer(const media::media_client& media) noexcept : media_{media} {}

    [[nodiscard]] std::string_view name() const noexcept override { return local_analyzer_name; }

    /// Errors: those of media_client::analyze. `calls` is not touched.
    [[nodiscard]] analysis analyze(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const override;

private:
    const media::media_client& media_;
};

/// Text of the post; untrusted.
struct post_text {
    std::string_view caption;
    const std::vector<std::string>& hashtags;
};

/// The conclusions that a report allows. Pure.
[[nodiscard]] findings findings_from(const media::analysis_report& report, const post_text& post);

}  // namespace reelsd::model
