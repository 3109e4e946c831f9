#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/model/analyzer.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// Several analyzers. Each replaces those before it while they are unavailable, which its warnings
/// say. A refused video is not passed on.
class analyzer_chain final : public analyzer {
public:
    /// At least one analyzer, none null.
    analyzer_chain(std::vector<std::unique_ptr<analyzer>> links, log::logger log);

    /// That of the first one, which the operator prefers.
    [[nodiscard]] std::string_view name() const noexcept override { return links_.front()->name(); }

    /// The first one's, if all have one.
    [[nodiscard]] std::optional<analysis_failure> refusal() const override;

    /// The first one's failure if all are unavailable.
    [[nodiscard]] analysis analyze(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const override;

private:
    std::vector<std::unique_ptr<analyzer>> links_;
    log::logger log_;
};

}  // namespace reelsd::model
