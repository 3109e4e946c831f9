#include <reelsd/base/bounds.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/local_analyzer.hpp>

namespace reelsd::model {

analysis local_analyzer::analyze(
    const video_input& video, call_ledger& /*calls*/, const deadline& by,
    const std::stop_token& stop) const {
    const auto own = by.at_most(bounds::local_analysis_time_max);
    const auto report = media_.analyze(video.file, own, stop);
    if (!report) return analysis_failure{report.error()};
    return findings_from(*report, {.caption = video.caption, .hashtags = video.hashtags});
}

}  // namespace reelsd::model
