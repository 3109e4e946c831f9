#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/model/analyzer.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// Several analyzers, the next one for when those before it are down: what it finds says so in its
/// warnings. An analyzer that refuses a video has answered: nobody else is asked.
class analyzer_chain final : public analyzer {
public:
    /// At least one, and none null.
    analyzer_chain(std::vector<std::unique_ptr<analyzer>> links, log::logger log);

    /// That of the first: what the operator wants.
    [[nodiscard]] std::string_view name() const noexcept override { return links_.front()->name(); }

    /// The first one's, when all of them refuse.
    [[nodiscard]] std::optional<analysis_failure> refusal() const override;

    /// When all are down, the first one's failure.
    [[nodiscard]] analysis analyze(
        const video_input& video, call_ledger& calls, const deadline& by,
        const std::stop_token& stop) const override;

private:
    std::vector<std::unique_ptr<analyzer>> links_;
    log::logger log_;
};

}  // namespace reelsd::model
